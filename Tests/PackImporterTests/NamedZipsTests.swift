import Foundation
import PackFormat
import Testing

@testable import PackImporter

struct NamedZipsTests {
    @Test func `names say the version, and folders the channel`() throws {
        let fixture = try ExportFixture(
            ["stable/readme.txt": "", "stable/deep/9.0.0.zip": ""],
            zips: ["1.10.0.zip", "stable/1.9.0.zip", "stable/v1.2.0.zip", ".hidden.zip"])
        #expect(
            try fixture.read(.zips).releases.map(\.summary) == [
                "1.2.0 on stable from stable/v1.2.0.zip", "1.9.0 on stable from stable/1.9.0.zip",
                "1.10.0 from 1.10.0.zip",
            ])
    }

    @Test func `a label of CodePush needs its deployment`() throws {
        let fixture = try ExportFixture(zips: ["Production/v2.zip", "Production/v10.zip"])
        #expect(
            try fixture.read(.codepush).releases.map(\.summary) == [
                "0.0.2-production on Production from Production/v2.zip",
                "0.0.10-production on Production from Production/v10.zip",
            ])
        let loose = try ExportFixture(zips: ["v2.zip"])
        #expect(loose.fault(.codepush).contains("Production/v2.zip"))
    }

    @Test func `links, other files and empty folders are no export`() throws {
        let fixture = try ExportFixture(zips: ["name.zip"])
        #expect(fixture.fault(.zips).hasPrefix("name.zip: \"name\" gives no version"))
        let empty = try ExportFixture(["a.txt": ""])
        #expect(empty.fault(.zips).contains("has no zips"))
        try FileManager.default.createSymbolicLink(
            at: empty.url.appending(path: "1.0.0.zip"), withDestinationURL: URL(filePath: "/etc/hostname"))
        try FileManager.default.createSymbolicLink(
            at: empty.url.appending(path: "stable"), withDestinationURL: fixture.url)
        #expect(empty.fault(.zips).contains("has no zips"))
        #expect(
            throws: ImportError.notAFolder("/no/such/folder"),
            performing: {
                try ExportReader(folder: URL(filePath: "/no/such/folder"), system: .zips).read()
            })
    }
}
