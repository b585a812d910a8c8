import Foundation
import Testing

/// Messages for first users, by their text; those about mistakes and consent have suites of their own.
struct MessageTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        // A bundler's output that was made for `/assets-of-shop/`, with a script that is missing.
        try tool.write([
            "packtool.json": #"{"package": "shop", "version": "1.0.0", "dist": "dist"}"#,
            "dist/index.html":
                #"<!doctype html><title>x</title><script src="/mnt/app.js"></script><img src="/mnt/gone.png">"#,
            "dist/app.js": "packtool.confirm()",
        ])
    }

    @Test func `a build that is quiet prints warnings and the package's path, and no sizes`() async throws {
        let quiet = try await tool.run("build", "--quiet", "--base", "/mnt/")
        #expect(quiet.exitCode == 0 && quiet.standardOutput == "packages/shop-1.0.0.zip\n", "\(quiet)")
        #expect(quiet.standardError.contains("warning: ") && quiet.standardError.contains("[missing-file]"), "\(quiet)")
        let told = try await tool.run("build")
        #expect(told.standardOutput.contains(" files, ") && told.standardOutput.contains(" unpacked"), "\(told)")
        #expect(
            told.standardError.contains(
                "base /mnt/: the entry page of shop loads its files from there, and the package has them without it. "
                    + "Say \"base\": \"/mnt/\" in packtool.json, or --base / where that is wrong"), "\(told)")
    }

    @Test func `a build says that its version is published already, with this content or with other`() async throws {
        for arguments in [
            ["init", "--template", "config"], ["build", "--base", "/mnt/"], ["publish", "--channel", "beta"],
        ] {
            let outcome = try await tool.run(arguments)
            try #require(outcome.exitCode == 0 || arguments[0] == "init", "\(outcome)")
        }
        let same = try await tool.run("build", "--base", "/mnt/")
        #expect(same.standardError.contains("shop 1.0.0 is published already, with just this content\n"), "\(same)")
        try tool.write(["dist/app.js": "packtool.confirm() "])
        let other = try await tool.run("build", "--base", "/mnt/", "--quiet")
        #expect(
            other.standardError.contains(
                "warning: shop 1.0.0 is published already with other content, and publish will refuse this one: give it a "
                    + "new version\n"), "\(other)")
    }

    @Test func `a path that preview is to hand to a server is named where it is none`() async throws {
        for value in ["/api", "api=http://localhost:1", "/api=localhost:1", "/api=ftp://localhost", "/api=http://x/?q"]
        {
            let outcome = try await tool.run("preview", "--proxy", value, "--port", "0")
            #expect(
                outcome.errorLine
                    == "error: --proxy \(value): say a path and a URL, such as /api=http://localhost:3000", "\(outcome)"
            )
            #expect(outcome.exitCode == 1)
        }
    }

    @Test func `a preview tells of a deep link's 404 that spa serves it, and of a server that does not answer`()
        async throws
    {
        let server = try tool.start("preview", "--port", "0", "--no-reload", "--proxy", "/api=http://127.0.0.1:1")
        defer { server.kill(SIGKILL) }
        let line = try #require(try await server.line(holding: "http://localhost:"), "it did not start")
        let url = try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+\//)).output)
        #expect(
            try await server.line(
                holding: "base     /mnt/, guessed from the entry page; say \"base\" in packtool.json, or --base")
                != nil)
        let page = try await tool.shell(
            "curl -s -o body -w '%{http_code}' -H 'Accept: text/html' -H 'Sec-Fetch-Dest: document' \(url)mnt/orders/17"
        )
        #expect(page.standardOutput == "404", "\(page)")
        #expect(
            try await server.line(
                holding: "a single-page application opens its entry for /mnt/orders/17 with \"spa\": true in "
                    + "packtool.json")
                != nil)
        let call = try await tool.shell("curl -s -w '%{http_code}' \(url)api/x")
        #expect(
            call.standardOutput.hasPrefix("http://127.0.0.1:1/api/x gives no answer: ")
                && call.standardOutput.hasSuffix("502"), "\(call)")
        #expect(try await server.line(holding: "proxy    GET http://127.0.0.1:1/api/x: no answer: ") != nil)
    }
}
