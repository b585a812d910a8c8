import Foundation
import PackJSON
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

    @Test func `strict-new says when there is nothing to compare with, and refuses when that cannot be read`()
        async throws
    {
        try await tool.run("init", "--template", "config")
        let first = try await tool.run("build", "--base", "/mnt/", "--strict-new").expectSuccess()
        #expect(
            first.standardError.contains("nothing is published to compare with: no warning is new\n"), "\(first)")
        try await tool.run("publish", "--channel", "beta").expectSuccess()
        try tool.write(["dist/more.html": #"<script src="/mnt/lost.js"></script>"#])
        let build = ["build", "--base", "/mnt/", "--strict-new", "--package-version", "1.0.1"]
        let new = try await tool.run(build)
        #expect(new.exitCode == 1 && new.standardError.contains("error: 1 error, nothing was written"), "\(new)")
        #expect(
            new.standardError.contains("lost.js") && !new.standardError.contains("error: dist/index.html"), "\(new)")
        let away = try await tool.run(build + ["--registry", "http://127.0.0.1:9/"])
        expectClearError(
            away, naming: ["the last published version cannot be read, so nothing is known to be new: ", "127.0.0.1"])
        let json = try await tool.run(build + ["--registry", "http://127.0.0.1:9/", "--json"]).json().object()
        #expect(try json.object("error").string("kind") == "unreachable", "\(json)")
        let prerelease = try await tool.run(
            "build", "--base", "/mnt/", "--prerelease", "ci.1", "--registry", "http://127.0.0.1:9/"
        ).expectSuccess()
        #expect(
            prerelease.standardError.contains("no registry said which versions are published (")
                && prerelease.standardError.contains("127.0.0.1"), "\(prerelease)")
        // There the environment names a registry.
        guard !Tool.isOnStorage else { return }
        try await tool.shell("rm -r .packtool/registry packtool.json")
        try tool.write(["package.json": #"{"name": "shop", "version": "1.0.2"}"#])
        let none = try await tool.run("build", "dist", "--strict-new", "--base", "/mnt/")
        expectClearError(
            none, naming: ["--strict-new compares with the registry: "])
    }

    @Test func `a build says which configuration counts where that is not obvious`() async throws {
        try tool.write([
            "other/packtool.json": #"{"package": "other", "version": "2.0.0"}"#,
            "other/dist/index.html": "<script>packtool.confirm()</script>",
        ])
        let above = try await tool.run("build", "other/dist").expectSuccess()
        #expect(
            above.standardError.contains("/other/packtool.json is used for other/dist, and not ")
                && above.standardOutput.contains("other 2.0.0"), "\(above)")
        let apart = try Tool()
        try apart.write(["dist/index.html": "<script>packtool.confirm()</script>"])
        let away = try await tool.run("build", apart.folder.path + "/dist").expectSuccess()
        #expect(
            away.standardError.contains(
                "/packtool.json is used for \(apart.folder.path)/dist, which has none of its own\n")
                && away.standardOutput.contains("shop 1.0.0"), "\(away)")
        try tool.write([
            "apps/web/package.json": #"{"name": "@acme/web", "version": "3.0.0"}"#,
            "apps/web/dist/index.html": "<script>packtool.confirm()</script>",
        ])
        let below = try await tool.run("build", "apps/web/dist").expectSuccess()
        #expect(
            below.standardError.contains("apps/web/dist is built as shop, the package of ")
                && below.standardError.contains("apps/web/package.json names web: to build that, give --package web")
                && below.standardOutput.contains("shop 1.0.0"), "\(below)")
        for arguments in [["build", "dist"], ["build", "apps/web/dist", "--package", "web"]] {
            #expect(!(try await tool.run(arguments).expectSuccess()).standardError.contains("is built as"))
        }
    }

    @Test func `a finding about the dist as a whole names no path`() async throws {
        try tool.write(["site/index.html": "<p>"])
        for path in ["dist", "site"] {
            let told = try await tool.shell("cd \(path) && '\(Tool.executable.path)' build . --base /mnt/ || true")
            #expect(!told.standardError.contains(".: ") && !told.standardError.contains("error: error"), "\(told)")
        }
        let none = try await tool.run("build", "site").expectSuccess()
        #expect(none.standardError.contains("warning: ") && none.standardError.contains("[no-confirm]"), "\(none)")
    }

    @Test func `what the app embeds cannot be promoted`() async throws {
        try await tool.run("init", "--template", "config")
        try await tool.run("build", "--base", "/mnt/").expectSuccess()
        try await tool.run("publish", "--channel", "beta").expectSuccess()
        try await tool.run("rollback", "shop", "--channel", "beta", "--to", "embedded").expectSuccess()
        let outcome = try await tool.run("promote", "shop", "--from", "beta", "--to", "stable")
        expectClearError(outcome, naming: ["beta offers what the app embeds, which cannot be promoted"])
        let preset = try await tool.run("preset", "shop", "--channel", "beta", "--out", "preset")
        expectClearError(preset, naming: ["beta offers no version of shop to all devices (it offers embedded)"])
        let named = try await tool.run("preset", "shop@3.0.0", "--channel", "beta", "--out", "preset")
        expectClearError(named, naming: ["shop 3.0.0 is not published (there is: 1.0.0)"])
        let back = try await tool.run("rollback", "shop", "--channel", "beta", "--to", "9.9.9")
        expectClearError(back, naming: ["shop 9.9.9 is not published in this registry (there is: 1.0.0)"])
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
        let body = try String(contentsOf: tool.folder.appendingPathComponent("body"), encoding: .utf8)
        #expect(
            body.contains(
                "has no \"/mnt/orders/17\". A single-page application opens its entry for it with \"spa\": true in "
                    + "packtool.json"), "\(body)")
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
