package import Foundation

/// A value in a row, or for a parameter.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int)
    case text(String)
    case bytes([UInt8])
    /// To the millisecond.
    case time(Date)
}

package protocol SQLValueConvertible {
    var sqlValue: SQLValue { get }
}

extension String: SQLValueConvertible {
    package var sqlValue: SQLValue { .text(self) }
}

extension Int: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(self) }
}

extension Bool: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension Date: SQLValueConvertible {
    package var sqlValue: SQLValue { .time(self) }
}

extension [UInt8]: SQLValueConvertible {
    package var sqlValue: SQLValue { .bytes(self) }
}

/// The values of a statement's parameters, in their order.
package struct StatementArguments: ExpressibleByArrayLiteral, Sendable {
    package let values: [SQLValue]

    package init(arrayLiteral elements: (any SQLValueConvertible)?...) {
        values = elements.map { $0?.sqlValue ?? .null }
    }

    package init(_ elements: some Sequence<some SQLValueConvertible>) {
        values = elements.map(\.sqlValue)
    }

    package init(values: [SQLValue]) {
        self.values = values
    }
}

/// `?, ?, ?`
package func databaseQuestionMarks(count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
}
