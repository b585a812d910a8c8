/// The paths of a repository's files, relative to its base URL or folder (§3.1, §6.2).
public enum RepositoryPath {
    /// The folder of all metadata.
    public static let metadataFolder = "metadata/"
    /// The folder of all target files.
    public static let targetsFolder = "targets/"

    /// The file of a role, with its version in front if there is one.
    public static func metadata(_ role: String, version: Int? = nil) -> String {
        metadataFolder + (version.map { "\($0)." } ?? "") + percentEncoded(role) + ".json"
    }

    /// The file of a target. With consistent snapshots, its hash precedes the last part.
    public static func target(_ path: String, info: TargetInfo, consistentSnapshot: Bool) -> String {
        guard consistentSnapshot else { return targetsFolder + path }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        // A digest of an unknown algorithm may be any text; it stays within the file's name all the same.
        return targetsFolder + path[..<slash] + percentEncoded(info.hashes.nameDigest) + "." + path[slash...]
    }

    /// A role's name in which every byte except letters, digits, `_`, `.`, `-` and `~` is written as `%XX`, so that
    /// any name is one part of a path.
    public static func percentEncoded(_ name: String) -> String {
        encoded(name) { byte in isUnreserved(byte) }
    }

    /// The URL path for one of the paths above: characters that a URL path cannot have are written as `%XX`. The `%`
    /// of an encoded role name does not change.
    public static func urlPath(_ path: String) -> String {
        encoded(path) { byte in isUnreserved(byte) || "/%!$&'()*+,;=:@".utf8.contains(byte) }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_.-~".utf8.contains(byte)
        }
    }

    private static func encoded(_ text: String, allowed: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if allowed(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
