import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistryAPI

/// Answers Capgo's clients (`@capgo/capacitor-updater`), whose app names these URLs:
///
///     updateUrl   …/adapters/capgo/PACKAGE/updates
///     statsUrl    …/adapters/capgo/PACKAGE/stats
///     channelUrl  …/adapters/capgo/PACKAGE/channel_self
///
/// Every answer is a JSON object without nulls: the clients take a field that is there for an error, whatever it is.
struct CapgoAdapter: Adapter {
    /// Bytes of a request that describes a device.
    private static let maximumByteCount = 64 << 10

    private let tools: AdapterTools
    private let offers: CapgoOffers
    private let channels: CapgoChannels
    private let statistics: CapgoStatistics

    init(tools: AdapterTools) {
        self.tools = tools
        offers = CapgoOffers(tools: tools)
        channels = CapgoChannels(tools: tools)
        statistics = CapgoStatistics(tools: tools)
    }

    func response(
        to request: Request, path: ArraySlice<String>, _ context: RegistryRequestContext
    ) async throws -> Response {
        let parts = Array(path)
        guard let name = parts.first, let package = try? PackageID(name) else {
            throw Problem(.notFound, kind: "package_not_found", "the path names no package")
        }
        switch (parts.dropFirst().joined(separator: "/"), request.method) {
        case ("updates", .post): return try await update(package, request, context)
        case ("updates/manifest_size", .post): return try await offers.sizes(of: package, request, context)
        case ("stats", .post): return try await statistics.take(of: package, request, context)
        case ("channel_self", .get): return try await channels.list(of: package)
        case ("channel_self", .post), ("channel_self", .put), ("channel_self", .delete):
            return try await channel(package, request, context)
        case ("updates", _), ("updates/manifest_size", _), ("stats", _): throw Problem.methodNotAllowed([.post])
        case ("channel_self", _): throw Problem.methodNotAllowed([.get, .post, .put, .delete])
        default: throw Problem.notFound("there is nothing at this path")
        }
    }

    func answer(to problem: Problem) -> Response {
        .adapterJSON(
            ["error": .string(problem.kind), "message": .string(ProblemText.cut(problem.detail))],
            status: problem.status)
    }

    // MARK: Updates

    private func update(
        _ package: PackageID, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> Response {
        let device = try CapgoDevice(await body(of: request, context))
        let query = UpdateQuery(
            channel: try channel(device.channel), package: package, device: device.facts, current: device.current)
        guard let answer = try await tools.desk.answer(query) else {
            return Self.blocked("not_offered", "The channel \(query.channel) offers no version of \(package)")
        }
        guard answer.offer.isEnabled else {
            return Self.blocked("disabled_by_channel", "The channel \(query.channel) has \(package) switched off")
        }
        switch answer.decision.release?.offer {
        case .version(let version, _) where !answer.isCurrent:
            return try await offers.offer(package, version, to: device, request)
        case .embedded where device.current != nil:
            return .adapterJSON(["version": .string(CapgoDevice.builtin)])
        case .version, .embedded, nil:
            guard let range = answer.neededApp else { return Self.upToDate }
            return Self.blocked("app_version_not_supported", "A newer version needs app \(range)")
        }
    }

    static var upToDate: Response {
        .adapterJSON(
            [
                "kind": "up_to_date", "error": "no_new_version_available", "message": "No new version available",
            ])
    }

    /// A refusal by a rule, which the clients do not count as a failure.
    static func blocked(_ code: String, _ message: String) -> Response {
        .adapterJSON(["kind": "blocked", "error": .string(code), "message": .string(message)])
    }

    // MARK: Channels

    private func channel(
        _ package: PackageID, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> Response {
        let body = try await body(of: request, context)
        switch request.method {
        case .post:
            guard let name = body.looseText("channel") else {
                throw Problem(.badRequest, kind: "channel_not_found", "the request names no channel")
            }
            return try await channels.choose(channel(name), of: package)
        case .put: return try await channels.tell(channel(CapgoDevice(body).channel), of: package)
        default: return .adapterJSON(["status": "ok"])
        }
    }

    private func channel(_ name: String?) throws(Problem) -> ChannelName {
        guard let name else { return tools.settings.channel }
        guard let channel = try? ChannelName(name) else {
            throw Problem(.badRequest, kind: "channel_not_found", "\"\(name)\" is no name of a channel")
        }
        return channel
    }

    private func body(of request: Request, _ context: RegistryRequestContext) async throws -> JSONObject {
        do {
            return try await tools.body(of: request, context, upTo: Self.maximumByteCount).object("the body")
        } catch let error as JSONError {
            throw Problem(.badRequest, kind: "invalid_json_body", "\(error)")
        }
    }
}
