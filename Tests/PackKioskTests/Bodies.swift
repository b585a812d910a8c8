import Foundation
import Testing

/// Sends bodies of every kind and size from a page to a mirror; records each byte that is wrong.
/// In the long sweep 100 of each kind, up to 20 MB, by fetch and by XMLHttpRequest.
func sendBodies(from kiosk: RunningKiosk, to mirror: String) async throws {
    let (rounds, maximum) = Bench.isLong ? (100, 20_000_000) : (4, 300_000)
    var (count, bytes) = (0, 0)
    let before = try kiosk.resources()
    for way in ["fetch", "xhr"] {
        // In parts, so that no single call waits for ever.
        for kind in 0..<11 {
            let found = try await kiosk.evaluate(
                """
                const { run } = await import('/bodies.js');
                return await run('\(mirror)', { rounds: \(rounds), maximum: \(maximum), seed: \(kind + 1),
                    way: '\(way)', kind: \(kind) });
                """)
            let values = try #require(found as? [String: Any])
            #expect(values["wrong"] as? [String] == [])
            count += values["count"] as? Int ?? 0
            bytes += values["bytes"] as? Int ?? 0
        }
    }
    #expect(count == 22 * rounds)
    let after = try kiosk.resources()
    if Bench.isLong { print("\(mirror): \(count) bodies, \(bytes) bytes; \(before) before, \(after) after") }
    #expect(after.files <= before.files + 8)
}
