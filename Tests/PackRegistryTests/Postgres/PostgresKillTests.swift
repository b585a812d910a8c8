import Foundation
import PackFormat
import PackRegistryPostgres
import PackTrust
import Synchronization
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistrySQL

/// The database is killed in the middle of changes. `PACKTOOL_LONG` kills it as often as issue 16 wants.
struct PostgresKillTests {
    private final class Shared<Value: Sendable>: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    @Test func `whatever is killed, no acknowledged change is lost and none is there half`() async throws {
        let server = try await PostgresServer()
        let database = try await PostgresDatabase.open(
            PostgresAddress(server.url), schema: "packtool", limits: PostgresBench.small)
        let bench = try await StoreBench(.postgres, in: database)
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
        let kills = isLong ? 200 : 6
        let isOver = Shared(false)
        let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
            for package in StoreBench.packages {
                group.addTask {
                    var done: [String] = []
                    var number = 0
                    // On a slow machine hardly anything is published between the kills; some is to follow them.
                    while number < kills / 2 || !isOver.value.withLock({ $0 }) {
                        number += 1
                        let version = "1.0.\(number)"
                        try await bench.publish(package, version)
                        done.append("\(package) \(version)")
                    }
                    return done
                }
            }
            group.addTask {
                defer { isOver.value.withLock { $0 = true } }
                for index in 0..<kills {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...250)))
                    if index % 2 == 0 { try? server.killBackend() } else { try? server.killPostmaster() }
                }
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(acknowledged.count >= StoreBench.packages.count * (kills / 2))
        let overview = try await bench.store.overview(of: nil)
        let published = overview.versions.flatMap { package, versions in versions.map { "\(package) \($0.version)" } }
        #expect(Set(published) == Set(acknowledged) && published.count == acknowledged.count)
        // Each publication is one version of its role, of the snapshot and of the timestamp, and one entry of the log.
        var query = FactsQuery()
        query.roles = Set(try StoreBench.packages.map { ViewLayout.role(of: try PackageID($0)) })
        query.audit = AuditQuery(limit: 100_000)
        let facts = try await bench.store.facts(query)
        for package in StoreBench.packages {
            let role = ViewLayout.role(of: try PackageID(package))
            let document: SignedDocument<TargetsMetadata> = try facts.required(role)
            let count = acknowledged.filter { $0.hasPrefix("\(package) ") }.count
            #expect(document.body.version == count && document.body.targets.count == count)
        }
        #expect(facts.audit.filter { $0.action == "publish" }.count == acknowledged.count)
        #expect(facts.base.timestamp == acknowledged.count + 1)
    }

    @Test func `a transaction whose end nobody heard is not done twice`() async throws {
        let server = try await PostgresServer()
        let database = try await PostgresDatabase.open(
            PostgresAddress(server.url), schema: "packtool", limits: PostgresBench.small)
        try server.psql("CREATE TABLE packtool.once (number BIGINT GENERATED ALWAYS AS IDENTITY)")
        let attempts = Shared(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try await database.writing { db in
                            attempts.value.withLock { $0 += 1 }
                            try db.execute(sql: "INSERT INTO once DEFAULT VALUES")
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<5 {
                    try await Task.sleep(for: .milliseconds(60))
                    try? server.killBackend()
                }
            }
            try await group.waitForAll()
        }
        let count = try await database.reading { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM once") }
        #expect(count == 100)
        #expect(attempts.value.withLock { $0 } >= 100)
    }
}
