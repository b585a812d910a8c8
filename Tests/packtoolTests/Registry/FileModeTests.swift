import Foundation
import Testing

/// What is written is written by its owner alone, whatever the umask allows.
struct FileModeTests {
    @Test func `under umask 0 nothing that packtool keeps can be written by others, and what is private is not read`()
        async throws
    {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<!doctype html><title>one</title><p>one"])
        let packtool = "'\(Tool.executable.path)'"
        try await tool.shell(
            """
            umask 0 && \(packtool) init --template config >/dev/null &&
            \(packtool) build dist --package shop --package-version 1.0.0 --out packages >/dev/null &&
            \(packtool) publish packages/shop-1.0.0.zip --channel beta >/dev/null &&
            \(packtool) preset shop --channel beta --out preset >/dev/null &&
            \(packtool) client update --store device --channel beta --registry .packtool/registry >/dev/null
            """
        ).expectSuccess()
        let open = try await tool.shell("find .packtool packages preset device -perm /022 ! -type l")
        #expect(open.standardOutput == "", "\(open)")
        let known = try await tool.shell(
            "stat -c '%a %n' .packtool/root.json .packtool/keys/* device device/state.json")
        #expect(
            known.standardOutput == """
                644 .packtool/root.json
                600 .packtool/keys/owner.pem
                600 .packtool/keys/publisher.pem
                600 .packtool/keys/root.pem
                700 device
                600 device/state.json

                """, "\(known)")
    }

    @Test(.onFolder)
    func `the registry's database has secrets, and is read by its owner alone, or by a group that has it`()
        async throws
    {
        let tool = try Tool()
        let mode = "stat -c %a .packtool/registry/registry.sqlite"
        try await tool.shell("umask 0 && '\(Tool.executable.path)' init --template config").expectSuccess()
        #expect(try await tool.shell(mode).standardOutput == "600\n")
        // One that a program before this made, and one of a group.
        for (before, after) in [("644", "640"), ("664", "660")] {
            try await tool.shell("chmod \(before) .packtool/registry/registry.sqlite").expectSuccess()
            try await tool.run("status").expectSuccess()
            #expect(try await tool.shell(mode).standardOutput == after + "\n")
        }
    }

    @Test func `a key file that others can read is refused, and an environment variable is not`() async throws {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<!doctype html><title>one</title><p>one"])
        try await tool.run("init", "--template", "config").expectSuccess()
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "packages")
            .expectSuccess()
        try await tool.shell("chmod 644 .packtool/keys/publisher.pem").expectSuccess()
        let publish = ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"]
        let refused = try await tool.run(publish)
        #expect(refused.exitCode == 1, "\(refused)")
        #expect(refused.standardError.contains("run chmod 600 '"), "\(refused)")
        #expect(refused.standardError.contains(".packtool/keys/publisher.pem"), "\(refused)")
        let key = String(decoding: try tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        try await tool.run(publish, environment: ["PACKTOOL_KEY": key]).expectSuccess()
    }
}
