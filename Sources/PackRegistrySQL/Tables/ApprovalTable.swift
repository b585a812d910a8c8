import Foundation
import PackFormat
import PackJSON
import PackRegistry

/// The append-only history of proposed changes, inside one transaction.
struct ApprovalTable {
    let db: Database

    func nextChange() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COALESCE(MAX(change), 0) + 1 FROM approvalEvent") ?? 1
    }

    /// How many approvals each channel requires.
    func required() throws -> [ChannelName: Int] {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM approvalEvent WHERE kind = 'require' ORDER BY sequence")
        return try rows.map(Self.event).reduce(into: [:]) { required, event in
            if case .require(let count) = event.kind { required[event.channel] = count }
        }
    }

    /// All events of some changes, oldest first.
    func events(_ query: FactsQuery.Approvals) throws -> [ApprovalEvent] {
        let (changes, arguments): (String, StatementArguments)
        switch query {
        case .open:
            (changes, arguments) = (
                """
                SELECT change FROM approvalEvent AS made WHERE kind = 'propose' AND NOT EXISTS (
                    SELECT 1 FROM approvalEvent AS later WHERE later.change = made.change
                        AND later.kind IN ('reject', 'execute', 'fail'))
                """, []
            )
        case .newest(let count):
            (changes, arguments) = (
                "SELECT change FROM approvalEvent WHERE kind = 'propose' ORDER BY change DESC LIMIT ?", [count]
            )
        case .change(let id): (changes, arguments) = ("SELECT CAST(? AS BIGINT)", [id])
        }
        return try Row.fetchAll(
            db, sql: "SELECT * FROM approvalEvent WHERE change IN (\(changes)) ORDER BY sequence", arguments: arguments
        ).map(Self.event)
    }

    func append(_ event: ApprovalEvent) throws {
        try db.execute(
            sql: "INSERT INTO approvalEvent (change, channel, time, actor, kind, content) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                event.change, event.channel.text, event.time, event.actor, event.kind.name,
                String(decoding: JSONValue.object(event.kind.content).canonicalBytes, as: UTF8.self),
            ])
    }

    private static func event(_ row: Row) throws -> ApprovalEvent {
        let name = try row.text("kind")
        return try ApprovalEvent(
            row.parsed("content") {
                try ApprovalEvent.Kind(name: name, content: JSONValue(parsing: Array($0.utf8)).object("content"))
            }, change: row.optionalInteger("change"), on: row.parsed("channel") { try ChannelName($0) },
            time: row.date("time"), actor: row.text("actor"))
    }
}
