import Foundation
import Testing

/// Online copies as other programs take them apart.
struct SiteCompressionTests {
    @Test func `curl, gzip and zstd get the file that was published from what the server compressed`() async throws {
        let tool = try Tool()
        try #require(try await tool.run("init", "--template", "config").exitCode == 0)
        let script = (0..<3000).map { "export const value\($0) = \($0 * 7919 % 1000)\n" }.joined()
        try tool.write(["dist/index.html": "<!doctype html><title>shop</title>", "dist/app.js": script])
        for arguments in [
            ["build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "packages"],
            ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"],
        ] {
            let outcome = try await tool.run(arguments)
            try #require(outcome.exitCode == 0, "\(outcome)")
        }
        let server = try tool.start("serve", "--port", "0")
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let base = try String(#require(line.firstMatch(of: /http:\/\/127.0.0.1:[0-9]+/)).output)
        let url = "\(base)/site/shop/1.0.0/app.js"
        // The server makes the forms in the background.
        let outcome = try await tool.shell(
            """
            for try in $(seq 300); do
                curl -sS -D head -o zst -H 'Accept-Encoding: gzip, deflate, br, zstd' \(url)
                grep -qi '^content-encoding: zstd' head && break
                sleep 0.1
            done
            curl -sS -o gz -H 'Accept-Encoding: gzip' \(url) && curl -sS --compressed -o own \(url)
            curl -sS -o plain \(url) && zstd -qdc zst >zst.js && gzip -dc <gz >gz.js
            """)
        #expect(outcome.exitCode == 0, "\(outcome)")
        for name in ["zst.js", "gz.js", "own", "plain"] {
            #expect(try String(decoding: tool.read(name), as: UTF8.self) == script, "\(name)")
        }
        let sizes = try ["zst", "gz", "plain"].map { try tool.read($0).count }
        #expect(sizes[0] < sizes[2] / 2 && sizes[1] < sizes[2] / 2, "\(sizes)")
    }
}
