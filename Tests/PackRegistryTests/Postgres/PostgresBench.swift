import Foundation
import PackRegistryPostgres
import TestSupport

@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// A schema of its own in the tests' PostgreSQL.
enum PostgresBench {
    static func newSchema() -> String { "t" + UUID().uuidString.lowercased() }

    static func database(
        _ schema: String = newSchema(), limits: PostgresLimits = small
    ) async throws -> PostgresDatabase {
        try await PostgresDatabase.open(
            PostgresAddress(PostgresServer.shared().url), schema: schema, limits: limits)
    }

    static func reports(_ schema: String = newSchema()) async throws -> PostgresReportStore {
        try await PostgresReportStore(PostgresAddress(PostgresServer.shared().url), schema: schema, limits: small)
    }

    /// Few connections, because many tests have some.
    static var small: PostgresLimits {
        var limits = PostgresLimits()
        limits.connections = 3
        return limits
    }
}
