package import Foundation
import PackJSON
package import PackTrust

/// Who stole the registry's online key and holds a mirror: he signs channels, snapshot and timestamp as he likes.
package struct OnlineThief {
    package let mirror: Mirror
    private let key: PrivateKey
    private let later = Date() + 5 * 86_400

    /// - Parameter registry: the folder whose key he stole.
    package init(registry: URL, mirror: Mirror) throws {
        self.mirror = mirror
        let data = try Data(contentsOf: registry.appendingPathComponent("keys/online.json"))
        let file = try JSONValue(parsing: Array(data)).object()
        key = try PrivateKey(pem: file.array("keys")[0].string("key"))
    }

    /// What a channel offers in the mirror.
    package func channelFile(_ channel: String) throws -> [UInt8] {
        let path = "channels/\(channel).json"
        guard let info = try newest("channels", as: TargetsMetadata.self).body.targets[path] else {
            throw NotFound(path)
        }
        return try mirror.read(RepositoryPath.target(path, info: info, consistentSnapshot: true))
    }

    /// The app's name in the registry.
    package func app(in channel: String) throws -> String {
        try JSONValue(parsing: channelFile(channel)).object().string("app")
    }

    package struct NotFound: Error {
        let what: String

        init(_ what: String) { self.what = what }
    }

    /// The newest version of a role in the mirror.
    package func newest<Body: RoleMetadata>(_ role: String, as type: Body.Type = Body.self) throws -> SignedDocument<
        Body
    > {
        let documents = try mirror.paths(below: "metadata").filter { path in
            path.hasSuffix("/\(role).json") || path.hasSuffix(".\(role).json")
        }.map { try SignedDocument<Body>(parsing: mirror.read($0)) }
        guard let newest = documents.max(by: { $0.body.version < $1.body.version }) else { throw NotFound(role) }
        return newest
    }

    /// Puts a role in place, whoever signed it, and lets the snapshot name it.
    package func plant(_ document: SignedDocument<TargetsMetadata>, as role: String) throws {
        try mirror.write(document.bytes, to: RepositoryPath.metadata(role, version: document.body.version))
        try seal { $0[role: role] = MetaFile(version: document.body.version) }
    }

    /// Lets a channel say what he wants.
    package func offer(_ channelFile: [UInt8], on channel: String) throws {
        let info = TargetInfo(of: channelFile)
        let path = "channels/\(channel).json"
        try mirror.write(channelFile, to: RepositoryPath.target(path, info: info, consistentSnapshot: true))
        let current = try newest("channels", as: TargetsMetadata.self)
        try plant(try current.revised(expires: later, signers: [key]) { $0.targets[path] = info }, as: "channels")
    }

    /// Signs a new snapshot and timestamp.
    /// - Parameter jump: by how much their versions go up.
    package func seal(jump: Int = 1, _ change: (inout SnapshotMetadata) -> Void = { _ in }) throws {
        var snapshot = try newest("snapshot", as: SnapshotMetadata.self).body
        change(&snapshot)
        snapshot.version += jump
        snapshot.expires = later
        let signed = try SignedDocument(unsigned: snapshot).signed(by: key)
        try mirror.write(signed.bytes, to: RepositoryPath.metadata("snapshot", version: snapshot.version))
        var timestamp = try newest("timestamp", as: TimestampMetadata.self).body
        timestamp.version += jump
        timestamp.expires = later
        timestamp.snapshot = signed.metaFile
        try mirror.write(
            SignedDocument(unsigned: timestamp).signed(by: key).bytes, to: RepositoryPath.metadata("timestamp"))
    }
}
