package import Foundation
package import PackFormat

/// The systems that an export can come from.
package enum ExportSystem: String, CaseIterable, Sendable {
    case capgo
    case codepush
    /// Zips of any other origin, with or without a list that a person wrote.
    case zips

    var name: String {
        switch self {
        case .capgo: "Capgo"
        case .codepush: "CodePush"
        case .zips: "zips"
        }
    }
}

/// One version of another system on one of its channels, as the export tells it.
package struct ExportedRelease: Hashable, Sendable {
    /// How the other system knows the content.
    package enum Content: Hashable, Sendable {
        /// The SHA-256 of the zip.
        case zip(Digest)
        /// The package hash of CodePush: of the paths and files in the zip.
        case codePush(String)
        /// The zip is encrypted for the app.
        case encrypted
    }

    package let file: ExportFile
    package let version: SemanticVersion
    /// The channel or deployment by the other system's name; nil if the export names none.
    package var channel: String?
    /// When the other system released it; nil if the export does not say.
    package var created: Date?
    /// What the other system calls it, such as `CodePush Production v12`; nil for a version without another name.
    package var origin: String?
    /// What the publisher wrote about it.
    package var words: String?
    package var requiredApp: VersionRange?
    package var share = Share.whole
    package var isMandatory = false
    /// The other system did not offer it any more.
    package var isDisabled = false
    package var content: Content?

    package init(file: ExportFile, version: SemanticVersion) {
        self.file = file
        self.version = version
    }
}

/// What an export says.
package struct Export: Sendable {
    /// In the order of the export's lists.
    package var releases: [ExportedRelease] = []
    /// The version that a channel offers, where the export says so: what came later was taken back.
    package var last: [String: SemanticVersion] = [:]
    /// What was left out, a sentence each.
    package var notes: [String] = []
}
