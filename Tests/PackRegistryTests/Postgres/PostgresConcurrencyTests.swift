import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryPostgres
@testable import PackRegistrySQL

/// Several publishers, a releaser and a renewer on one database at the same time.
struct PostgresConcurrencyTests {
    private typealias Action = InterleavingTests.Action

    /// Who did what: the log of the registry says in which order it was recorded.
    private struct Done: Sendable {
        let name: String
        let action: InterleavingTests.Action
        let outcome: String
    }

    /// Does an actor's actions one after the other, each again while others come first.
    private static func perform(_ actions: [InterleavingTests.Action], of actor: Int, _ bench: StoreBench) async throws
        -> [Done]
    {
        var done: [Done] = []
        for (index, action) in actions.enumerated() {
            let name = "actor \(actor) action \(index)"
            func attempt() async throws -> String {
                try await InterleavingTests.result {
                    while true {
                        do {
                            return try await InterleavingTests.prepare(action, bench, as: .local(user: name))()
                        } catch is StaleFacts {}
                    }
                }
            }
            var outcome = try await attempt()
            if case .release = action {
                // The releaser may be quicker than the publishers: what it offers comes a moment later.
                var left = 100
                while !outcome.hasPrefix("true"), left > 0 {
                    left -= 1
                    try await Task.sleep(for: .milliseconds(10))
                    outcome = try await attempt()
                }
            }
            done.append(Done(name: name, action: action, outcome: outcome))
        }
        return done
    }

    @Test(arguments: 1...5)
    func `two publishers, a releaser and a renewer at once end as some serial order does`(run: Int) async throws {
        let bench = try await InterleavingTests.bench(.postgres)
        let actors = try InterleavingTests.actors()
        let done = try await withThrowingTaskGroup(of: [Done].self) { group in
            for (index, actions) in actors.enumerated() {
                group.addTask { try await Self.perform(actions, of: index, bench) }
            }
            return try await group.reduce(into: [Done]()) { $0 += $1 }
        }
        var query = FactsQuery.unsigned
        query.audit = AuditQuery(limit: 1000)
        var order: [String] = []
        for entry in try await bench.store.facts(query).audit.reversed() where !order.contains(entry.actor) {
            order.append(entry.actor)
        }
        let serial = try await InterleavingTests.bench()
        var count = 0
        for name in order {
            guard let one = done.first(where: { name.contains($0.name) }), one.outcome.hasPrefix("true") else {
                continue
            }
            let again = try await InterleavingTests.result { try await InterleavingTests.prepare(one.action, serial)() }
            #expect(again == one.outcome, "\(one.action)")
            count += 1
        }
        #expect(count == done.filter { $0.outcome.hasPrefix("true") }.count && count >= 4)
        #expect(try await serial.picture() == bench.picture())
    }

    @Test func `two servers that write at once lose nothing of each other`() async throws {
        let schema = PostgresBench.newSchema()
        let databases = [try await PostgresBench.database(schema), try await PostgresBench.database(schema)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (server, database) in databases.enumerated() {
                for number in 0..<40 {
                    group.addTask {
                        try await database.writing { db in
                            let next = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM setting") ?? 0
                            try SettingTable(db: db).set("\(next)", to: "\(server) \(number)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        // Each found what all before it wrote, or two would have had one number.
        let count = try await databases[0].reading { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM setting") }
        #expect(count == 80)
    }

    @Test func `many that open a new database at once make its schema once`() async throws {
        let schema = PostgresBench.newSchema()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try await PostgresBench.database(schema)
                    let steps = try await database.reading {
                        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM migration")
                    }
                    #expect(steps == PostgresSchema.registry.steps.count)
                }
            }
            try await group.waitForAll()
        }
    }
}
