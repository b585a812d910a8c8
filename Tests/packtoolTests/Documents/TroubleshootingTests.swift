import Foundation
import Testing

/// docs/TROUBLESHOOTING.md against the messages of the sources.
struct TroubleshootingTests {
    /// The texts of all literals, those that are joined with `+` as one.
    private static func literals() throws -> String {
        let folder = Tool.project.appendingPathComponent("Sources")
        var text = ""
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" {
            text += try String(contentsOf: file, encoding: .utf8)
        }
        return text.replacing(/"\s*\n\s*\+ "/, with: "").replacing("\\\"", with: "\"")
    }

    @Test func `every message of the page is one that packtool prints`() throws {
        let page = Tool.project.appendingPathComponent("docs/TROUBLESHOOTING.md")
        let literals = try Self.literals()
        let headings = try String(contentsOf: page, encoding: .utf8).matches(of: /(?m)^### (?:`` ?(.+?) ?``|`(.+)`)$/)
            .map { String($0.output.1 ?? $0.output.2 ?? "") }
        #expect(headings.count > 60)
        for heading in headings {
            let parts = heading.components(separatedBy: "…").filter { $0.count >= 12 }
            #expect(!parts.isEmpty, "\(heading) has no words to search for")
            // The texts are long: of a part that is not there only the part is told.
            for part in parts where !literals.contains(part) { Issue.record("no message has “\(part)” (\(heading))") }
        }
    }
}
