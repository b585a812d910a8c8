import Foundation
import PackJSON
import Testing

/// A kiosk whose registry has a certificate of a private authority.
struct PrivateAuthorityTests {
    @Test func `the updater takes the authority that --ca names, and nothing without it`() async throws {
        let bench = try Bench()
        try bench.publish("1.0.0", ["index.html": Data("<!doctype html><title>shop</title>".utf8)])
        let view = bench.folder.appendingPathComponent(".packtool/registry/view")
        let server = try EchoServer(tlsIn: bench.folder, serving: view)
        let arguments = ["--registry", server.address, "--root", ".packtool/root.json"]
        do {
            let kiosk = try await RunningKiosk(bench, .scheme, arguments + ["--store", "one", "--ca", "echo.pem"])
            try await kiosk.event("ready") { $0["version"] == .string("1.0.0") }
        }
        do {
            let kiosk = try await RunningKiosk(bench, .scheme, arguments + ["--store", "two"])
            let version = try await kiosk.evaluate("return document.title")
            #expect(version as? String != "shop")
            let said = try String(contentsOf: kiosk.errors, encoding: .utf8)
            #expect(said.contains("give that with --ca FILE or PACKTOOL_CA"), "\(said)")
        }
    }
}
