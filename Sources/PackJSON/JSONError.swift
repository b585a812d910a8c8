/// Why a text is not the expected JSON.
package enum JSONError: Error, Equatable, CustomStringConvertible {
    /// The text breaks the grammar at a line and column, both counted from 1.
    case syntax(line: Int, column: Int, reason: String)
    case missing(field: String)
    case unknown(field: String)
    case unexpected(field: String, wanted: String, found: String)

    package var description: String {
        switch self {
        case .syntax(let line, let column, let reason): "line \(line), column \(column): \(reason)"
        case .missing(let field): "the field \"\(field)\" is missing"
        case .unknown(let field): "the field \"\(field)\" is not known"
        case .unexpected(let field, let wanted, let found): "\"\(field)\" must be \(wanted), not \(found)"
        }
    }
}
