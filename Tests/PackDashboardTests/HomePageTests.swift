import Foundation
import PackFormat
import Testing

@testable import PackDashboard
@testable import PackRegistryAPI

struct HomePageTests {
    /// The text of the first page for versions of one package, the newest first; true: withdrawn.
    private static func page(_ versions: [(String, Bool)]) throws -> String {
        let published = Date(timeIntervalSince1970: 1_800_000_000)
        let shop = try PackageID("shop")
        let overview = RegistryOverview(
            app: "app",
            versions: [
                shop: try versions.map { version, isWithdrawn in
                    try RegistryOverview.Version(
                        version: SemanticVersion(version), manifest: Digest(of: Array(version.utf8)),
                        published: published,
                        publishedBy: "ann", fileCount: 1, size: 1, fullSize: 1, archiveSize: 1,
                        withdrawn: isWithdrawn ? "broken" : nil, note: .none)
                }
            ],
            channels: [try ChannelName("beta"): [shop: []]])
        let page = HomePage(overview: overview, rollouts: [], number: 1).page
        return String(decoding: page.document(app: "app", nil), as: UTF8.self)
    }

    @Test func `a package's newest version is none that was withdrawn`() throws {
        let page = try Self.page([("1.2.0", true), ("1.1.0", false), ("1.0.0", false)])
        #expect(page.contains("1.1.0") && !page.contains("1.2.0") && !page.contains("withdrawn"), "\(page)")
        let only = try Self.page([("1.2.0", true), ("1.1.0", true)])
        #expect(only.contains("1.2.0") && only.contains("withdrawn"), "\(only)")
    }
}
