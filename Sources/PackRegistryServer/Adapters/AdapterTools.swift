import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// What the adapters share.
struct AdapterTools: Sendable {
    let desk: UpdateDesk
    let view: ViewController
    let archives: SiteArchiveStore
    let memory: BodyMemory
    let reports: ReportController
    let host: any RegistryHost
    /// What reads much.
    let reads: ConcurrencyGate
    let address: PublicAddress
    let settings: AdapterSettings

    /// The body as JSON. Its type is not looked at: clients of other systems name several, or none.
    func body(
        of request: Request, _ context: RegistryRequestContext, upTo limit: Int, values: Int = 1_000
    ) async throws -> JSONValue {
        let bytes = try await memory.bytes(of: request, context, upTo: limit)
        var options = JSONValue.ParseOptions(maximumDepth: 8)
        options.maximumValueCount = values
        return try await memory.atDesk(bytes.count) { try JSONValue(parsing: bytes, options: options) }
    }

    /// The manifest of an offered version; nil if its publisher withdrew it a moment ago.
    func manifest(of package: PackageID, _ version: SemanticVersion) async throws -> Manifest? {
        try await desk.state.manifest(of: package, version)
    }

    /// Whether a channel offers a version now.
    func isOffered(_ manifest: Manifest) async throws -> Bool {
        let overview = try await reads.pass { try await host.registry(as: .anonymous).overview(of: []) }
        return overview.channels.values.contains { packages in
            packages[manifest.package]?.contains { $0.version == manifest.version } ?? false
        }
    }

    /// Whether a package of this name was ever published here.
    func knows(_ package: PackageID) async throws -> Bool {
        try await reads.pass { try await host.registry(as: .anonymous).overview(of: [package]) }
            .versions[package] != nil
    }

    /// All channels that offer a package, in the order of their names.
    func channels(offering package: PackageID) async throws -> [ChannelName] {
        let all = try await reads.pass {
            try await host.registry(as: .anonymous).overview(of: []).channels.keys.sorted()
        }
        var offering: [ChannelName] = []
        for channel in all where try await offers(package, on: channel) { offering.append(channel) }
        return offering
    }

    func offers(_ package: PackageID, on channel: ChannelName) async throws -> Bool {
        try await !desk.state.releases(of: package, on: channel).isEmpty
    }

    /// A version's zip: the published one where it is complete, else one that is made for these clients.
    /// - Parameter isNeeded: Whether the client will fetch it. If not, it is not made yet, and its digest not known.
    func zip(of manifest: Manifest, isNeeded: Bool) async throws -> (path: String, digest: Digest?) {
        let isComplete = manifest.files.values.allSatisfy { $0.from == nil }
        let published = ViewPath.archive(manifest.package, manifest.version).description
        if isComplete, let facts = try await view.facts(published) { return (published, facts.digest) }
        let archive = SiteArchive(of: manifest)
        let digest = isNeeded ? try await archives.file(archive).digest : nil
        return (SiteArchiveController.path(of: archive), digest)
    }
}

extension Response {
    static func adapterText(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: CacheControl.none],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    static func adapterJSON(_ document: JSONObject, status: HTTPResponse.Status = .ok) -> Response {
        adapterJSON(JSONValue.object(document).compactText, status: status)
    }

    /// A JSON text that is for one device only.
    static func adapterJSON(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: CacheControl.none],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// What a client says of its device in one field.
enum DeviceText {
    private static let maximumByteCount = 256

    /// - Parameter kind: of the refusal, in a protocol that has names for them.
    /// - Throws: ``Problem`` for a text that is too long.
    static func checked(
        _ text: String?, _ name: String, kind: String = RegistryError.Kind.invalid.rawValue
    ) throws(Problem) -> String? {
        guard let text, text.utf8.count > maximumByteCount else { return text }
        throw Problem(.badRequest, kind: kind, "\(name) has more than \(maximumByteCount) bytes")
    }
}

extension JSONObject {
    /// A text that a client may leave out. Numbers and booleans count as their texts; nil for everything else.
    func looseText(_ key: String) -> String? {
        switch self[key] {
        case .string(let text) where !text.isEmpty: text
        case .integer(let number): String(number)
        case .bool(let bool): bool ? "true" : "false"
        default: nil
        }
    }
}
