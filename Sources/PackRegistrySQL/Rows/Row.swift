package import Foundation
package import PackRegistryAPI

/// One row of a result. Columns are read without a trap, because the database may have been edited or damaged.
package struct Row: Sendable {
    /// Which column is where, for all rows of a result.
    package final class Columns: Sendable {
        fileprivate let indexes: [String: Int]

        /// - Parameter names: of two columns with one name the first counts.
        package init(_ names: [String]) {
            var indexes: [String: Int] = [:]
            for (index, name) in names.enumerated() {
                if indexes[name] == nil { indexes[name] = index }
                // PostgreSQL answers in small letters what was not asked for in quotes.
                let folded = name.lowercased()
                if indexes[folded] == nil { indexes[folded] = index }
            }
            self.indexes = indexes
        }
    }

    private let columns: Columns
    package let values: [SQLValue]

    package init(_ columns: Columns, _ values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    package subscript(column: String) -> SQLValue {
        let index = columns.indexes[column] ?? columns.indexes[column.lowercased()]
        guard let index, values.indices.contains(index) else { return .null }
        return values[index]
    }

    func firstInteger() throws(RegistryError) -> Int? {
        switch values.first {
        case .integer(let value): value
        case .null, nil: nil
        default: throw Self.damaged("number")
        }
    }

    package func text(_ column: String) throws(RegistryError) -> String {
        guard let value = try optionalText(column) else { throw Self.damaged(column) }
        return value
    }

    package func optionalText(_ column: String) throws(RegistryError) -> String? {
        switch self[column] {
        case .null: nil
        case .text(let text): text
        default: throw Self.damaged(column)
        }
    }

    package func integer(_ column: String) throws(RegistryError) -> Int {
        guard let value = try optionalInteger(column) else { throw Self.damaged(column) }
        return value
    }

    package func optionalInteger(_ column: String) throws(RegistryError) -> Int? {
        switch self[column] {
        case .null: nil
        case .integer(let value): value
        default: throw Self.damaged(column)
        }
    }

    package func date(_ column: String) throws(RegistryError) -> Date {
        guard let value = try optionalDate(column) else { throw Self.damaged(column) }
        return value
    }

    package func optionalDate(_ column: String) throws(RegistryError) -> Date? {
        switch self[column] {
        case .null: return nil
        case .time(let date): return date
        case .text(let text):
            guard let date = StoredTime.date(text) else { throw Self.damaged(column) }
            return date
        default: throw Self.damaged(column)
        }
    }

    package func blob(_ column: String) throws(RegistryError) -> [UInt8] {
        switch self[column] {
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        default: throw Self.damaged(column)
        }
    }

    /// Parses a stored text into a value type.
    package func parsed<Value>(_ column: String, _ parse: (String) throws -> Value) throws(RegistryError) -> Value {
        let text = try text(column)
        do { return try parse(text) } catch { throw Self.damaged(column, error) }
    }

    /// What a value of a column should have been and is not.
    package static func damaged(_ column: String, _ reason: (any Error)? = nil) -> RegistryError {
        RegistryError(
            .unusable,
            "the registry's database is damaged: a value of \"\(column)\" is not valid"
                + (reason.map { " (\($0))" } ?? "") + ". Restore it from a backup")
    }
}
