import Testing

@testable import PackRegistryPostgres

struct PreparedStatementsTests {
    /// What a connection does for one use of a statement.
    /// - Returns: whether it was prepared, and the name that the server had to forget.
    private func run(_ sql: String, _ statements: inout PreparedStatements) -> (prepared: Bool, forgotten: String?) {
        guard statements.use(sql).shouldPrepare else { return (false, nil) }
        let name = statements.newName()
        let forgotten = statements.removeOldest()
        statements.insert(name, for: sql)
        return (true, forgotten)
    }

    @Test func `a statement is prepared at its second use, once`() {
        var statements = PreparedStatements(maximumCount: 4)
        #expect(!run("SELECT 1", &statements).prepared)
        #expect(run("SELECT 1", &statements).prepared)
        #expect(statements.use("SELECT 1").name == "s1")
        #expect(!run("SELECT 1", &statements).prepared)
        statements.removeAll()
        #expect(!run("SELECT 1", &statements).prepared)
        #expect(run("SELECT 1", &statements).prepared)
        #expect(statements.use("SELECT 1").name == "s2")
    }

    @Test func `one that is used again and again stays prepared, and the server forgets one for each that is too many`()
    {
        var statements = PreparedStatements(maximumCount: 4)
        for _ in 0..<2 { _ = run("BEGIN", &statements) }
        var forgotten: [String] = []
        for number in 0..<100 {
            let sql = "SELECT \(number)"
            #expect(run(sql, &statements).forgotten == nil)
            let second = run(sql, &statements)
            #expect(second.prepared)
            forgotten += [second.forgotten].compactMap { $0 }
            // The three that came last are there, and what is used again and again.
            for recent in max(0, number - 2)...number { #expect(statements.use("SELECT \(recent)").name != nil) }
            #expect(statements.use("BEGIN").name == "s1")
        }
        // All but the four that are kept.
        #expect(forgotten.count == 97 && Set(forgotten).count == 97)
        #expect(!forgotten.contains("s1"))
    }
}
