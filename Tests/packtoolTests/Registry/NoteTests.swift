import Foundation
import PackJSON
import Testing

/// What a publisher says about a version.
struct NoteTests {
    @Test func `a note and the commit of the CI job stay with the version, and strangers do not see them`() async throws
    {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        for version in ["1.0.0", "1.1.0"] {
            try tool.write(["dist/index.html": "<title>\(version)</title>"])
            try await tool.run(
                "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages", "--quiet"
            ).expectSuccess()
        }
        let publish = ["publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--note", "the new cart"]
        try await tool.run(
            publish + ["--registry", registry.folder], environment: ["GITHUB_SHA": "9f2c1e0a7b"]
        ).expectSuccess()
        let other = try await registry.publisherEnvironment()
        try await tool.run(
            ["publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--commit", "abc", "--registry", registry.url],
            environment: other
        ).expectSuccess()
        let status = try await tool.run("status", "--registry", registry.folder).expectSuccess()
        #expect(status.standardOutput.contains("shop 1.0.0: commit 9f2c1e0a7b, the new cart"), "\(status)")
        #expect(status.standardOutput.contains("shop 1.1.0: commit abc"), "\(status)")
        let audit = try await tool.run("audit", "--registry", registry.folder).expectSuccess()
        #expect(audit.standardOutput.contains("commit 9f2c1e0a7b: the new cart"), "\(audit)")
        let open = try await tool.shell("curl -sf '\(registry.url)/v1/overview'")
        #expect(!open.standardOutput.contains("9f2c1e0a7b") && !open.standardOutput.contains("cart"), "\(open)")
        let long = try await tool.run(
            "publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--note", "two\nlines", "--registry",
            registry.folder)
        expectClearError(long, naming: ["note", "one line"])
    }
}
