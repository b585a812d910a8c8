import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistryAPI

/// Answers older plugins, which read one list of a channel's files:
///
///     /offline/manifest.json?channel=stable&device=ID&app=3.2.0
///
/// The parameters are those of `/v1/update`, and so is the decision for each package. `/adapters/offline/manifest.json` is
/// the same.
struct OfflineAdapter: Adapter {
    /// The first component of the protocol's path.
    static let root = "offline"
    private static let listName = "manifest.json"

    private let tools: AdapterTools
    private let lists: OfflineLists

    init(tools: AdapterTools) {
        self.tools = tools
        lists = OfflineLists(tools: tools)
    }

    func response(
        to request: Request, path: ArraySlice<String>, _ context: RegistryRequestContext
    ) async throws -> Response {
        // At the root the path begins with the adapter's own name once more.
        let name = path.first == Self.root ? path.dropFirst() : path
        guard Array(name) == [Self.listName] else { throw Problem.notFound("there is nothing at this path") }
        guard request.method == .get || request.method == .head else { throw Problem.methodNotAllowed([.get, .head]) }
        let query = DeviceQuery(request)
        let channel = try query["channel"].map { try ChannelName($0) } ?? tools.settings.channel
        let device = try query.facts(groups: [])
        let answers = try await tools.desk.answers(on: channel, for: device)
        let list = try await lists.list(of: answers, tools.address.base(for: request))
        return try FileResponder.response(
            to: request, with: list, mediaType: MediaType("application/json"),
            fields: [.cacheControl: CacheControl.pointer])
    }

    /// Never a list: a client that does not look at the status would take an empty one for the end of all packages.
    func answer(to problem: Problem) -> Response { problem.response }
}
