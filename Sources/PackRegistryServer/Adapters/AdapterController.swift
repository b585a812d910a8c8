import HTTPTypes
import Hummingbird
import Logging
import PackFormat
import PackRegistryAPI

/// The door of all adapters, `/adapters/KIND/…`, and of the zips that they hand out, `/adapters/archives/…`.
struct AdapterController: Sendable {
    static let folder = "adapters"
    /// So many components of a path say whose it is.
    private static let namingCount = 2

    private let adapters: [String: any Adapter]
    private let archives: SiteArchiveController

    init(_ tools: AdapterTools) {
        var adapters: [String: any Adapter] = [:]
        for kind in tools.settings.kinds {
            switch kind {
            case .capawesome: adapters[kind.rawValue] = CapawesomeAdapter(tools: tools)
            case .capgo: adapters[kind.rawValue] = CapgoAdapter(tools: tools)
            case .chcp: adapters[kind.rawValue] = ChcpAdapter(tools: tools)
            case .codepush: adapters[kind.rawValue] = CodePushAdapter(tools: tools)
            case .ionic: adapters[kind.rawValue] = IonicAdapter(tools: tools)
            case .offline: adapters[kind.rawValue] = OfflineAdapter(tools: tools)
            }
        }
        self.adapters = adapters
        archives = SiteArchiveController(tools: tools)
    }

    /// Whether a path is one of an adapter.
    func owns(_ components: [String]) -> Bool {
        components.first == Self.folder
            || Self.kindAtRoot(components).map { adapters[$0.rawValue] != nil } ?? false
    }

    /// Whose path it is at the root. Clients of CodePush and older plugins may ask there, as they did before, and those of
    /// Capawesome know nothing of a server but its name.
    private static func kindAtRoot(_ components: [String]) -> AdapterKind? {
        guard let first = components.first else { return nil }
        if CodePushAdapter.roots.contains(first) { return .codepush }
        if first == OfflineAdapter.root { return .offline }
        return components.starts(with: CapawesomeAdapter.root) ? .capawesome : nil
    }

    /// - Parameter components: of the path, which must be an adapter's.
    func response(
        to request: Request, components: [String], _ context: RegistryRequestContext
    ) async throws -> Response {
        let path =
            Self.kindAtRoot(components).map { [$0.rawValue] + components[...] } ?? components.dropFirst()
        guard let kind = path.first else { throw Self.absent }
        if kind == SiteArchiveController.folder {
            return try await archives.response(to: request, path: path.dropFirst())
        }
        guard let adapter = adapters[kind] else { throw Self.absent }
        var response =
            request.method == .options ? Self.preflight : await answer(of: adapter, kind, to: request, path, context)
        // Some clients send their requests from the page.
        response.headers[.accessControlAllowOrigin] = "*"
        return response
    }

    private func answer(
        of adapter: any Adapter, _ kind: String, to request: Request, _ path: ArraySlice<String>,
        _ context: RegistryRequestContext
    ) async -> Response {
        do {
            return try await adapter.response(to: request, path: path.dropFirst(), context)
        } catch {
            let problem = Problem(error)
            if problem.status.code >= 500, problem.kind != RegistryError.Kind.busy.rawValue {
                context.logger.error("an adapter failed", metadata: ["adapter": "\(kind)", "error": "\(error)"])
            }
            let response = Self.answer(of: adapter, to: problem)
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private static func answer(of adapter: any Adapter, to problem: Problem) -> Response {
        var response = adapter.answer(to: problem)
        for field in problem.headers where response.headers[field.name] == nil { response.headers.append(field) }
        return response
    }

    /// The refusal of a request that did not come to an adapter, in the words of the adapter whose path it has.
    /// - Parameter target: the path as it came, which may be one that the server does not read.
    /// - Returns: nil for a path of no adapter.
    func answer(to problem: Problem, at target: String) -> Response? {
        let components = RequestPath.beginning(of: target, maximumCount: Self.namingCount)
        let name =
            components.first == Self.folder
            ? components.dropFirst().first : Self.kindAtRoot(components).map { $0.rawValue }
        guard let adapter = name.flatMap({ adapters[$0] }) else { return nil }
        var response = Self.answer(of: adapter, to: problem)
        response.headers[.accessControlAllowOrigin] = "*"
        return response
    }

    /// What a web view asks before it sends JSON, or the fields of CodePush's clients.
    private static var preflight: Response {
        var fields: HTTPFields = [.cacheControl: CacheControl.none, .accessControlMaxAge: "86400"]
        fields[.accessControlAllowMethods] = "GET, POST, PUT, DELETE"
        fields[.accessControlAllowHeaders] =
            "Accept, Content-Type, X-CodePush-Plugin-Name, X-CodePush-Plugin-Version, X-CodePush-SDK-Version"
        return Response(status: .noContent, headers: fields)
    }

    private static var absent: Problem { .notFound("there is nothing at this path") }
}
