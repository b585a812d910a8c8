import GRDB
import PackFormat
import PackRegistry

/// What the numbers of subjects stand for. Thousands of rows name a few of them: each is read and parsed once.
struct SubjectNames {
    struct Name {
        let channel: ChannelName
        let subject: ReportSubject
    }

    private let find: Statement
    private var known: [Int: Name] = [:]

    init(_ db: Database) throws {
        find = try db.cachedStatement(sql: "SELECT channel, package, version, release FROM subject WHERE id = ?")
    }

    /// - Throws: `RegistryError` where there is no such row.
    mutating func name(of id: Int) throws -> Name {
        if let name = known[id] { return name }
        guard let row = try Row.fetchOne(find, arguments: [id]) else { throw Row.damaged("subject") }
        let name = try Name(channel: row.parsed("channel") { try ChannelName($0) }, subject: Self.subject(row))
        known[id] = name
        return name
    }

    static func subject(_ row: Row) throws -> ReportSubject {
        let version = try row.text("version")
        let release = try row.text("release")
        return try ReportSubject(
            package: row.parsed("package") { try PackageID($0) },
            version: version.isEmpty ? nil : row.parsed("version") { try SemanticVersion($0) },
            release: release.isEmpty ? nil : release)
    }
}
