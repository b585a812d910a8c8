import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// Two publishers, a releaser and a renewer on one registry, in any order of their reads and commits: what comes out is what
/// some serial order gives, namely the one in which they were recorded.
@Suite("InterleavingTests") struct InterleavingTests {
    /// One thing that somebody does.
    enum Action: Hashable {
        case publish(String, String)
        case release(ChannelChange, String, UInt32)
        case renew
    }

    static func actors() throws -> [[Action]] {
        let (one, two) = try (SemanticVersion("1.0.0"), SemanticVersion("1.1.0"))
        return [
            [.publish("alpha", "1.0.0"), .publish("alpha", "1.1.0")],
            // The same package: the role's next version belongs to one of them.
            [.publish("alpha", "1.0.0"), .publish("beta", "1.0.0")],
            [
                .release(.offer(one, try Rollout(percent: 50)), "alpha", 1), .release(.offer(two), "alpha", 2),
                .release(.rollBack(to: one), "alpha", 3),
            ],
            [.renew, .renew],
        ]
    }

    /// What was read and decided, and only has to be recorded.
    typealias Record = () async throws -> String

    static func prepare(_ action: Action, _ bench: StoreBench, as identity: Identity? = nil) async throws -> Record {
        func record<Change: RegistryChange>(_ change: Change) async throws -> Record {
            let prepared = try await bench.committer.prepare(change, as: identity ?? bench.ann)
            return { "\(try await bench.committer.record(prepared)) \(prepared.outcome)" }
        }
        switch action {
        case .publish(let package, let version): return try await record(bench.publication(package, version))
        case .release(let change, let package, let bits):
            return try await record(bench.release(change, package, bits: bits))
        case .renew: return try await record(SignatureRenewal())
        }
    }

    static func bench(_ kind: StoreKind = .memory) async throws -> StoreBench {
        let bench = try await StoreBench(kind)
        for (package, version) in [("alpha", "1.0.0"), ("alpha", "1.1.0"), ("beta", "1.0.0")] {
            try await bench.upload(package, version)
        }
        return bench
    }

    static func result(_ body: () async throws -> String) async throws -> String {
        do { return try await body() } catch let error as RegistryError { return "\(error.kind): \(error)" }
    }

    private static func check(seed: UInt64) async throws -> Int {
        var random = SeededGenerator(seed: seed)
        let bench = try await bench()
        var waiting = try actors()
        var begun: [Int: Record] = [:]
        var recorded: [(Action, String)] = []
        var conflicts = 0
        while let actor = waiting.indices.filter({ !waiting[$0].isEmpty }).randomElement(using: &random) {
            let action = waiting[actor][0]
            guard let record = begun.removeValue(forKey: actor) else {
                do {
                    begun[actor] = try await prepare(action, bench)
                } catch let error as RegistryError {
                    // Refused by what it read.
                    recorded.append((action, "\(error.kind): \(error)"))
                    waiting[actor].removeFirst()
                }
                continue
            }
            do {
                recorded.append((action, try await record()))
                waiting[actor].removeFirst()
            } catch is StaleFacts {
                conflicts += 1
            }
        }
        // What recorded nothing changed nothing, and is left out.
        let serial = try await Self.bench()
        for (action, outcome) in recorded where outcome.hasPrefix("true") {
            let again = try await result { try await prepare(action, serial)() }
            #expect(again == outcome, "seed \(seed): \(action)")
        }
        #expect(try await serial.picture() == bench.picture(), "seed \(seed)")
        return conflicts
    }

    @Test func `any interleaving ends as some serial order does`() async throws {
        let count: UInt64 = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 40 : 10_000
        // On all cores: 10,000 take a quarter of an hour on two.
        let cores = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        let conflicts = try await withThrowingTaskGroup(of: Int.self) { group in
            for first in 0..<cores {
                group.addTask {
                    var conflicts = 0
                    for seed in stride(from: first, to: count, by: Int(cores)) {
                        conflicts += try await Self.check(seed: seed)
                    }
                    return conflicts
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(conflicts > Int(count))
    }
}
