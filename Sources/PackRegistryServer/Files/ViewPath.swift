import PackFormat

/// The path of a file of the published view, parsed from a request.
///
/// Only the view's own folders, and only names of the plain characters that they use: files that are being written
/// (their names start with a dot) and whatever else lies about are not to be had.
struct ViewPath: Hashable {
    static let folders: Set = ["metadata", "targets", "objects", "patches", "packages"]

    let text: String
    /// What the name says the content's digest is.
    let digest: Digest?

    init?(_ components: [String]) {
        guard (2...5).contains(components.count), Self.folders.contains(components[0]) else { return nil }
        for component in components {
            guard component.utf8.allSatisfy(Self.isPlain), let first = component.utf8.first, first != UInt8(ascii: ".")
            else { return nil }
        }
        text = components.joined(separator: "/")
        digest = Self.digest(components)
    }

    /// `metadata/timestamp.json` and other names without a version or a digest point to what changes.
    var cachePolicy: String {
        if text == "metadata/timestamp.json" { return CachePolicy.pointer }
        return text.hasPrefix("patches/") && text.hasSuffix("/full.zst") ? CachePolicy.replaced : CachePolicy.immutable
    }

    private static func digest(_ components: [String]) -> Digest? {
        guard let name = components.last else { return nil }
        switch components[0] {
        case "objects": return try? Digest(hex: name)
        case "targets": return try? Digest(hex: String(name.prefix { $0 != "." }))
        default: return nil
        }
    }

    /// What the names of the view are made of; every other path is refused before it is looked for.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
