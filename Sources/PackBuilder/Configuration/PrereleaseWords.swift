import PackFormat

/// What makes a prerelease of a version: `ci.17` makes 1.4.0-ci.17 of 1.4.0.
package struct PrereleaseWords: Hashable, Sendable {
    package let text: String

    /// - Throws: `FormatError` for a text that is no prerelease of a version (SemVer 2.0.0, section 9).
    package init(_ text: String) throws {
        let version = try SemanticVersion("0.0.0-\(text)")
        // A `+` would begin the metadata of a build.
        guard !version.prerelease.isEmpty, !text.contains("+") else {
            throw FormatError.invalidVersion(text, reason: "it is no prerelease: write words such as ci.17")
        }
        self.text = text
    }
}

extension SemanticVersion {
    /// 1.4.0 and `ci.17` make 1.4.0-ci.17; 1.4.0-beta makes 1.4.0-beta.ci.17.
    func with(_ prerelease: PrereleaseWords) throws -> SemanticVersion {
        let parts = description.split(separator: "+", maxSplits: 1)
        let text = parts.first.map(String.init) ?? ""
        let build = parts.count > 1 ? "+\(parts[1])" : ""
        return try SemanticVersion(text + (text.contains("-") ? "." : "-") + prerelease.text + build)
    }
}
