import CPostgreSQL
package import PackRegistryAPI

/// Where a PostgreSQL database is, by libpq's own ways: a URL, whose gaps libpq fills from the environment (`PGHOST`, `PGUSER`,
/// `PGPASSWORD`, `PGSSLMODE` …), the password file (`PGPASSFILE`, `~/.pgpass`) and service files (`?service=NAME`).
///
///     let address = try PostgresAddress("postgres://packtool@db.example.com/packtool?sslmode=verify-full")
///     print(address)          // postgres://packtool@db.example.com/packtool
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    /// As libpq reads it; may have a password.
    let text: String
    /// Without secrets, as libpq reads it.
    package let withoutSecrets: String
    /// Whether the text itself has a password, and so whoever sees the text.
    package let hasSecret: Bool
    /// A URL for messages, without secrets and parameters.
    package let description: String

    /// Whether a text means a database at all.
    package static func isOne(_ text: String) -> Bool {
        ["postgres://", "postgresql://"].contains { text.lowercased().hasPrefix($0) }
    }

    /// - Parameter text: a URL with `postgres` or `postgresql`, or a connection string such as ``withoutSecrets``.
    /// - Throws: ``RegistryError`` of the kind `.invalid`, which does not repeat the text, because it may have a password.
    package init(_ text: String) throws(RegistryError) {
        guard packtool_load_postgresql() else {
            throw RegistryError(
                .unusable,
                "a registry in PostgreSQL needs the library libpq.so.5, and it is not on this machine. Install it (Debian and "
                    + "Ubuntu: apt-get install libpq5)")
        }
        var message: UnsafeMutablePointer<CChar>?
        defer { if let message { PQfreemem(message) } }
        guard let options = PQconninfoParse(text, &message) else {
            throw RegistryError(
                .invalid,
                "the URL of the database cannot be read: it has the form postgres://USER@HOST:PORT/DATABASE, and "
                    + "special characters in it are written as %XX")
        }
        defer { PQconninfoFree(options) }
        var given: [(keyword: String, value: String)] = []
        var hasSecret = false
        var option = options
        while let keyword = option.pointee.keyword {
            defer { option += 1 }
            guard let value = option.pointee.val else { continue }
            if let shown = option.pointee.dispchar, String(cString: shown) == "*" {
                hasSecret = true
            } else {
                given.append((String(cString: keyword), String(cString: value)))
            }
        }
        self.text = text
        self.hasSecret = hasSecret
        withoutSecrets = given.map { "\($0.keyword)=\(Self.quoted($0.value))" }.joined(separator: " ")
        func value(_ keyword: String) -> String? { given.first { $0.keyword == keyword }?.value }
        var name = "postgres://"
        if let user = value("user") { name += "\(user)@" }
        name += value("host") ?? value("hostaddr") ?? ""
        if let port = value("port") { name += ":\(port)" }
        if let database = value("dbname") { name += "/\(database)" }
        if let service = value("service") { name += "?service=\(service)" }
        description = name
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
