import Foundation
import Testing

@testable import PackWeb

@testable import PackWebOnline

/// The store as pages reach it: through the bridge's messages.
struct BodyStoreTests {
    private let page = HookPage()

    private func hookID(_ text: String) throws -> HookID { try #require(HookID(text)) }

    private func bridge(_ change: (inout BodyStore.Limits) -> Void = { _ in }) -> PageBridge {
        var limits = BodyStore.Limits()
        limits.patience = .milliseconds(300)
        change(&limits)
        return HookPage.bridge(bodies: BodyStore(limits: limits))
    }

    @Test func `a body in chunks is whole for the request that waits for it`() async throws {
        let bridge = bridge()
        let bytes = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let id = page.id(1)
        let waiting = try hookID(id)
        async let taken = bridge.bodies.take(waiting)
        try await Task.sleep(for: .milliseconds(20))
        #expect(await page.send(bridge, page.body(id, size: bytes.count)) == "{}")
        for (number, start) in stride(from: 0, to: bytes.count, by: 192 << 10).enumerated() {
            let chunk = bytes[start..<min(start + 192 << 10, bytes.count)]
            #expect(await page.send(bridge, page.chunk(id, number, Data(chunk))) == "{}")
        }
        let found = await taken
        let body = try #require(found)
        #expect(body.data == bytes)
        #expect(bridge.bodies.count == 0)
        #expect(bridge.bodies.byteCount == 0)
        #expect(bridge.bodies.counts.restored == 1)
    }

    @Test func `a body that came first is there at once, and only once`() async throws {
        let bridge = bridge()
        let id = page.id(1)
        #expect(await page.send(bridge, page.body(id, Data("x".utf8))) == "{}")
        #expect(try await bridge.bodies.take(hookID(id))?.data == Data("x".utf8))
        #expect(try await bridge.bodies.take(hookID(id)) == nil)
        #expect(bridge.bodies.counts.lost == 1)
    }

    @Test func `a body that never comes, or not all of it, ends the wait`() async throws {
        let bridge = bridge()
        #expect(try await bridge.bodies.take(hookID(page.id(1))) == nil)
        #expect(await page.send(bridge, page.body(page.id(2), size: 10)) == "{}")
        #expect(await page.send(bridge, page.chunk(page.id(2), 0, Data("half".utf8))) == "{}")
        #expect(try await bridge.bodies.take(hookID(page.id(2))) == nil)
        #expect(bridge.bodies.counts.lost == 2)
        #expect(bridge.bodies.byteCount == 0)
    }

    @Test func `a request that is given up waits no longer and is not counted as lost`() async throws {
        let bridge = bridge { $0.patience = .seconds(60) }
        let id = try #require(HookID(page.id(1)))
        let task = Task { await bridge.bodies.take(id) }
        try await Task.sleep(for: .milliseconds(30))
        task.cancel()
        #expect(await task.value == nil)
        #expect(bridge.bodies.counts.lost == 0)
    }

    @Test func `a cancelled body is gone, and its request is told at once`() async throws {
        let bridge = bridge { $0.patience = .seconds(60) }
        let id = page.id(1)
        let waiting = try hookID(id)
        async let taken = bridge.bodies.take(waiting)
        try await Task.sleep(for: .milliseconds(20))
        _ = await page.send(bridge, page.body(id, size: 10))
        #expect(await page.send(bridge, #"{"v":1,"type":"cancel","id":"\#(id)"}"#) == "{}")
        let found = await taken
        #expect(found == nil)
        #expect(await page.code(bridge, page.chunk(id, 0, Data("x".utf8))) == "unknown")
        #expect(bridge.bodies.counts.lost == 0)
    }

    @Test(arguments: [#"{"v":1,"type":"leave","nonce":"%"}"#, ""])
    func `a request whose page leaves while it waits has lost nothing`(message: String) async throws {
        let bridge = bridge { $0.patience = .seconds(60) }
        let waiting = try hookID(page.id(1))
        async let taken = bridge.bodies.take(waiting)
        try await Task.sleep(for: .milliseconds(20))
        _ = await page.send(bridge, page.body(page.id(1), size: 10))
        if message.isEmpty {
            bridge.pageEnded()
        } else {
            _ = await page.send(bridge, message.replacing("%", with: page.nonce))
        }
        let found = await taken
        #expect(found == nil && bridge.bodies.counts.lost == 0)
    }

    @Test func `a page that leaves takes its bodies along, but for what its form sent`() async throws {
        let bridge = bridge()
        _ = await page.send(bridge, page.body(page.id(1), Data("a".utf8)))
        _ = await page.send(bridge, page.body(page.id(2), Data("b".utf8), purpose: "navigation"))
        _ = await HookPage(nonce: "b").send(
            bridge, HookPage(nonce: "b").body(HookPage(nonce: "b").id(1), Data("c".utf8)))
        #expect(bridge.bodies.count == 3)
        #expect(await page.send(bridge, #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#) == "{}")
        #expect(bridge.bodies.count == 2)
        #expect(try await bridge.bodies.take(hookID(page.id(2)))?.data == Data("b".utf8))
        bridge.pageEnded()
        #expect(bridge.bodies.count == 0)
    }

    @Test func `a cancel that overtakes its body leaves nothing behind`() async throws {
        let bridge = bridge()
        _ = await page.send(bridge, #"{"v":1,"type":"cancel","id":"\#(page.id(1))"}"#)
        #expect(await page.code(bridge, page.body(page.id(1), Data("late".utf8))) == "unknown")
        #expect(bridge.bodies.count == 0)
        #expect(try await bridge.bodies.take(hookID(page.id(1))) == nil)
        #expect(bridge.bodies.counts.lost == 0)
        // One that comes after its body was taken means nothing.
        _ = await page.send(bridge, page.body(page.id(2), Data("x".utf8)))
        #expect(try await bridge.bodies.take(hookID(page.id(2)))?.data == Data("x".utf8))
        _ = await page.send(bridge, #"{"v":1,"type":"cancel","id":"\#(page.id(2))"}"#)
        #expect(bridge.bodies.counts.restored == 1)
        #expect(bridge.bodies.counts.expired == 0)
    }

    @Test func `what is over a limit is refused and counted, and room comes back`() async throws {
        let bridge = bridge {
            $0.body = 100
            $0.total = 150
        }
        #expect(await page.code(bridge, page.body(page.id(1), size: 101)) == "tooLarge")
        #expect(await page.send(bridge, page.body(page.id(2), size: 100)) == "{}")
        // Promised is as good as taken: chunks that are allowed must find room.
        #expect(await page.code(bridge, page.body(page.id(3), size: 51)) == "tooLarge")
        #expect(bridge.bodies.counts.refused == 2)
        _ = await page.send(bridge, #"{"v":1,"type":"cancel","id":"\#(page.id(2))"}"#)
        #expect(await page.send(bridge, page.body(page.id(3), size: 51)) == "{}")
    }

    @Test func `a body that nobody comes for is dropped after its time`() async throws {
        let clock = TestClock()
        let bridge = HookPage.bridge(bodies: BodyStore(now: { clock.now }))
        _ = await page.send(bridge, page.body(page.id(1), Data("a".utf8)))
        clock.advance(by: .seconds(61))
        _ = await page.send(bridge, page.body(page.id(2), Data("b".utf8)))
        #expect(bridge.bodies.count == 1)
        #expect(bridge.bodies.counts.expired == 1)
    }

    @Test func `a body and its request outlive a pause of the app in the middle of a hand-over`() async throws {
        let clock = TestClock()
        let running = RunningClock(step: .seconds(2)) { clock.now }
        let bridge = HookPage.bridge(bodies: BodyStore(now: { running.now }))
        let text = page.body(page.id(1), size: 4)
        #expect(await page.send(bridge, text) == "{}")
        #expect(await page.send(bridge, page.chunk(page.id(1), 0, Data("ab".utf8))) == "{}")
        async let taken = bridge.bodies.take(hookID(page.id(1)))
        clock.advance(by: .seconds(600))
        #expect(await page.send(bridge, page.chunk(page.id(1), 1, Data("cd".utf8))) == "{}")
        #expect(try await taken?.data == Data("abcd".utf8))
        #expect(bridge.bodies.counts == BodyStore.Counts(restored: 1))
        // In small steps it is time that has passed.
        _ = await page.send(bridge, page.body(page.id(2), Data("a".utf8)))
        for _ in 0..<31 {
            clock.advance(by: .seconds(2))
            _ = running.now
        }
        _ = await page.send(bridge, page.body(page.id(3), Data("b".utf8)))
        #expect(bridge.bodies.count == 1)
    }

    @Test func `chunks out of order, twice, or too many end the body`() async throws {
        for numbers in [[1], [0, 0], [0, 1, 2]] {
            let bridge = bridge()
            _ = await page.send(bridge, page.body(page.id(1), size: 4))
            var last = ""
            for number in numbers { last = await page.send(bridge, page.chunk(page.id(1), number, Data("ab".utf8))) }
            #expect(last.contains(#""code":"invalid""#) || last.contains(#""code":"unknown""#), "\(numbers): \(last)")
            if numbers != [0, 1, 2] { #expect(try await bridge.bodies.take(hookID(page.id(1))) == nil) }
        }
    }

    @Test func `a thousand bodies in any order each reach their own request`() async throws {
        let bridge = bridge {
            $0.patience = .seconds(30)
            $0.count = 2000
        }
        let page = page
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in (0..<1000).shuffled() {
                group.addTask {
                    await page.send(bridge, page.body(page.id(number), Data("body \(number)".utf8))) == "{}"
                }
                group.addTask {
                    let id = try #require(HookID(page.id(number)))
                    return await bridge.bodies.take(id)?.data == Data("body \(number)".utf8)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(bridge.bodies.count == 0)
    }
}
