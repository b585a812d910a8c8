import Foundation
import PackJSON
import PackRegistryAPI

/// The append-only history of all releases, inside one transaction.
struct ReleaseEventTable {
    enum Kind: String {
        case add, update, remove, plan, rollout
    }

    let db: Database

    /// Why a release was taken back; empty if nobody said why.
    func reason(ofRemoving release: String) throws -> String {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT content FROM releaseEvent WHERE release = ? AND kind = 'remove' ORDER BY sequence DESC LIMIT 1
                """, arguments: [release])
        return try row?.parsed("content") { try JSONValue(parsing: $0).object().reason() } ?? ""
    }

    func append(
        _ kind: Kind, _ release: String, content: JSONObject = [:], by actor: Identity, now: Date
    ) throws {
        try db.execute(
            sql: "INSERT INTO releaseEvent (release, time, actor, kind, content) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                release, now, actor.name, kind.rawValue,
                String(decoding: JSONValue.object(content).canonicalBytes, as: UTF8.self),
            ])
    }
}

extension JSONObject {
    /// Of an event; empty if it has none.
    func reason() throws -> String { try self["reason"]?.string("reason") ?? "" }
}
