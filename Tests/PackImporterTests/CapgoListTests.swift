import Foundation
import PackFormat
import Testing

@testable import PackImporter

struct CapgoListTests {
    private static let digest = String(repeating: "0a", count: 32)

    /// Rows as the API answers.
    private static let bundles = """
        [
          {"id": 3, "app_id": "com.example.shop", "name": "1.2.0", "created_at": "2024-05-03T10:00:00.123456+00:00",
           "deleted": false, "checksum": "\(digest)", "session_key": null, "comment": "Search", "storage_provider": "r2",
           "r2_path": "orgs/1/apps/shop/1.2.0.zip", "native_packages": [{"name": "a", "version": "1.5"}]},
          {"id": 2, "app_id": "com.example.shop", "name": "1.1.0", "created_at": "2024-05-02T10:00:00+00:00",
           "checksum": "9f3a11b2", "session_key": ""},
          {"id": 1, "app_id": "com.example.shop", "name": "1.0.0", "created_at": "2024-05-01T10:00:00+00:00"},
          {"id": 9, "app_id": "com.example.shop", "name": "0.9.0", "created_at": "2024-04-01T10:00:00+00:00", "deleted": true},
          {"id": 10, "app_id": "com.example.shop", "name": "builtin", "created_at": "2024-04-01T10:00:00+00:00"}
        ]
        """

    @Test func `bundles are on the channels that have them`() throws {
        let fixture = try ExportFixture(
            [
                "bundles.json": Self.bundles,
                "channels.json": """
                [{"id": 1, "name": "production", "public": true, "version": {"id": 2, "name": "1.1.0"}},
                 {"id": 2, "name": "beta", "version": {"id": 3, "name": "1.2.0"}},
                 {"id": 3, "name": "empty", "version": {"id": 10, "name": "builtin"}}]
                """,
            ], zips: ["1.0.0.zip", "com.example.shop_1.1.0.zip", "beta/1.2.0.zip"])
        let export = try fixture.read(.capgo)
        #expect(
            export.releases.map(\.summary) == [
                "1.2.0 on beta from beta/1.2.0.zip", "1.1.0 on production from com.example.shop_1.1.0.zip",
                "1.0.0 from 1.0.0.zip",
            ])
        #expect(export.releases.map(\.content) == [.zip(try Digest(hex: Self.digest)), nil, nil])
        #expect(export.releases[0].created == Date(timeIntervalSince1970: 1_714_730_400.123456))
        #expect(export.releases[0].words == "Search")
        #expect(try export.last == ["production": SemanticVersion("1.1.0"), "beta": SemanticVersion("1.2.0")])
        #expect(export.notes == ["deleted in Capgo, and not imported: 0.9.0"])
    }

    @Test func `further pages are read, and an encrypted bundle is known as one`() throws {
        let fixture = try ExportFixture(
            [
                "bundles.json": #"[{"name": "1.0.0", "session_key": "iv:key", "checksum": "\#(Self.digest)"}]"#,
                "bundles-2.json": #"[{"name": "1.1.0", "channel": "beta"}]"#,
            ], zips: ["1.0.0.zip", "1.1.0.zip"])
        let releases = try fixture.read(.capgo).releases
        #expect(releases.map(\.summary) == ["1.0.0 from 1.0.0.zip", "1.1.0 on beta from 1.1.0.zip"])
        #expect(releases.map(\.content) == [.encrypted, nil])
    }

    @Test func `a name that is no version, and a zip that is missing, are told with what to do`() throws {
        let named = try ExportFixture(["bundles.json": #"[{"name": "next"}]"#], zips: ["next.zip"])
        #expect(named.fault(.capgo).hasPrefix("bundles.json: entry 1: \"next\" gives no version"))
        #expect(named.fault(.capgo).contains("import.csv"))
        let missing = try ExportFixture(["bundles.json": #"[{"name": "1.0.0"}]"#], zips: ["2.0.0.zip"])
        #expect(missing.fault(.capgo).hasPrefix("1 zip is missing: 1.0.0.zip. capgo bundle download"))
        let wrong = try ExportFixture(["bundles.json": #"{"status": "Missing app_id"}"#], zips: ["2.0.0.zip"])
        #expect(wrong.fault(.capgo) == "bundles.json: it is not a list")
    }
}
