import Foundation
import PackJSON
import TestSupport
import Testing

/// Files that a page wants to leave on the machine: none where nobody said where to, and then within a limit.
@Suite(.serialized)
struct DownloadTests {
    private static let zip = Data([0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18))
    private static let site = [
        "index.html": Data(
            """
            <!doctype html><title>one</title><link rel="icon" href="data:,">
            <a id="zip" href="files/form.zip">zip</a>
            <a id="named" href="files/form.zip" download=".../../..\u{202E}/re:port .zip">named</a>
            """.utf8),
        "files/form.zip": zip,
    ]

    private static func arguments(_ bench: Bench, _ others: String...) -> [String] {
        ["--downloads", bench.folder.appendingPathComponent("saved").path] + others
    }

    /// All that lies there, the kiosk's own folder for what is under way too.
    private func listing(_ bench: Bench) throws -> [String] {
        let folder = bench.folder.appendingPathComponent("saved")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    }

    private func ask(_ kiosk: RunningKiosk, _ script: String) async throws -> JSONObject {
        let count = kiosk.eventCount
        _ = try await kiosk.evaluate(script)
        return try await kiosk.event("download", after: count) { $0["state"] != "began" }
    }

    private static let blob = """
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob(['made by the page']));
        link.download = 'made.txt';
        document.body.append(link);
        link.click();
        """

    @Test(arguments: Transport.allCases)
    func `without a folder a download is refused with an event, and nothing is written`(
        transport: Transport
    ) async throws {
        let bench = try Bench(Self.site)
        let server = try EchoServer()
        let home = bench.folder.appendingPathComponent("home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let kiosk = try await RunningKiosk(bench, transport, environment: ["HOME": home.path], [])
        try await kiosk.event("ready")
        for script in [
            "document.querySelector('#zip').click()", "document.querySelector('#named').click()", Self.blob,
            "location.href = '\(server.address)/attachment'",
        ] {
            let said = try await ask(kiosk, script)
            #expect(said["state"] == "refused", "\(script): \(said)")
        }
        try await Task.sleep(for: .seconds(1))
        #expect(try await kiosk.evaluate("return document.title") as? String == "one")
        let names = try FileManager.default.subpathsOfDirectory(atPath: home.path)
        #expect(names.filter { name in ["zip", "made", "a.html", "Downloads"].contains { name.contains($0) } } == [])
    }

    @Test(arguments: Transport.allCases)
    func `downloads are kept whole under safe names, and replace nothing`(transport: Transport) async throws {
        let bench = try Bench(Self.site)
        let server = try EchoServer()
        let saved = bench.folder.appendingPathComponent("saved")
        try FileManager.default.createDirectory(
            at: saved.appendingPathComponent(".packtool-partial"), withIntermediateDirectories: true)
        // What a power cut has left, and what somebody has put there.
        try Data("half".utf8).write(to: saved.appendingPathComponent(".packtool-partial/7"))
        try Data("mine".utf8).write(to: saved.appendingPathComponent("form.zip"))
        let kiosk = try await RunningKiosk(bench, transport, Self.arguments(bench))
        try await kiosk.event("ready")
        if transport == .scheme {
            for script in ["document.querySelector('#zip').click()", "document.querySelector('#named').click()"] {
                let said = try await ask(kiosk, script)
                #expect(said["state"] == "refused" && said["reason"] != nil, "\(script): \(said)")
            }
        }
        // Those of a package under a custom scheme WebKit cannot make.
        let own = [
            ("document.querySelector('#zip').click()", "form (2).zip", Self.zip),
            ("document.querySelector('#zip').click()", "form (3).zip", Self.zip),
            ("document.querySelector('#named').click()", "re_port.zip", Self.zip),
        ]
        let others = [
            (Self.blob, "made.txt", Data("made by the page".utf8)),
            ("location.href = '\(server.address)/attachment'", "a.html", Data("<title>to be kept</title>".utf8)),
        ]
        for (script, name, content) in (transport == .proxy ? own : []) + others {
            let said = try await ask(kiosk, script)
            let file = saved.appendingPathComponent(name)
            #expect(said["state"] == "saved" && said["file"] == .string(file.path), "\(script): \(said)")
            #expect(said["size"] == .integer(content.count))
            #expect(FileManager.default.contents(atPath: file.path) == content, "\(name)")
        }
        #expect(
            FileManager.default.contents(atPath: saved.appendingPathComponent("form.zip").path) == Data("mine".utf8))
        #expect(try await kiosk.evaluate("return document.title") as? String == "one")
        let names = (transport == .proxy ? own : []).map(\.1) + others.map(\.1)
        #expect(try listing(bench) == ([".packtool-partial", "form.zip"] + names).sorted())
    }

    @Test
    func `what would pass the folder's limit is given up on its way or before, and no part of it stays`() async throws {
        let bench = try Bench(Self.site)
        let server = try EchoServer()
        let kiosk = try await RunningKiosk(bench, .proxy, Self.arguments(bench, "--download-limit", "1"))
        try await kiosk.event("ready")
        func fetch(_ path: String) async throws -> JSONObject {
            try await ask(
                kiosk, "const l = document.createElement('a'); l.href = '\(server.address)\(path)'; l.click()")
        }
        // A length that is said beforehand, and one that is not.
        let announced = try await fetch("/attachment?n=3000000")
        #expect(announced["state"] == "refused", "\(announced)")
        let streamed = try await fetch("/attachment?n=3000000&chunked=1")
        #expect(streamed["state"] == "failed", "\(streamed)")
        // All together, not each.
        #expect(try await fetch("/attachment?n=700000")["state"] == "saved")
        #expect(try await fetch("/attachment?n=700000")["state"] == "refused")
        // One that breaks off.
        let broken = try await fetch("/attachment?n=100000&cut=50000")
        #expect(broken["state"] == "failed", "\(broken)")
        #expect(try listing(bench) == [".packtool-partial", "a.html"])
    }
}
