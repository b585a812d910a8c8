import Foundation
import PackJSON
import TestSupport
import Testing

/// Windows that a page asks for, in a kiosk that has one.
@Suite(.serialized)
struct WindowTests {
    private static func site(_ foreign: String) -> [String: Data] {
        let index = """
            <!doctype html><title>one</title><link rel="icon" href="data:,">
            <a id="own" target="_blank" href="next.html">own</a>
            <a id="foreign" target="_blank" rel="noopener" href="\(foreign)/text?body=%3Ctitle%3Eforeign%3C%2Ftitle%3E">foreign</a>
            <a id="mail" target="_blank" href="mailto:a@example.com">mail</a>
            <form id="form" target="_blank" method="post" action="next.html"><input name="a" value="1"></form>
            """
        let pop = """
            <!doctype html><title>pop</title><link rel="icon" href="data:,">
            <script>window.given = window.open('next.html');</script>
            """
        let next = "<!doctype html><title>next</title><link rel=\"icon\" href=\"data:,\">"
        return ["index.html": Data(index.utf8), "next.html": Data(next.utf8), "pop.html": Data(pop.utf8)]
    }

    /// What the page has asked for with the script, and what the kiosk says of it.
    private func ask(_ kiosk: RunningKiosk, _ script: String) async throws -> JSONObject {
        let count = kiosk.eventCount
        _ = try await kiosk.evaluate(script)
        return try await kiosk.event("window", after: count)
    }

    private func title(of kiosk: RunningKiosk) async throws -> String? {
        try await kiosk.evaluate("return document.title") as? String
    }

    @Test(arguments: Transport.allCases)
    func `a new window of a package opens in the page's place, and a foreign one is refused, each with an event`(
        transport: Transport
    ) async throws {
        let server = try EchoServer()
        let kiosk = try await RunningKiosk(Bench(Self.site(server.address)), transport)
        try await kiosk.event("ready")
        for script in ["document.querySelector('#own').click()", "window.open('next.html', '_blank', 'width=300')"] {
            let count = kiosk.eventCount
            let said = try await ask(kiosk, script)
            #expect(said["opened"] == .bool(true) && said["reason"] == nil, "\(said)")
            #expect(said["url"] == .string(transport.url("/next.html")))
            try await kiosk.event("finished", after: count) { $0["url"] == .string(transport.url("/next.html")) }
            #expect(try await title(of: kiosk) == "next")
            // The way back is the history's.
            let back = kiosk.eventCount
            try await kiosk.send("back")
            try await kiosk.event("committed", after: back) { $0["url"] == .string(transport.url("/")) }
            #expect(try await title(of: kiosk) == "one")
        }
        for (script, reason) in [
            ("document.querySelector('#foreign').click()", "foreign"),
            ("window.open('\(server.address)/')", "foreign"),
            ("window.open('https://unknown.package/')", "foreign"),
            ("document.querySelector('#mail').click()", "address"),
            ("window.open('')", "address"),
            ("window.open(URL.createObjectURL(new Blob(['b'])))", "address"),
            ("document.querySelector('#form').submit()", "method"),
        ] {
            let said = try await ask(kiosk, script)
            #expect(said["opened"] == .bool(false) && said["reason"] == .string(reason), "\(script): \(said)")
        }
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await title(of: kiosk) == "one")
        let count = kiosk.eventCount
        try await kiosk.load(transport.url("/pop.html"))
        let said = try await kiosk.event("window", after: count)
        #expect(said["reason"] == .string("noGesture"))
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await kiosk.evaluate("return `${document.title} ${window.given}`") as? String == "pop null")
    }

    @Test
    func `hosts that are named are opened, all are, or none`() async throws {
        let server = try EchoServer()
        let bench = try Bench(Self.site(server.address))
        for arguments in [["--window-host", "127.0.0.1"], ["--windows", "all"]] {
            let kiosk = try await RunningKiosk(bench, .proxy, arguments)
            try await kiosk.event("ready")
            let count = kiosk.eventCount
            let said = try await ask(kiosk, "document.querySelector('#foreign').click()")
            #expect(said["opened"] == .bool(true), "\(said)")
            try await kiosk.event("finished", after: count)
            #expect(try await title(of: kiosk) == "foreign")
        }
        let kiosk = try await RunningKiosk(bench, .proxy, "--windows", "none")
        try await kiosk.event("ready")
        let said = try await ask(kiosk, "document.querySelector('#own').click()")
        #expect(said["opened"] == .bool(false) && said["reason"] == "off", "\(said)")
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await title(of: kiosk) == "one")
    }
}
