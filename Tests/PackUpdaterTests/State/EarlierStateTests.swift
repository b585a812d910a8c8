import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// `state.json` as packtool 0.1.0 wrote it: an app that is updated goes on with it.
struct EarlierStateTests {
    private static func digest(_ digit: Character) -> String { String(repeating: digit, count: 64) }

    private static let text = """
        {"format": 1, "device": "d1", "app": "shop", "presets": ["\(digest("a"))"], "packages": {
          "shop": {
            "active": {"version": "1.1.0", "manifest": "\(digest("b"))", "release": "2-5ac1e2f0", "retry": 1, "confirmed": false,
                       "starts": 1, "loads": ["load-1"], "since": 1795460722000},
            "previous": {"version": "1.0.0", "manifest": "\(digest("c"))", "release": "1-0b7d2f11"},
            "embedded": {"version": "0.9.0", "manifest": "\(digest("d"))"},
            "staged": {"version": "1.2.0", "manifest": "\(digest("e"))", "release": "3-77aa0012"},
            "failures": [{"version": "1.0.5", "manifest": "\(digest("f"))", "release": "9-77aa0013", "reason": "it was not confirmed"}],
            "offered": {"version": "1.2.0", "manifest": "\(digest("e"))"}, "decision": "release 3-77aa0012 of 1.2.0"},
          "help": {"staged": {"release": "4-77aa0014"}, "enabled": false, "wanted": true,
                   "unproven": {"version": "2.0.0", "manifest": "\(digest("1"))", "pages": false}}}}
        """

    /// The same for each order of members and each spacing.
    private func plain(_ bytes: [UInt8]) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(bytes))
        return try String(decoding: JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
    }

    @Test func `all that it says is read, nothing is added, and it is written as it was`() throws {
        let state = try StoreState(parsing: Array(Self.text.utf8))
        #expect(state.deviceID == "d1" && state.app == "shop" && state.presets.count == 1)
        #expect(state.rules == nil && state.poll == nil && state.appVersion == nil)
        let (shop, help) = try (state[PackageID("shop")], state[PackageID("help")])
        #expect(shop.active?.id.version.description == "1.1.0" && shop.active?.isConfirmed == false)
        #expect(shop.previous?.id.version.description == "1.0.0" && shop.embedded?.release == nil)
        #expect(shop.failures.map(\.id.version.description) == ["1.0.5"])
        #expect(shop.isEnabled && !help.isEnabled && help.isWanted)
        #expect(shop.beforeSets.isEmpty && shop.awaitedSet == nil && shop.delay == nil)
        // An app that goes back to its earlier version reads it, too.
        #expect(try plain(state.bytes) == plain(Array(Self.text.utf8)))
    }

    @Test func `a version that failed before the app was updated is tried again only by a newer release or a retry`()
        throws
    {
        let state = try StoreState(parsing: Array(Self.text.utf8))[PackageID("shop")]
        let failed = try VersionID(version: SemanticVersion("1.0.5"), manifest: Digest(hex: Self.digest("f")))
        func release(_ id: String, retry: Int = 0) throws -> Release {
            try Release(id: id, offer: .version(failed.version, manifest: failed.manifest), retry: retry)
        }
        let same = try release("9-77aa0013")
        #expect(state.failure(blocking: same, in: [same]) != nil)
        let again = try release("9-77aa0013", retry: 1)
        #expect(state.failure(blocking: again, in: [again]) == nil)
        let newer = try release("10-77aa0015")
        #expect(state.failure(blocking: newer, in: [newer]) == nil)
    }
}
