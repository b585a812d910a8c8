import Foundation
import PackJSON
import PackRegistryAPI

/// The append-only history of all releases, inside one transaction.
struct ReleaseEventTable {
    enum Kind: String {
        case add, update, remove, plan, rollout
    }

    let db: Database

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
