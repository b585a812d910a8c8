/// A version as defined by Semantic Versioning 2.0.0.
///
/// The order is SemVer's precedence (section 11). Build metadata matters only for equality, so two versions that
/// differ in it are different versions of the same precedence.
public struct SemanticVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The longest accepted text in bytes. The limit exists because file names contain versions.
    public static let maximumLength = 128

    public let major: UInt64
    public let minor: UInt64
    public let patch: UInt64
    public let prerelease: [String]
    public let build: [String]

    /// - Throws: ``FormatError/invalidVersion(_:reason:)``
    public init(_ text: String) throws(FormatError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw .invalidVersion(
                String(text.prefix(40)) + "…", reason: "it is longer than \(Self.maximumLength) bytes")
        }
        if let (major, minor, patch) = Self.plainNumbers(text) {
            (self.major, self.minor, self.patch) = (major, minor, patch)
            (prerelease, build) = ([], [])
            return
        }
        let plus = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        let core = plus[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = core[0].split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3 else {
            throw .invalidVersion(text, reason: "it needs three numbers separated by dots")
        }
        var parsed: [UInt64] = []
        for number in numbers {
            guard Self.isNumeric(number), let value = UInt64(number) else {
                throw .invalidVersion(text, reason: "\"\(number)\" is not a number without leading zeros")
            }
            parsed.append(value)
        }
        major = parsed[0]
        minor = parsed[1]
        patch = parsed[2]
        prerelease = try core.count > 1 ? Self.identifiers(core[1], numeric: true, of: text) : []
        build = try plus.count > 1 ? Self.identifiers(plus[1], numeric: false, of: text) : []
    }

    /// The numbers of `1.2.3`, which almost every version is: a large registry has a hundred thousand of them. Nil for all others.
    private static func plainNumbers(_ text: String) -> (UInt64, UInt64, UInt64)? {
        var numbers: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var (number, digits, dots) = (UInt64(0), 0, 0)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                // No zero at the beginning, and nothing near the end of the type.
                guard digits == 0 || number > 0, digits < 18 else { return nil }
                number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
                digits += 1
            case UInt8(ascii: "."):
                guard digits > 0, dots < 2 else { return nil }
                if dots == 0 { numbers.0 = number } else { numbers.1 = number }
                (number, digits, dots) = (0, 0, dots + 1)
            default: return nil
            }
        }
        guard digits > 0, dots == 2 else { return nil }
        numbers.2 = number
        return numbers
    }

    public var description: String {
        "\(major).\(minor).\(patch)"
            + (prerelease.isEmpty ? "" : "-" + prerelease.joined(separator: "."))
            + (build.isEmpty ? "" : "+" + build.joined(separator: "."))
    }

    public static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        let leftCore = (left.major, left.minor, left.patch)
        let rightCore = (right.major, right.minor, right.patch)
        if leftCore != rightCore { return leftCore < rightCore }
        if left.prerelease.isEmpty || right.prerelease.isEmpty {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        for (a, b) in zip(left.prerelease, right.prerelease) where a != b {
            switch (Self.isNumeric(a[...]), Self.isNumeric(b[...])) {
            case (true, true): return (a.utf8.count, a) < (b.utf8.count, b)
            case (true, false): return true
            case (false, true): return false
            case (false, false): return a.utf8.lexicographicallyPrecedes(b.utf8)
            }
        }
        return left.prerelease.count < right.prerelease.count
    }

    private static func identifiers(
        _ text: Substring, numeric: Bool, of version: String
    ) throws(FormatError) -> [String] {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        for part in parts {
            let allowed = part.utf8.allSatisfy { byte in
                isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
            }
            guard allowed, !part.isEmpty else {
                throw .invalidVersion(version, reason: "\"\(part)\" is not letters, digits and hyphens")
            }
            if numeric, part.utf8.allSatisfy(isDigit), !isNumeric(part) {
                throw .invalidVersion(version, reason: "the number \"\(part)\" has a leading zero")
            }
        }
        return parts.map(String.init)
    }

    private static func isNumeric(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isDigit) && (text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0"))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
