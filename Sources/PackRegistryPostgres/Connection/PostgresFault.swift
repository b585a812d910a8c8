import PackRegistryAPI

/// What went wrong between this process and the database.
struct PostgresFault: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// There is no connection, or it broke.
        case connection
        /// The database asked for a password, and refused the connection. Without a SQLSTATE it is not known why.
        case refused
        /// No answer within the time that a statement has.
        case timeout
        /// An error of the statement, by its SQLSTATE (PostgreSQL's documentation, appendix A).
        case statement(String)
    }

    let kind: Kind
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        let line = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
        self.message = line
    }

    private var state: String {
        if case .statement(let state) = kind { return state }
        return ""
    }

    /// The same transaction may succeed if it is done once more: serialization failure, deadlock, a plan that a migration
    /// made stale.
    var isConflict: Bool { ["40001", "40P01"].contains(state) || isStalePlan }

    /// `cached plan must not change result type`: the connection's prepared statements are from before a migration.
    var isStalePlan: Bool { state == "0A000" }

    /// The connection is of no use any more, and another one may be: the server is going down, starting, or became a standby.
    var isLostConnection: Bool {
        switch kind {
        case .connection, .timeout: true
        case .refused: false
        case .statement:
            state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25006", "25P03"].contains(state)
        }
    }

    /// There is no table, or no schema, of that name.
    var isMissingTable: Bool { state == "42P01" }

    func error(_ database: String) -> RegistryError {
        switch kind {
        case .connection:
            return RegistryError(.unreachable, "\(database) cannot be reached: \(message)")
        case .refused:
            return RegistryError(
                .unusable,
                "\(database) refuses the connection: \(message). Is the password right? It comes from PGPASSWORD, or from the "
                    + "file that PGPASSFILE names")
        case .timeout:
            return RegistryError(.unreachable, "\(database) does not answer: \(message)")
        case .statement(let state):
            switch state {
            case "53100": return RegistryError(.full, "\(database) cannot be written: its disk is full (\(message))")
            case "55P03", "57014", "53300", "40001", "40P01":
                return RegistryError(.busy, "\(database) is busy: \(message). Try again")
            case "42501":
                return RegistryError(
                    .unusable,
                    "\(database): \(message). The user needs the right to create a schema in the database, or must own "
                        + "the schema packtool")
            default: return RegistryError(.unusable, "\(database): \(message) (SQLSTATE \(state))")
            }
        }
    }
}
