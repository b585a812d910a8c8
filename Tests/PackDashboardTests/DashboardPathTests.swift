import Foundation
import PackFormat
import Testing

@testable import PackDashboard
@testable import PackRegistryAPI

struct DashboardPathTests {
    /// The address as a server takes it apart.
    static func parse(_ text: String) throws -> DashboardPath {
        let parts = text.split(separator: "?", maxSplits: 1)
        let components = parts[0].split(separator: "/").map { $0.removingPercentEncoding ?? "" }
        var query: [String: String] = [:]
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = pair.split(separator: "=", maxSplits: 1)
            query[String(pair[0])] = String(pair[1]).removingPercentEncoding ?? ""
        }
        return try DashboardPath(components, query)
    }

    static func paths() throws -> [DashboardPath] {
        let (package, channel) = (try PackageID("shop"), try ChannelName("stable"))
        let version = try SemanticVersion("1.2.0-rc.1+build.5")
        let verbs: [DashboardVerb] =
            try DashboardVerb.Word.allCases.map { .rollout($0, package, channel, version) } + [
                .share(Share("12.25"), package, channel, version), .rollBack(package, channel, to: nil),
                .rollBack(package, channel, to: version), .rollBackToEmbedded(package, channel),
                .promote(package, version, from: channel, to: ChannelName("beta"), .whole),
                .gate(package, channel, isOn: true), .gate(package, channel, isOn: false), .withdraw(package, version),
                .revokeToken("t&1=<x>"), .approve(7), .reject(8),
            ]
        return try [
            .home(page: 1), .home(page: 7), .channel(channel, page: 2), .offer(channel, package),
            .package(package, page: 1), .version(package, version), .audit(page: 3), .changes(isAll: false),
            .changes(isAll: true), .change(12), .tokens, .device(nil),
            .device(ReportID("00000000000000000000000000000001")), .perform, .signIn, .signOut, .icon,
        ] + verbs.map { .verb($0) }
    }

    @Test func `every address leads to its page`() throws {
        for path in try Self.paths() { #expect(try Self.parse(path.text) == path, "\(path.text)") }
        #expect(try Self.parse(DashboardPath.style.text) == .style)
    }

    @Test(arguments: [
        "/x", "/dashboard/x", "/dashboard/channels", "/dashboard/channels/a/b", "/dashboard/channels/a/packages/%",
        "/dashboard/packages/UPPER!", "/dashboard/packages/shop/versions/1", "/dashboard/audit?page=0",
        "/dashboard/audit?page=999999999", "/dashboard/device?id=12",
        "/dashboard/do?verb=explode", "/dashboard/do?verb=share&package=shop&channel=a&version=1.0.0&percent=101",
        "/dashboard/do?verb=gate-on&package=shop",
    ])
    func `an address that no page has is refused`(text: String) {
        #expect(throws: DashboardFault.self) { try Self.parse(text) }
    }

    @Test(arguments: [0, 2, 3, 100, 101, 999, 12_345, 1 << 40])
    func `the top of a chart is a round number above all values`(value: Int) {
        #expect(LineChart.ceiling(value) >= max(1, value))
        if value > 0 { #expect(LineChart.ceiling(value) <= max(2, value * 2)) }
    }

    @Test func `numbers are written for people`() {
        #expect(Words.count(1_234_567) == "1\u{202F}234\u{202F}567")
        #expect(Words.count(1, "device") == "1 device" && Words.count(2, "device") == "2 devices")
        #expect(Words.bytes(999) == "999 B" && Words.bytes(1500) == "1.5 kB" && Words.bytes(2_000_000) == "2 MB")
        #expect(Words.change(1500) == "+1.5 kB" && Words.change(-20) == "\u{2212}20 B")
        #expect(CountText.share(1, of: 3) == "33 %" && CountText.share(1, of: 250) == "0.4 %")
        #expect(CountText.share(1, of: 0) == "–" && CountText.share(199, of: 200) == "99.5 %")
        #expect(CountText.share(9_999, of: 10_000) == "99.9 %" && CountText.share(1, of: 10_000) == "0.1 %")
        #expect(Words.date(1_800_000_000) == "2027-01-15 08:00")
    }
}
