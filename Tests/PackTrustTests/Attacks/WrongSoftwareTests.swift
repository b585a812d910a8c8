import Foundation
import PackTrust
import Testing

struct WrongSoftwareTests {
    private func served() throws -> (TrustFixture, String) {
        let device = try TrustFixture()
        device.repository.add("dir/app.zip", "the real thing")
        try device.repository.publishNext()
        let path = try #require(device.repository.files.keys.first { $0.hasPrefix("targets/") })
        return (device, path)
    }

    @Test(arguments: ["the fake thing", "the real thing and more", "", "the real thinG"])
    func `a file other than the signed one is refused`(content: String) async throws {
        let (device, path) = try served()
        device.repository.files[path] = Array(content.utf8)
        await #expect {
            try await device.target("dir/app.zip")
        } throws: { error in
            if case TrustError.mismatch(name: "dir/app.zip", _) = error { true } else { false }
        }
    }

    @Test func `a signed file that is not there is an error`() async throws {
        let (device, path) = try served()
        device.repository.files[path] = nil
        await #expect(throws: TrustError.missing(name: path)) { try await device.target("dir/app.zip") }
    }

    @Test func `every hash listed must be known and equal`() async throws {
        let content = Array("x".utf8)
        let sha256 = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
        let sha512 =
            "a4abd4448c49562d828115d13a1fccea927f52b4d5459297f8b43e42da89238b"
            + "c13626e43dcb38ddb082488927ec904fb42057443983e88585179d50551afe62"
        let cases: [([String: String], Bool)] = [
            (["sha256": sha256], true), (["sha512": sha512], true), (["sha256": sha256, "sha512": sha512], true),
            (["sha256": sha256.uppercased()], true),
            (["sha256": sha256, "sha512": sha256], false), (["md5": "9dd4e461268c8034f5c8564e155c67a6"], false),
            (["sha256": sha256, "sha1": "11f6ad8ec52a2984abaafd7c3b516503785c2072"], false),
        ]
        for (hashes, isAccepted) in cases {
            let device = try TrustFixture()
            let list = hashes.map { "\"\($0.key)\":\"\($0.value)\"" }.sorted().joined(separator: ",")
            let body = String(
                decoding: try device.repository.signed(device.repository.targets, as: "x").signedBytes, as: UTF8.self
            )
            .replacingOccurrences(of: "\"targets\":{}", with: "\"targets\":{\"x\":{\"length\":1,\"hashes\":{\(list)}}}")
            let document = try SignedDocument<TargetsMetadata>(
                parsing: Array("{\"signed\":\(body),\"signatures\":[]}".utf8)
            ).signed(by: device.repository.signers["targets"] ?? [])
            try device.serve(targets: document.bytes, version: 1)
            let info = try #require(document.body.targets["x"])
            let path = RepositoryPath.target("x", info: info, consistentSnapshot: true)
            device.repository.files[path] = content
            if isAccepted {
                #expect(try await device.target("x") == "x", "\(hashes)")
            } else {
                await #expect(throws: TrustError.self, "\(hashes)") { try await device.target("x") }
            }
        }
    }

    @Test func `a target path that is canonically equivalent to a signed one is another path`() async throws {
        let device = try TrustFixture()
        device.repository.add("caf\u{E9}", "one")
        device.repository.add("cafe\u{301}", "two")
        try device.repository.publishNext()
        #expect(try await device.target("caf\u{E9}") == "one")
        #expect(try await device.target("cafe\u{301}") == "two")
        device.repository.targets.targets["caf\u{E9}"] = nil
        try device.repository.publishNext()
        #expect(try await device.targetInfo("caf\u{E9}") == nil)
    }

    @Test func `extraneous dependencies: what no role lists cannot be fetched`() async throws {
        let (device, _) = try served()
        device.repository.files["targets/dir/evil.zip"] = Array("evil".utf8)
        await #expect(throws: TrustError.unknownTarget(path: "dir/evil.zip")) {
            try await device.target("dir/evil.zip")
        }
    }
}
