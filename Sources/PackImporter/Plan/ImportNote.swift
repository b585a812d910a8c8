import Foundation
import PackFormat
import PackRegistryAPI

/// The note of an imported version: where it comes from and when it was released there, which the registry has no fields for,
/// then what its publisher wrote.
enum ImportNote {
    /// `CodePush Production v12, 2021-03-04T05:06:07Z: Less waiting`, on one line and cut to what a note can have.
    static func note(of release: ExportedRelease) -> VersionNote {
        let time = release.created.map { $0.formatted(Date.ISO8601FormatStyle()) }
        let source = [release.origin ?? (time == nil ? nil : "imported"), time].compactMap(\.self).joined(
            separator: ", ")
        let words = line(release.words ?? "")
        let text = [source, words].filter { !$0.isEmpty }.joined(separator: ": ")
        guard !text.isEmpty else { return .none }
        return (try? VersionNote(text: cut(text), commit: nil)) ?? .none
    }

    /// What has line breaks, on one line.
    private static func line(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            scalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(scalars).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > VersionNote.maximumLength else { return text }
        var kept = text
        while kept.utf8.count > VersionNote.maximumLength - 3 { kept.removeLast() }
        return kept + "…"
    }
}
