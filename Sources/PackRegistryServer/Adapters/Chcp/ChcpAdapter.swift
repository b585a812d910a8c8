import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistryAPI

/// Answers `cordova-hot-code-push`, whose clients fetch files and say nothing of their devices:
///
///     PACKAGE/CHANNEL/www/chcp.json       what the channel offers; the app's config-file
///     PACKAGE/CHANNEL/www/chcp.manifest   the list of its files
///     PACKAGE/CHANNEL/www/PATH            a file of it
///     PACKAGE/VERSION/files/…             list and files of one version, where clients are sent to
struct ChcpAdapter: Adapter {
    private static let channelFolder = "www"
    private static let versionFolder = "files"

    private let tools: AdapterTools
    private let offers: ChcpOffers
    private let files: ChcpFiles

    init(tools: AdapterTools) {
        self.tools = tools
        offers = ChcpOffers(tools: tools)
        files = ChcpFiles(tools: tools)
    }

    func response(
        to request: Request, path: ArraySlice<String>, _ context: RegistryRequestContext
    ) async throws -> Response {
        let parts = Array(path)
        guard parts.count >= 4, let package = try? PackageID(parts[0]) else { throw Self.absent }
        guard request.method == .get || request.method == .head else { throw Problem.methodNotAllowed([.get, .head]) }
        let name = parts.dropFirst(3).joined(separator: "/")
        switch parts[2] {
        case Self.channelFolder:
            guard let channel = try? ChannelName(parts[1]) else { throw Self.absent }
            let offer = try await offers.offer(of: package, on: channel)
            if name == ChcpFiles.configurationPath { return try configuration(offer, request) }
            return try await files.response(
                to: request, name, of: offer.manifest, isOffered: true, cacheControl: CacheControl.pointer)
        case Self.versionFolder:
            guard let version = try? SemanticVersion(parts[1]),
                let manifest = try await tools.manifest(of: package, version), ChcpFiles.canList(manifest)
            else { throw Self.absent }
            return try await files.response(
                to: request, name, of: manifest, isOffered: false, cacheControl: CacheControl.immutable)
        default: throw Self.absent
        }
    }

    /// A text: clients on iOS do not look at the status, and would read a JSON object as a configuration.
    func answer(to problem: Problem) -> Response {
        .adapterText(ProblemText.cut(problem.detail), status: problem.status)
    }

    private func configuration(_ offer: ChcpOffer, _ request: Request) throws -> Response {
        let manifest = offer.manifest
        let kind = AdapterKind.chcp.rawValue
        // Clients on Android encode the path once more, so nothing in it may be encoded.
        let path =
            "\(AdapterController.folder)/\(kind)/\(manifest.package)/\(manifest.version)/\(Self.versionFolder)"
        var document: JSONObject = [
            "content_url": .string("\(tools.address.base(for: request))/\(path)"), "release": .string(offer.name),
            "min_native_interface": .integer(offer.nativeInterface),
        ]
        document["update"] = offer.update.map { .string($0.rawValue) }
        return try FileResponder.document(to: request, document)
    }

    private static var absent: Problem { .notFound("there is nothing at this path") }
}
