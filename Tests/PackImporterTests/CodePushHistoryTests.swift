import Foundation
import PackFormat
import Testing

@testable import PackImporter

struct CodePushHistoryTests {
    /// What the command line prints of a deployment.
    private static let production = """
        [
          {"label": "v1", "appVersion": "1.x", "description": "First", "isDisabled": false, "isMandatory": false,
           "rollout": null, "packageHash": "aa", "size": 100, "uploadTime": 1614837600000, "releasedBy": "ann@example.com",
           "releaseMethod": "Upload", "blobUrl": "https://blobs.example.com/1", "manifestBlobUrl": "", "diffPackageMap": {},
           "metrics": {"active": 1.5}},
          {"label": "v2", "appVersion": "1.2.3", "description": "", "isDisabled": true, "isMandatory": true,
           "packageHash": "bb", "uploadTime": 1614924000000, "releaseMethod": "Promote", "originalLabel": "v7",
           "originalDeployment": "Staging"},
          {"label": "v3", "appVersion": "*", "rollout": 25, "packageHash": "aa", "uploadTime": "2021-03-06T06:00:00.5+01:00",
           "releaseMethod": "Rollback", "originalLabel": "v1"}
        ]
        """

    @Test func `a history becomes releases of its deployment`() throws {
        let fixture = try ExportFixture(["Production.json": Self.production], zips: ["v1.zip", "Production/v2.zip"])
        let releases = try fixture.read(.codepush).releases
        #expect(
            releases.map(\.summary) == [
                "0.0.1-production on Production app >=1.0.0 <2.0.0-0 from v1.zip",
                "0.0.2-production on Production app =1.2.3 mandatory disabled from Production/v2.zip",
                "0.0.3-production on Production 25 % from v1.zip",
            ])
        #expect(
            releases.map(\.origin) == [
                "CodePush Production v1", "CodePush Production v2, promoted from Staging v7",
                "CodePush Production v3, rolled back to v1",
            ])
        #expect(releases.map { $0.created?.timeIntervalSince1970 } == [1_614_837_600, 1_614_924_000, 1_615_006_800.5])
        #expect(releases.map(\.content) == [.codePush("aa"), .codePush("bb"), .codePush("aa")])
    }

    @Test func `App Center's words and a server's envelope are read too`() throws {
        let fixture = try ExportFixture(
            [
                "Staging.json": """
                {"history": [{"label": "v10", "target_binary_range": "^2.1.0", "is_mandatory": true, "package_hash": "CC",
                  "upload_time": 1614837600000, "release_method": "Upload"}, {"label": "v9", "package_hash": "dd"}]}
                """
            ], zips: ["cc.zip", "Staging/dd.zip", "CC.zip"])
        #expect(
            try fixture.read(.codepush).releases.map(\.summary) == [
                "0.0.9-staging on Staging from Staging/dd.zip",
                "0.0.10-staging on Staging app >=2.1.0 <3.0.0-0 mandatory from CC.zip",
            ])
    }

    @Test func `labels of two deployments are different versions, and need folders`() throws {
        let list = #"[{"label": "v1", "packageHash": "aa"}]"#
        let fixture = try ExportFixture(["Staging.json": list, "Production.json": list], zips: ["Staging/v1.zip"])
        // Of one content: one zip is enough.
        #expect(
            try fixture.read(.codepush).releases.map(\.summary) == [
                "0.0.1-production on Production from Staging/v1.zip", "0.0.1-staging on Staging from Staging/v1.zip",
            ])
        let loose = try ExportFixture(["Staging.json": list, "Production.json": list], zips: ["v1.zip"])
        #expect(loose.fault(.codepush).hasPrefix("2 zips are missing: Production/v1.zip, Staging/v1.zip."))
        #expect(loose.fault(.codepush).contains("--skip-missing"))
    }

    @Test func `a release without a zip is left out only if that is said`() throws {
        let list = #"[{"label": "v1", "packageHash": "aa"}, {"label": "v2", "packageHash": "bb"}]"#
        let fixture = try ExportFixture(["Production.json": list], zips: ["v2.zip", "other.zip"])
        #expect(fixture.fault(.codepush).contains("Production/v1.zip"))
        let export = try fixture.read(.codepush, skipsMissing: true)
        #expect(export.releases.map(\.version.description) == ["0.0.2-production"])
        #expect(
            export.notes == [
                "without a zip, and not imported: Production/v1.zip",
                "1 zip is in no list, and not imported: other.zip",
            ])
    }

    @Test(arguments: [
        (#"[{"appVersion": "1.0.0"}]"#, "Production.json: entry 1: it has no label, such as v12"),
        (#"[{"label": "1.0"}]"#, "Production.json: entry 1: \"1.0\" is not a label such as v12"),
        (#"[{"label": "v01"}]"#, "Production.json: entry 1: \"v01\" is not a label such as v12"),
        (#"[{"label": 7}]"#, "Production.json: entry 1, label: it is not a text"),
        (#"[{"label": "v1", "rollout": 101}]"#, "Production.json: entry 1: the rollout is not 0 to 100 percent"),
        (#"[{"label": "v1", "uploadTime": "soon"}]"#, "\"soon\" is not a time"),
        (#"[{"label": "v1", "appVersion": "1.0 || 2.0"}]"#, "the app versions \"1.0 || 2.0\" are several ranges"),
        (#"[{"label": "v1", "appVersion": "new"}]"#, "\"new\" is not a range of app versions"),
        ("[", "Production.json: it is not JSON"),
        (#"{"text": 1}"#, "Production.json: the field \"releases\" is missing"),
    ])
    func `what is wrong in a history is named with its place`(list: String, fault: String) throws {
        let fixture = try ExportFixture(["Production.json": list], zips: ["v1.zip"])
        #expect(fixture.fault(.codepush).contains(fault), "\(fixture.fault(.codepush))")
    }
}
