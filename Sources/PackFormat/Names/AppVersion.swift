/// A version as app stores and operating systems write them: `1.0`, `2024.3.1 (17)`, `17.4.1`, `3.2.0-beta.2`.
///
/// The order: the numbers from left to right, a missing one counting as 0; then a pre-release (`-beta.2`) before none, two of
/// them as SemVer compares them; then the build number, a missing one counting as 0. Versions of the same order are equal.
public struct AppVersion: ComparableVersion {
    /// The longest accepted text in bytes.
    public static let maximumLength = 64
    private static let maximumNumberCount = 8

    private let numbers: [UInt64]
    private let prerelease: SemanticVersion?
    private let build: UInt64
    private let text: String

    /// - Throws: ``FormatError/invalidAppVersion(_:)``
    public init(_ text: String) throws(FormatError) {
        guard text.utf8.count <= Self.maximumLength else { throw .invalidAppVersion(String(text.prefix(40)) + "…") }
        var rest = text[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        if rest.first == "v" || rest.first == "V" { rest.removeFirst() }
        var build: UInt64 = 0
        if rest.last == ")", let open = rest.lastIndex(of: "(") {
            guard let number = UInt64(rest[rest.index(after: open)...].dropLast()) else {
                throw .invalidAppVersion(text)
            }
            build = number
            rest = rest[..<open]
            while rest.last == " " { rest.removeLast() }
        } else if let plus = rest.firstIndex(of: "+") {
            // Build metadata that is no number orders nothing.
            build = UInt64(rest[rest.index(after: plus)...]) ?? 0
            rest = rest[..<plus]
        }
        let parts = rest.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var numbers: [UInt64] = []
        for part in parts.first?.split(separator: ".", omittingEmptySubsequences: false) ?? [] {
            guard part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = UInt64(part)
            else { throw .invalidAppVersion(text) }
            numbers.append(number)
        }
        guard (1...Self.maximumNumberCount).contains(numbers.count) else { throw .invalidAppVersion(text) }
        var prerelease: SemanticVersion?
        if parts.count == 2 {
            prerelease = try? SemanticVersion("0.0.0-\(parts[1])")
            guard prerelease != nil else { throw .invalidAppVersion(text) }
        }
        self.prerelease = prerelease
        while numbers.last == 0, numbers.count > 1 { numbers.removeLast() }
        self.numbers = numbers
        self.build = build
        self.text = text
    }

    public var description: String { text }

    /// The first two numbers, such as `17.4`: many devices have them in common.
    package var coarse: String { numbers.prefix(2).map(String.init).joined(separator: ".") }

    /// Without build metadata (`+…`), which could name one build of one person.
    package var withoutMetadata: String { text.split(separator: "+").first.map(String.init) ?? text }

    public static func < (left: AppVersion, right: AppVersion) -> Bool {
        for index in 0..<max(left.numbers.count, right.numbers.count) {
            let (a, b) = (left.number(index), right.number(index))
            if a != b { return a < b }
        }
        switch (left.prerelease, right.prerelease) {
        case (let a?, let b?) where a < b || b < a: return a < b
        case (_?, nil): return true
        case (nil, _?): return false
        default: return left.build < right.build
        }
    }

    public static func == (left: AppVersion, right: AppVersion) -> Bool { !(left < right) && !(right < left) }

    public func hash(into hasher: inout Hasher) {
        // Without what equal versions may differ in.
        hasher.combine(numbers)
        hasher.combine(build)
    }

    private func number(_ index: Int) -> UInt64 { index < numbers.count ? numbers[index] : 0 }
}
