import Foundation
import PackFormat
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// Which changes would lead devices to a version that cannot read what they stored; facts in, a reason out.
struct StateGuardTests {
    /// A channel in memory, with what each version says of its data.
    private struct Memory {
        var history = ReleaseHistory()
        let states: [String: Manifest.State?]
        var count = 0

        init(_ states: [String: (Int, ClosedRange<Int>)?]) throws {
            self.states = try states.mapValues { try $0.map { try Manifest.State(version: $0.0, reads: $0.1) } }
        }

        static func offer(_ version: String) throws -> Release.Offer {
            version == "embedded"
                ? .embedded : .version(try SemanticVersion(version), manifest: Digest(of: Array(version.utf8)))
        }

        func state(_ offer: Release.Offer) -> Manifest.State? {
            guard case .version(let version, _) = offer else { return nil }
            return states[version.description] ?? nil
        }

        /// The reason against some steps; nil if they are taken.
        mutating func take(_ steps: [ReleaseHistory.Step], despite: Bool = false) throws -> String? {
            if !despite {
                do {
                    try StateGuard(package: PackageID("shop"), channel: ChannelName("beta")).check(history, steps) {
                        state($0)
                    }
                } catch let error as RegistryError {
                    return error.message
                }
            }
            count += 1
            history = history.applying(
                steps, by: "ann", now: Date(timeIntervalSince1970: Double(count)), state: state)
            return nil
        }

        mutating func offer(_ version: String, _ percent: Int = 100, despite: Bool = false) throws -> String? {
            try take(
                history.offering(
                    Self.offer(version), Rollout(percent: percent), nil, requiredApp: nil, id: "r\(count)"),
                despite: despite)
        }

        mutating func back(_ version: String, despite: Bool = false) throws -> String? {
            try take(
                history.rollingBack(to: Self.offer(version), requiredApp: nil, id: "r\(count)"), despite: despite)
        }

        mutating func share(_ version: String, _ percent: Int) throws -> String? {
            let offer = try Self.offer(version)
            let release = try #require(history.offered.first { $0.offer == offer })
            return try take(history.setting(Rollout(percent: percent), nil, of: release))
        }

        mutating func withdraw(_ version: String) throws -> String? {
            try take(history.withdrawing(Digest(of: Array(version.utf8))))
        }
    }

    private static let usual: [String: (Int, ClosedRange<Int>)?] = [
        "1.0.0": (1, 1...1), "1.1.0": (1, 1...2), "2.0.0": (2, 1...2), "3.0.0": (3, 3...3), "9.0.0": nil,
    ]

    @Test func `a version that reads what devices have is offered, and the way back goes to one that does`() throws {
        var memory = try Memory(Self.usual)
        for version in ["1.0.0", "1.1.0", "2.0.0"] { #expect(try memory.offer(version) == nil) }
        let reason = try #require(try memory.back("1.0.0"))
        #expect(
            reason
                == "shop 1.0.0 reads stored data of state 1 only, and devices of beta may have data of state 2, which shop 2.0.0 "
                + "writes. Offer a version that can read it, or give --despite-state if that is meant")
        #expect(memory.history.offered.first?.version?.description == "2.0.0")
        #expect(try memory.back("1.1.0") == nil)
        // The data of 2.0.0 is still on the devices.
        #expect(try memory.back("1.0.0") != nil)
        #expect(try memory.back("1.0.0", despite: true) == nil)
        // It was accepted, so the line goes on without asking.
        #expect(try memory.offer("1.1.0") == nil)
        #expect(try memory.offer("2.0.0") == nil)
    }

    @Test func `a newer version that drops old data is refused too`() throws {
        var memory = try Memory(Self.usual)
        _ = try memory.offer("2.0.0")
        #expect(try memory.offer("3.0.0")?.contains("shop 3.0.0 reads stored data of state 3 only") == true)
        #expect(try memory.offer("3.0.0", 0) != nil, "a plan would raise it later")
        #expect(try memory.offer("9.0.0")?.contains("does not say which stored data it reads") == true)
    }

    @Test func `a share that falls and a version that is withdrawn lead back as well`() throws {
        var memory = try Memory(Self.usual)
        _ = try memory.offer("1.0.0")
        #expect(try memory.offer("2.0.0", 10) == nil)
        #expect(try memory.share("2.0.0", 50) == nil)
        #expect(try memory.share("2.0.0", 5)?.contains("shop 1.0.0 reads") == true)
        #expect(try memory.withdraw("2.0.0")?.contains("shop 1.0.0 reads") == true)
        var harmless = try Memory(Self.usual)
        _ = try harmless.offer("1.1.0")
        _ = try harmless.offer("2.0.0", 10)
        #expect(try harmless.share("2.0.0", 5) == nil)
        #expect(try harmless.withdraw("2.0.0") == nil)
    }

    @Test func `what says nothing cannot read what others write, and what the app embeds neither`() throws {
        var memory = try Memory(["1.0.0": nil, "1.1.0": nil, "2.0.0": (1, 1...1), "3.0.0": nil])
        #expect(try memory.offer("1.0.0") == nil)
        #expect(try memory.offer("1.1.0") == nil)
        #expect(try memory.back("1.0.0") == nil, "who does not use it is not asked")
        #expect(try memory.back("embedded") == nil)
        #expect(try memory.offer("2.0.0") == nil, "the first that says so knows what was before")
        #expect(try memory.back("1.1.0")?.contains("shop 1.1.0 does not say which stored data it reads") == true)
        #expect(try memory.back("embedded")?.contains("what the app embeds of shop does not say") == true)
        #expect(try memory.offer("3.0.0", despite: true) == nil)
        #expect(try memory.back("2.0.0")?.contains("shop 3.0.0, which devices of beta may run, does not say") == true)
    }

    @Test func `a release for nobody has written nothing`() throws {
        var memory = try Memory(Self.usual)
        _ = try memory.offer("1.0.0")
        #expect(try memory.offer("2.0.0", 0) == nil)
        #expect(try memory.back("1.0.0") == nil)
    }

    @Test func `what a release wrote is not forgotten when its share is lowered to nothing`() throws {
        var memory = try Memory(Self.usual)
        #expect(try memory.offer("2.0.0", 60) == nil)
        // Nothing lies beneath: who has it keeps it.
        #expect(try memory.share("2.0.0", 0) == nil)
        #expect(try memory.back("embedded")?.contains("devices of beta may have data of state 2") == true)
        #expect(try memory.offer("1.0.0") != nil)
    }
}
