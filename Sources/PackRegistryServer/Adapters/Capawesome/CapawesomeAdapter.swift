import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistryAPI

/// Answers `@capawesome/capacitor-live-update`. An app can name the server's host and no path, so its clients ask at
/// the root of the server, and their app id is the package:
///
///     /v1/apps/PACKAGE/bundles/latest
///     /v1/apps/PACKAGE/channels
///
/// Below `/adapters/capawesome/PACKAGE/` the same is there for a proxy that maps an app's id to a package.
struct CapawesomeAdapter: Adapter {
    /// How the protocol's paths begin.
    static let root = ["v1", "apps"]

    private let tools: AdapterTools
    private let offers: CapawesomeOffers
    private let files: CapawesomeFiles

    init(tools: AdapterTools) {
        self.tools = tools
        files = CapawesomeFiles(tools: tools)
        offers = CapawesomeOffers(tools: tools)
    }

    func response(
        to request: Request, path: ArraySlice<String>, _ context: RegistryRequestContext
    ) async throws -> Response {
        let parts = Array(path)
        if let (name, call) = Self.call(parts) {
            guard let package = try? PackageID(name) else { throw Problem.notFound("the app id is no package") }
            guard request.method == .get else { throw Problem.methodNotAllowed([.get]) }
            switch call {
            case ["bundles", "latest"]: return try await latest(package, request)
            case ["channels"]: return try await channels(package, request)
            default: throw Problem.notFound("there is nothing at this path")
            }
        }
        return try await files.response(to: request, path: parts)
    }

    /// The clients take every status but 200 for "no update", and show the text of a refusal that is about channels.
    func answer(to problem: Problem) -> Response {
        .adapterJSON(["message": .string(ProblemText.cut(problem.detail))], status: problem.status)
    }

    /// The name of the package, and what is asked of it; nil for other paths.
    private static func call(_ parts: [String]) -> (name: String, call: ArraySlice<String>)? {
        if parts.starts(with: root), parts.count > 3 { return (parts[2], parts[3...]) }
        // Whatever the app's id is, the path has named the package.
        if parts.dropFirst().starts(with: root), parts.count > 4 { return (parts[0], parts[4...]) }
        return nil
    }

    private func latest(_ package: PackageID, _ request: Request) async throws -> Response {
        let device = try CapawesomeDevice(request)
        let query = UpdateQuery(
            channel: try channel(device.channel), package: package, device: device.facts, current: device.current)
        guard let answer = try await tools.desk.answer(query) else {
            throw Problem.notFound("the channel \(query.channel) offers no version of \(package)")
        }
        guard answer.offer.isEnabled else {
            throw Problem.notFound("the channel \(query.channel) has \(package) switched off")
        }
        // The clients have no word for the pages that the app brought: they keep what they run.
        guard case .version(let version, _) = answer.decision.release?.offer else {
            throw Problem.notFound(
                answer.neededApp.map { "a newer version needs app \($0)" } ?? "there is no version for this device")
        }
        return try await offers.offer(version, of: answer, to: device, request)
    }

    private func channel(_ name: String?) throws(Problem) -> ChannelName {
        guard let name else { return tools.settings.channel }
        guard let channel = try? ChannelName(name) else {
            throw .badRequest("\"\(name)\" is no name of a channel: choose one of small letters and digits")
        }
        return channel
    }

    /// The channels that offer the package, a page of them, as an app shows them to its user.
    private func channels(_ package: PackageID, _ request: Request) async throws -> Response {
        let parameters = request.uri.queryParameters
        func number(_ name: String) throws(Problem) -> Int? {
            guard let text = parameters[Substring(name)], !text.isEmpty else { return nil }
            guard let number = Int(text), number >= 0 else { throw .badRequest("\(name) is no number") }
            return number
        }
        let (limit, offset) = (try number("limit"), try number("offset"))
        let part = try DeviceText.checked(parameters["query"].map(String.init), "query")?.lowercased() ?? ""
        let names = try await tools.channels(offering: package).map(\.text)
        let found = names.filter { part.isEmpty || $0.contains(part) }.dropFirst(offset ?? 0).prefix(limit ?? .max)
        let list = found.map { JSONValue.object(["id": .string($0), "name": .string($0)]) }
        return .adapterJSON(JSONValue.array(list).compactText)
    }
}
