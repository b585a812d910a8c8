import Foundation
import PackJSON
import Testing

/// What has expired since nobody looked after the keys.
struct ExpiredKeysTests {
    private static let day = 86_400

    private let tool: Tool

    init() async throws {
        tool = try Tool()
        try tool.write(["dist/index.html": "<!doctype html><title>one</title><script>packtool.confirm()</script>"])
        try await tool.run("init", "--template", "config", "--app", "shop").expectSuccess()
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "packages")
            .expectSuccess()
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta").expectSuccess()
    }

    private func run(_ arguments: String..., days: Int) async throws -> Outcome {
        try await tool.start(arguments, clock: days * Self.day).outcome()
    }

    private func update(_ store: String, days: Int) async throws -> Outcome {
        try await run(
            "client", "update", "--store", store, "--channel", "beta", "--registry", ".packtool/registry", days: days)
    }

    @Test func `the doctor finds the expired signature of a package, and a rotation mends it`() async throws {
        let days = 370
        try await run("renew", days: days).expectSuccess()
        let found = try await run("doctor", days: days)
        #expect(found.exitCode == 1, "\(found)")
        #expect(found.standardOutput.contains("the signature of package.shop: expired on"), "\(found)")
        #expect(try await update("before", days: days).exitCode == 1)
        for name in ["owner", "publisher"] { try await run("keys", "rotate", name, days: days).expectSuccess() }
        try await update("after", days: days).expectSuccess()
    }

    @Test func `an expired root is replaced, and a rotation that cannot be made leaves no key`() async throws {
        let days = 740
        let keys = try tool.listing(".packtool/keys")
        let refused = try await run("keys", "rotate", "owner", days: days)
        expectClearError(refused, naming: ["root expired at"])
        #expect(try tool.listing(".packtool/keys") == keys)
        for name in ["root", "owner", "publisher"] {
            try await run("keys", "rotate", name, days: days).expectSuccess()
        }
        try await run("renew", days: days).expectSuccess()
        try await update("device", days: days).expectSuccess()
        // What is left is the project's own copy of the root, which is not changed by itself.
        let found = try await run("doctor", days: days)
        #expect(found.standardOutput.contains("1 error, 0 warnings"), "\(found)")
        #expect(found.standardOutput.contains("[root-expiry]"), "\(found)")
    }
}
