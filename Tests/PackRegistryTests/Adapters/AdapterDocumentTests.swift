import Foundation
import Testing

@testable import PackDashboard
@testable import PackRegistryServer

/// `docs/ADAPTERS.md` says of each system what the dashboard says.
@Suite("AdapterDocumentTests") struct AdapterDocumentTests {
    private static let head = [
        "`--adapter`", "system", "shares and groups", "reports and gates", "back to the app's own pages",
    ]

    private static func lines() throws -> [String] {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return try String(contentsOf: folder.appending(path: "docs/ADAPTERS.md"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `the document's table has each system as the dashboard shows it`() throws {
        let lines = try Self.lines()
        let start = try #require(lines.firstIndex { Self.cells($0) == Self.head })
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { Self.cells($0) }
        let known = AdapterKind.allCases.map { kind in
            let system = kind.system
            return ["`\(kind.rawValue)`", system.name]
                + [system.namesDevices, system.reports, system.returnsToApp].map { $0 ? "yes" : "no" }
        }
        #expect(rows == known)
        for kind in AdapterKind.allCases {
            let shown = try #require(OtherSystemsSection(systems: [kind.system]).html).text
            let row = try #require(rows.first { $0.first == "`\(kind.rawValue)`" })
            let cells = row.dropFirst(2).map { "<td>\($0)</td>" }.joined()
            #expect(shown.contains(#"<th scope="row">\#(row[1])</th><td>no</td>\#(cells)</tr>"#), "\(shown)")
        }
    }

    @Test(arguments: AdapterKind.allCases)
    func `each system has a chapter of its name, and its word in the options`(kind: AdapterKind) throws {
        let lines = try Self.lines()
        #expect(lines.contains("## \(kind.system.name)"))
        let option = try #require(lines.first { $0.hasPrefix("| `--adapter SYSTEM` |") })
        #expect(option.contains("`\(kind.rawValue)`"))
    }
}
