import Foundation
import PackFormat
import Testing

@testable import PackRegistryAPI

/// Sets as people write them: what is read, and where a mistake is.
struct ReleaseSetFileTests {
    private func read(_ text: String) throws -> ReleaseSetFile {
        try ReleaseSetFile(parsing: Array(text.utf8), named: "set.json")
    }

    @Test func `a set is read with comments, and what it does not say is left to the command`() throws {
        let set = try read(
            """
            {
              // What three jobs published.
              "packages": {"shop": "1.3.0", "admin": "2.0.0-beta.1",},
              "channel": "beta", "share": "0.5",
              "audiences": ["platform=ios; app>=3.2", "group=testers"],
            }
            """)
        let versions = Dictionary(uniqueKeysWithValues: set.versions.map { ($0.key.text, $0.value.description) })
        #expect(versions == ["shop": "1.3.0", "admin": "2.0.0-beta.1"])
        #expect(set.channel?.text == "beta" && set.share?.tenThousandths == 50)
        #expect(set.audiences.map(\.description) == ["platform=ios; app>=3.2", "group=testers"])
        let short = try read(#"{"$schema": "set.schema.json", "packages": {"shop": "1.3.0"}}"#)
        #expect(short.channel == nil && short.share == nil && short.audiences.isEmpty)
    }

    @Test(arguments: [
        ("{}", #"set.json: "packages" is missing"#),
        ("{\"packages\": {\"shop\": \"1.3.0\"}\n  \"share\": 5}", "set.json:2:3: "),
        ("[]", "set.json: it must be an object, not an array"),
        (
            "{\n  \"packages\": {\"shop\": \"1.3.0\"},\n  \"chanel\": \"beta\"}",
            "set.json:3:3: chanel: the key is not known (there are: $schema, packages, channel, share, audiences)"
        ),
        (
            "{\n  \"packages\": {\n    \"shop\": \"1.3.0\",\n    \"admin\": \"2.0\"}}",
            "set.json:4:5: packages.admin: \"2.0\" is not a version: it needs three numbers separated by dots; use SemVer "
                + "2.0.0 such as 1.4.0 or 2.0.0-beta.1"
        ),
        (
            "{\"packages\": {\"shop\": \"1.3.0\",\n \"admin\": 2}}",
            "set.json:2:2: packages.admin: it must be a string, not an integer"
        ),
        (
            "{\"packages\": {\"Shop\": \"1.3.0\"}}",
            "set.json:1:15: packages.Shop: \"Shop\" is not a package id: use 1 to 63 lower-case letters, digits and hyphens, "
                + "starting and ending with a letter or digit"
        ),
        (
            "{\"packages\": {}}",
            "set.json:1:2: packages: it must have 1 to 2000 packages with their versions, not 0"
        ),
        (
            "{\"packages\": {\"shop\": \"1.3.0\", \"shop\": \"1.4.0\"}}",
            "set.json:1:32: the key \"shop\" stands twice"
        ),
        ("{\"packages\": [\"shop@1.3.0\"]}", "set.json:1:2: packages: it must be an object, not an array"),
        (
            "{\"packages\": {\"shop\": \"1.3.0\"},\n\"share\": 0.5}",
            "write a share with decimals as \"0.5\""
        ),
        (
            "{\"packages\": {\"shop\": \"1.3.0\"},\n\"share\": true}",
            "set.json:2:1: share: it must be a percentage such as 10 or \"0.5\", not "
        ),
        (
            "{\"packages\": {\"shop\": \"1.3.0\"},\n\"channel\": \"Beta!\"}",
            "set.json:2:1: channel: \"Beta!\" is not a channel name"
        ),
        (
            "{\"packages\": {\"shop\": \"1.3.0\"},\n\"audiences\": [\"platform=ios\", \"soon\"]}",
            "set.json:2:1: audiences[1]: \"soon\" is not an audience: \"soon\" compares nothing"
        ),
        (
            "{\"packages\": {\"shop\": \"1.3.0\"},\n\"audiences\": \"platform=ios\"}",
            "set.json:2:1: audiences: it must be an array, not a string"
        ),
    ])
    func `a mistake is named with its line, column and key`(text: String, message: String) {
        let error = #expect(throws: RegistryError.self) { try read(text) }
        #expect(error?.kind == .invalid)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "nothing")")
    }

    @Test func `a file that is too large is not parsed`() {
        let error = #expect(throws: RegistryError.self) {
            try read(String(repeating: " ", count: ReleaseSetFile.maximumByteCount + 1))
        }
        #expect(error?.message == "set.json: it has 1048577 bytes, and a set has 1048576 at most")
    }
}
