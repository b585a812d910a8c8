package import PackFormat
import PackTrust

extension ViewLayout {
    /// The path of a target under consistent snapshots (TUF 1.0.34 §6.2): `targets/dir/HASH.name`.
    package static func file(ofTarget path: String, digest: Digest) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return "\(targetsFolder)/\(digest.hex).\(path)"
        }
        let name = path[path.index(after: slash)...]
        return "\(targetsFolder)/\(path[...slash])\(digest.hex).\(name)"
    }

    /// The path of metadata: each version has its own name, except the timestamp.
    package static func metadata(_ role: String, version: Int) -> String {
        RepositoryPath.metadata(role, version: role == TopLevelRole.timestamp.rawValue ? nil : version)
    }
}
