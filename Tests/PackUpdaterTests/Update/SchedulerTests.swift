import Foundation
import PackFormat
import Synchronization
import Testing

@testable import PackUpdater

/// What an app has besides `update`: events, a scheduler, another channel, another app version.
struct SchedulerTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID
    let two: VersionID

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        one = try registry.publish(
            "checkout", "1.0.0", ["index.html": "one", "app.js": String(repeating: "x", count: 300_000)])
        two = try registry.publish(
            "checkout", "1.1.0",
            ["index.html": "two", "app.js": UUID().uuidString + String(repeating: "y", count: 300_000)])
        try registry.release("checkout", one, release: "r1")
    }

    /// Waits until something holds.
    private func until(_ holds: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            if try await holds() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test func `an app sees what an update does, how far it is, and how it ends`() async throws {
        let updater = try device.updater()
        let events = updater.updateEvents()
        let other = updater.updateEvents()
        let report = try await updater.update(.all)
        var seen: [UpdateEvent] = []
        for await event in events {
            seen.append(event)
            if case .finished = event { break }
        }
        #expect(seen.first == .checking && seen.last == .finished(report))
        let progress = seen.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
        #expect(progress.allSatisfy { $0.package.text == "checkout" && $0.version == one.version })
        #expect(Set(progress.map(\.phase)) == [.downloading, .unpacking, .installing])
        let downloaded = try #require(progress.last { $0.phase == .downloading })
        let file = registry.view.appending(path: ViewPath.patch(from: nil, to: one.manifest).description)
        #expect(downloaded.received == Durable.size(of: file) && downloaded.expected == downloaded.received)
        var others = 0
        for await event in other {
            others += 1
            if case .finished = event { break }
        }
        #expect(others == seen.count)
        // What cannot even be decided is told as well.
        let away = try device.updater(trust: .unreachable(address: "x", reason: "away"))
        let failing = away.updateEvents()
        await #expect(throws: UpdateError.self) { try await away.update(.all) }
        var last: UpdateEvent?
        for await event in failing {
            last = event
            if case .failed = event { break }
        }
        #expect(last == .failed("x cannot be reached: away"))
    }

    @Test func `the scheduler looks at the start, when the app comes back, on a push, and as the channel says`()
        async throws
    {
        let checks = Mutex(0)
        let polls = Mutex<[Duration]>([])
        let clock = StepClock()
        let scheduler = UpdateScheduler(
            schedule: UpdateSchedule(interval: .seconds(1_000), jitter: 0, firstDelay: .seconds(2), pushSpread: .zero),
            clock: clock, random: { 0 },
            update: {
                checks.withLock { $0 += 1 }; return UpdateReport(entries: [])
            },
            poll: { try? ChannelPoll(seconds: 100, jitter: 0) }, didCheck: { _ in polls.withLock { $0.append(.zero) } })
        await scheduler.start()
        await scheduler.start()
        func count() -> Int { checks.withLock { $0 } }
        #expect(try await until { clock.waits == [.seconds(2)] })
        #expect(count() == 0)
        clock.advance()
        #expect(try await until { count() == 1 && clock.waits == [.seconds(100)] })
        clock.advance()
        #expect(try await until { count() == 2 && clock.waits == [.seconds(100)] })
        await scheduler.resume()
        #expect(try await until { count() == 3 })
        await scheduler.push()
        #expect(try await until { clock.waits.contains(.zero) })
        clock.advance(.zero)
        #expect(try await until { count() == 4 })
        await scheduler.stop()
        #expect(try await until { clock.waits.isEmpty })
        #expect(count() == 4 && polls.withLock { $0.count } == 4)
    }

    @Test func `nobody wakes a scheduler that an overloaded server holds off`() async throws {
        let checks = Mutex(0)
        let clock = StepClock()
        let scheduler = UpdateScheduler(
            schedule: UpdateSchedule(firstDelay: .zero, pushSpread: .zero), clock: clock, random: { 0 },
            update: {
                checks.withLock { $0 += 1 }
                throw UpdateError.overloaded(address: "x", reason: "busy", retryAfter: .seconds(7_200))
            })
        await scheduler.start()
        #expect(try await until { clock.waits == [.zero] })
        clock.advance()
        #expect(try await until { clock.waits == [.seconds(7_200)] })
        await scheduler.resume()
        try await Task.sleep(for: .milliseconds(50))
        #expect(checks.withLock { $0 } == 1 && clock.waits == [.seconds(7_200)])
        await scheduler.stop()
    }

    @Test func `a scheduler that is stopped and started keeps the pause that it was in`() async throws {
        enum Fault { case overload, failure }
        for fault in [Fault.overload, .failure] {
            let checks = Mutex(0)
            let clock = StepClock()
            let scheduler = UpdateScheduler(
                schedule: UpdateSchedule(firstDelay: .seconds(2), backoff: .seconds(100)), clock: clock,
                random: { 0 },
                update: {
                    checks.withLock { $0 += 1 }
                    if fault == .failure { throw UpdateError.notTrusted(reason: "expired") }
                    throw UpdateError.overloaded(address: "x", reason: "busy", retryAfter: .seconds(7_200))
                })
            func count() -> Int { checks.withLock { $0 } }
            await scheduler.start()
            #expect(try await until { clock.waits == [.seconds(2)] })
            clock.advance()
            let pause: Duration = fault == .overload ? .seconds(7_200) : .seconds(50)
            #expect(try await until { clock.waits == [pause] })
            await scheduler.stop()
            #expect(try await until { clock.waits.isEmpty })
            clock.pass(.seconds(10))
            await scheduler.start()
            #expect(try await until { clock.waits == [pause - .seconds(10)] })
            await scheduler.stop()
            #expect(try await until { clock.waits.isEmpty })
            // Whoever uses the app again, or is pushed to, is held off by a server only.
            await scheduler.resume()
            let resumed: Duration = fault == .overload ? .seconds(7_190) : .seconds(2)
            #expect(try await until { clock.waits == [resumed] })
            await scheduler.stop()
            #expect(try await until { clock.waits.isEmpty })
            // The pause is over.
            clock.pass(.seconds(8_000))
            await scheduler.start()
            #expect(try await until { clock.waits == [.seconds(2)] })
            #expect(count() == 1)
            await scheduler.stop()
        }
    }

    @Test func `the app switches the channel while it runs`() async throws {
        let updater = try device.updater()
        _ = try await updater.update(.all)
        let stable = try ChannelName("stable")
        let release = try Release(id: "s1", offer: .version(two.version, manifest: two.manifest))
        let file = try ChannelFile(
            app: registry.app, channel: stable, packages: [PackageID("checkout"): .init(releases: [release])],
            poll: ChannelPoll(seconds: 120))
        try registry.put(file.bytes, registry.signed, ViewLayout.channelTarget(stable))
        #expect(try await updater.poll() == nil)
        await updater.setChannel(stable)
        #expect(await updater.channel == stable)
        #expect(try await updater.update(.all).entries.first?.outcome == .activated(two.version))
        #expect(try await updater.poll()?.seconds == 120)
        await updater.setChannel(registry.channel)
        #expect(try await updater.update(.all).entries.first?.outcome == .activated(one.version))
    }

    @Test func `a version that a new app cannot run is left at its first start, and comes back with an app that can`()
        async throws
    {
        let three = try registry.publish("checkout", "1.2.0", ["index.html": "three"], requires: "<4.0.0")
        _ = try await device.updater().update(.all)
        try await device.confirm("checkout")
        try registry.release("checkout", three, release: "r3")
        _ = try await device.updater().update(.all)
        try await device.confirm("checkout")
        #expect(try device.state("checkout").active?.id == three)

        device.configuration.appVersion = try AppVersion("4.0")
        let newApp = try device.updater()
        try await newApp.start()
        #expect(try await device.page("checkout", by: newApp) == "one")
        let events = try device.events(.rolledBack)
        #expect(events.last?.why.contains("it requires app <4.0.0 and this is 4.0") == true)
        #expect(try device.state("checkout").failures.isEmpty)

        device.configuration.appVersion = try AppVersion("3.9 (12)")
        let oldApp = try device.updater()
        try await oldApp.start()
        #expect(try await oldApp.update(.all).entries.first?.outcome == .activated(three.version))
    }

    @Test func `a gate and rules of the channel hold for every package, whichever a check is about`() async throws {
        let cart = try registry.publish("cart", "1.0.0", ["index.html": "cart"])
        try registry.release("cart", cart, release: "c1")
        _ = try await device.updater().update(.all)
        let rules = WebRules([WebRules.Rule(name: "ads", action: .deny, host: "*.ads.example")])
        func put(gate: Bool, rules: WebRules?) throws {
            var packages = registry.channels
            packages[try PackageID("cart")] = try .init(
                releases: #require(packages[PackageID("cart")]).releases, isEnabled: gate)
            let file = ChannelFile(app: registry.app, channel: registry.channel, packages: packages, rules: rules)
            try registry.put(file.bytes, registry.signed, ViewLayout.channelTarget(registry.channel))
        }
        try put(gate: false, rules: rules)
        let updater = try device.updater()
        _ = try await updater.update(.list([PackageID("checkout")]))
        #expect(try device.state("cart").isEnabled == false)
        #expect(try await updater.openInstalled(PackageID("cart")) == nil)
        // After a restart without a network, too.
        #expect(try await device.updater().rules() == rules)
        try put(gate: true, rules: nil)
        _ = try await updater.update(.list([PackageID("checkout")]))
        #expect(try await updater.openInstalled(PackageID("cart")) != nil)
        #expect(try await updater.rules() == nil)
        #expect(try device.events(.decided).contains { $0.why == "the channel's feature gate is off" })
    }
}

/// A clock that stands until it is told.
final class StepClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let end: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let sleepers = Mutex<[Int: Sleeper]>([:])
    private let next = Mutex(0)
    private let time = Mutex(Duration.zero)

    var now: Instant { Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .zero }
    /// What somebody waits for.
    var waits: [Duration] {
        let now = now.offset
        return sleepers.withLock { $0.values.map { $0.end - now }.sorted() }
    }

    /// Lets time pass; nobody wakes.
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }

    /// Ends the waits, or those of this length; no time passes.
    func advance(_ wait: Duration? = nil) {
        let now = now.offset
        let woken = sleepers.withLock { sleepers in
            let woken = sleepers.filter { wait == nil || $0.value.end - now == wait }
            for key in woken.keys { sleepers[key] = nil }
            return woken.values
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = next.withLock { next in
            next += 1
            return next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleepers.withLock { $0[id] = Sleeper(end: deadline.offset, continuation: continuation) }
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        sleepers.withLock { $0.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
    }
}
