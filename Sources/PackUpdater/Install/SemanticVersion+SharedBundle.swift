import PackFormat

extension SemanticVersion {
    /// Whether this is the version of a shared bundle that was made from its content: `0.0.0-h` and 16 hexadecimal
    /// digits. Such a bundle is installed with the packages that pin it and never alone.
    var isDerivedFromContent: Bool {
        guard major == 0, minor == 0, patch == 0, prerelease.count == 1, build.isEmpty else { return false }
        let text = prerelease[0].utf8
        return text.count == 17 && text.first == UInt8(ascii: "h")
            && text.dropFirst().allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
