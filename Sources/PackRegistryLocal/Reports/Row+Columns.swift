import Foundation
import GRDB
import PackRegistryAPI

/// Reads columns without a trap, because the file may have been edited or damaged.
extension Row {
    func text(_ column: String) throws(RegistryError) -> String {
        guard let value = try optionalText(column) else { throw Self.damaged(column) }
        return value
    }

    func optionalText(_ column: String) throws(RegistryError) -> String? {
        try optional(column)
    }

    func integer(_ column: String) throws(RegistryError) -> Int {
        guard let value: Int = try optional(column) else { throw Self.damaged(column) }
        return value
    }

    func optionalInteger(_ column: String) throws(RegistryError) -> Int? {
        try optional(column)
    }

    func data(_ column: String) throws(RegistryError) -> Data {
        guard let value: Data = try optional(column) else { throw Self.damaged(column) }
        return value
    }

    /// Parses a stored text into a value type.
    func parsed<Value>(_ column: String, _ parse: (String) throws -> Value) throws(RegistryError) -> Value {
        let text = try text(column)
        do { return try parse(text) } catch { throw Self.damaged(column, error) }
    }

    private func optional<Value: DatabaseValueConvertible>(_ column: String) throws(RegistryError) -> Value? {
        let stored: DatabaseValue? = self[column]
        guard let stored, !stored.isNull else { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw Self.damaged(column) }
        return value
    }

    static func damaged(_ column: String, _ reason: (any Error)? = nil) -> RegistryError {
        RegistryError(
            .unusable,
            "the registry's reports are damaged: a value of \"\(column)\" is not valid"
                + (reason.map { " (\($0))" } ?? "") + ". Restore reports.sqlite from a backup, or remove it")
    }
}
