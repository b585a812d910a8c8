import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistryAPI
import PackTrust

/// Sends all metadata that a fresh device needs in one answer: one round trip instead of ten.
///
/// It only saves time. Every document in it is the file of the published view, and the device verifies it as if it had
/// come alone; a host that serves plain files has no bundle, and the device asks for the files themselves.
struct BundleController {
    /// Bytes of packages' roles that are sent along. A device that uses few of many packages asks for theirs itself.
    private static let maximumRolesByteCount = 131_072
    private static let maximumRootCount = 64

    let view: ViewController

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.bundle, bundle)
    }

    @Sendable func bundle(request: Request, context: RegistryRequestContext) async throws -> Response {
        let channel = try ChannelName(context.parameters.require("channel"))
        guard let root = Int(try context.parameters.require("root")), (1...1_000_000_000).contains(root)
        else {
            throw Problem.badRequest("the version of the device's root is not a number from 1 to 1,000,000,000")
        }
        var files = try await roots(after: root)
        guard let timestamp: SignedDocument<TimestampMetadata> = try await document("timestamp", nil, &files),
            let snapshot: SignedDocument<SnapshotMetadata> = try await document(
                "snapshot", timestamp.body.snapshot.version, &files),
            let _: SignedDocument<TargetsMetadata> = try await role("targets", snapshot.body, &files),
            let channels: SignedDocument<TargetsMetadata> = try await role(
                ViewLayout.channelsRole, snapshot.body, &files)
        else { throw Problem.notFound("the published view is not complete") }
        let listed = ViewLayout.channelTargets(channel).first { channels.body.targets[$0] != nil }
        let head = ViewLayout.channelHeadTarget(channel)
        if let listed, channels.body.targets[listed]?[extra: ChannelHead.countField] != nil,
            let info = channels.body.targets[head]
        {
            // Which parts the device needs, it finds out by the head.
            let path = RepositoryPath.target(head, info: info, consistentSnapshot: true)
            if let bytes = try await view.bytes(path) { files[path] = .string(String(decoding: bytes, as: UTF8.self)) }
        } else if let listed, let info = channels.body.targets[listed] {
            let path = RepositoryPath.target(listed, info: info, consistentSnapshot: true)
            if let bytes = try await view.bytes(path) {
                files[path] = .string(String(decoding: bytes, as: UTF8.self))
                try await addRoles(of: bytes, snapshot.body, &files)
            }
        }
        var response = Response.json(["format": 1, "files": .object(files)])
        response.headers[.cacheControl] = CacheControl.pointer
        return response
    }

    /// The chain from a device's root on, and that it ends there.
    private func roots(after version: Int) async throws -> JSONObject {
        var files = JSONObject()
        for next in (version + 1)...(version + Self.maximumRootCount) {
            let path = RepositoryPath.metadata(TopLevelRole.root.rawValue, version: next)
            guard let bytes = try await view.bytes(path) else {
                files[path] = .null
                break
            }
            files[path] = .string(String(decoding: bytes, as: UTF8.self))
        }
        return files
    }

    /// The roles of the packages that the channel offers, as far as they are not large.
    private func addRoles(of channel: [UInt8], _ snapshot: SnapshotMetadata, _ files: inout JSONObject) async throws {
        var left = Self.maximumRolesByteCount
        for package in try ChannelFile(parsing: channel).packages.keys.sorted() {
            guard let meta = snapshot[role: ViewLayout.role(of: package)] else { continue }
            let path = RepositoryPath.metadata(ViewLayout.role(of: package), version: meta.version)
            guard let facts = try await view.facts(path), facts.size <= left, let bytes = try await view.bytes(path)
            else { return }
            left -= facts.size
            files[path] = .string(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func role(
        _ name: String, _ snapshot: SnapshotMetadata, _ files: inout JSONObject
    ) async throws -> SignedDocument<TargetsMetadata>? {
        guard let meta = snapshot[role: name] else { return nil }
        return try await document(name, meta.version, &files)
    }

    private func document<Body: RoleMetadata>(
        _ name: String, _ version: Int?, _ files: inout JSONObject
    ) async throws -> SignedDocument<Body>? {
        let path = RepositoryPath.metadata(name, version: version)
        guard let bytes = try await view.bytes(path) else { return nil }
        files[path] = .string(String(decoding: bytes, as: UTF8.self))
        return try SignedDocument(parsing: bytes, name: name)
    }
}
