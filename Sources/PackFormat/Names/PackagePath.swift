#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// The path of a file inside a package: relative, UTF-8 in Unicode form NFC, separated by `/`.
///
/// No component is empty, `.` or `..`, and none contains `\`, `:`, NUL or a control character. So a path can be
/// joined to any folder, on any file system, and stays inside it. Paths are ordered by their bytes.
public struct PackagePath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The longest path in bytes of UTF-8.
    public static let maximumLength = 1024
    /// The longest component in bytes of UTF-8, the limit of ext4, XFS and APFS.
    public static let maximumComponentLength = 255

    public let text: String

    /// - Throws: ``FormatError/invalidPath(_:reason:)``
    public init(_ text: String) throws(FormatError) {
        if let reason = Self.fault(of: text) { throw .invalidPath(text, reason: reason) }
        self.text = text
    }

    /// The components, split at the byte `/`, because a slash with a combining mark is a different `Character`.
    public var components: [Substring] {
        text.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    /// The last component.
    public var name: Substring {
        let bytes = text.utf8
        return Substring(
            bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex)...])
    }

    /// The part of the name after the last dot, in lower case; empty if there is no dot.
    public var fileExtension: String {
        let name = name.utf8
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return "" }
        return Substring(name[name.index(after: dot)...]).lowercased()
    }

    /// Two paths with the same key cannot both exist on a file system that ignores case or Unicode form
    /// (APFS, HFS+, NTFS): NFKC with full case folding.
    public var collisionKey: String {
        var isLower = true
        var isASCII = true
        for byte in text.utf8 {
            if byte >= 0x80 { isASCII = false }
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { isLower = false }
        }
        if isASCII { return isLower ? text : text.lowercased() }
        let compatible = text.compatiblyComposed
        var folded = String.UnicodeScalarView()
        for scalar in compatible.unicodeScalars {
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return String(folded).compatiblyComposed
    }

    public var description: String { text }

    // By bytes: the text is NFC, so this is also String's own equality, only faster.
    public static func == (left: PackagePath, right: PackagePath) -> Bool {
        left.text.utf8.count == right.text.utf8.count && order(left, right) == 0
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    public static func < (left: PackagePath, right: PackagePath) -> Bool { order(left, right) < 0 }

    /// Below, at or above 0, as `memcmp` says it; of two that begin alike the shorter one is first.
    private static func order(_ left: PackagePath, _ right: PackagePath) -> Int {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return 0 }
                let common = Int(memcmp(leftStart, rightStart, min(left.count, right.count)))
                return common != 0 ? common : left.count - right.count
            }
        }
    }

    private static func faultOfComponent(length: Int, dots: Int) -> String? {
        if length == 0 { return "a component is empty" }
        if length <= 2, dots == length { return "a component is \".\" or \"..\"" }
        if length > maximumComponentLength { return "a component is longer than \(maximumComponentLength) bytes" }
        return nil
    }

    private static func fault(of text: String) -> String? {
        let bytes = text.utf8
        if bytes.isEmpty { return "it is empty" }
        if bytes.count > maximumLength { return "it is longer than \(maximumLength) bytes" }
        if bytes.first == UInt8(ascii: "/") { return "it is absolute" }
        var (length, dots) = (0, 0)
        for byte in bytes {
            if byte == UInt8(ascii: "/") {
                if let reason = faultOfComponent(length: length, dots: dots) { return reason }
                (length, dots) = (0, 0)
            } else {
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        if let reason = faultOfComponent(length: length, dots: dots) { return reason }
        var isASCII = true
        for byte in bytes {
            if byte < 0x20 || byte == 0x7F { return "it contains a control character" }
            if byte == UInt8(ascii: "\\") { return "it contains a backslash" }
            if byte == UInt8(ascii: ":") { return "it holds a colon" }
            if byte >= 0x80 { isASCII = false }
        }
        if isASCII { return nil }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "it contains a control character"
        }
        if !text.canonicallyComposed.utf8.elementsEqual(bytes) {
            return "it is not in Unicode form NFC"
        }
        return nil
    }
}
