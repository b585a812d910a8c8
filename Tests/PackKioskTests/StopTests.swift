import Foundation
import Testing

/// Pages that give up in the middle.
@Suite(.serialized)
struct StopTests {
    /// 50 MiB in the long sweep.
    private static let size = (Bench.isLong ? 50 : 24) << 20

    private static func files() -> [String: Data] {
        var big = Data(count: size)
        big.withUnsafeMutableBytes { bytes in
            for index in stride(from: 0, to: bytes.count, by: 4096) { bytes[index] = UInt8(index / 4096 % 251) }
        }
        return [
            "index.html": Data("<!doctype html><title>stop</title><link rel=\"icon\" href=\"data:,\">".utf8),
            "big.bin": big,
        ]
    }

    @Test(arguments: Transport.allCases)
    func `a large load that is stopped again and again leaks nothing and breaks nothing`(transport: Transport)
        async throws
    {
        let kiosk = try await RunningKiosk(Bench(Self.files()), transport)
        let rounds = Bench.isLong ? 200 : 12
        let stops = """
            const wrong = [];
            for (let i = 0; i < %d; i++) {
              const control = new AbortController();
              const answer = await fetch('big.bin?' + i, { signal: control.signal });
              const reader = answer.body.getReader();
              let got = 0;
              const enough = (i * 7919 % 20) << 20;
              try {
                while (got <= enough) {
                  const { value, done } = await reader.read();
                  if (done) { wrong.push('ended at ' + got); break; }
                  got += value.length;
                }
                control.abort();
              } catch (error) { wrong.push(String(error)); }
            }
            return wrong;
            """
        // What is made once is made before the first count.
        _ = try await kiosk.evaluate(stops.replacingOccurrences(of: "%d", with: "2"))
        let before = try kiosk.resources()
        let wrong = try await kiosk.evaluate(stops.replacingOccurrences(of: "%d", with: "\(rounds)"))
        #expect(wrong as? [String] == [])
        // The engine closes its ends when it comes to it.
        var after = try kiosk.resources()
        for _ in 0..<100 where after.files > before.files + 4 {
            try await Task.sleep(for: .milliseconds(50))
            after = try kiosk.resources()
        }
        if Bench.isLong {
            print("\(transport), \(rounds) stops of \(Self.size >> 20) MiB: \(before) before, \(after) after")
        }
        #expect(after.files <= before.files + 4)
        #expect(after.bytes < before.bytes + (Self.size), "\(before.bytes) bytes before, \(after.bytes) after")
        let whole = try await kiosk.evaluate(
            """
            const bytes = new Uint8Array(await (await fetch('big.bin')).arrayBuffer());
            let wrong = 0;
            for (let i = 0; i < bytes.length; i += 4096) if (bytes[i] !== i / 4096 % 251) wrong++;
            return [bytes.length, wrong];
            """)
        #expect(whole as? [Int] == [Self.size, 0])
    }

    @Test(arguments: Transport.allCases)
    func `a page that is stopped while it loads can be loaded again`(transport: Transport) async throws {
        var files = Self.files()
        files["slow.html"] = Data("<!doctype html><title>slow</title><img src=\"big.bin\"><img src=\"big.bin?2\">".utf8)
        let kiosk = try await RunningKiosk(Bench(files), transport)
        for round in 0..<(Bench.isLong ? 100 : 8) {
            let count = kiosk.eventCount
            try await kiosk.send("load", ["url": transport.url("/slow.html?\(round)")])
            try await kiosk.event("started", after: count)
            try await Task.sleep(for: .milliseconds(round * 13 % 120))
            try await kiosk.send("stop")
        }
        try await kiosk.load(transport.url("/"))
        #expect(try await kiosk.evaluate("return document.title") as? String == "stop")
    }

    @Test
    func `a page that cannot be loaded ends once, with its failure, whatever the engine shows in its place`()
        async throws
    {
        let kiosk = try await RunningKiosk(Bench.shared(), .scheme)
        try await kiosk.event("ready")
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": "http://127.0.0.1:59999/"])
        try await kiosk.event("failed", after: count)
        // Time for the engine's own page about it; a page that goes away answers no script, so nothing is asked.
        try await Task.sleep(for: .milliseconds(800))
        let failed = kiosk.eventCount
        try await kiosk.load(Transport.scheme.url("/"))
        #expect(kiosk.names(after: count, before: failed).filter { ["finished", "ready"].contains($0) } == [])
    }
}
