import Foundation
import GRDB
import PackFormat

/// Gives each network one of 1,024 numbers, by a hash with a secret of this registry.
///
/// A gate needs to know whether failures come from many networks, and no address is to be stored. Each number is shared by 16,384
/// IPv4 networks, so it tells nobody's place, also to somebody who has the secret.
struct NetworkNumbers: Sendable {
    static let count = 1024

    private let key: [UInt8]

    init(key: [UInt8]) {
        self.key = key
    }

    /// Reads the secret, or makes it.
    init(_ db: Database) throws {
        let sql = "SELECT value FROM secret WHERE name = 'network'"
        if let key = try Data.fetchOne(db, sql: sql) {
            self.key = Array(key)
            return
        }
        var generator = SystemRandomNumberGenerator()
        key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try db.execute(sql: "INSERT INTO secret (name, value) VALUES ('network', ?)", arguments: [Data(key)])
    }

    /// - Parameter network: what its addresses have in common.
    func number(of network: [UInt8]) -> Int {
        let hash = Digest(of: key + network).bytes
        return (Int(hash[0]) << 8 | Int(hash[1])) % Self.count
    }
}
