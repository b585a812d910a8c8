import CPostgreSQL
import Foundation
import PackRegistryAPI
import PackRegistrySQL

/// A result of libpq in binary form (or of a command, in text), read into values.
struct PostgresResult {
    /// Seconds from 1970 to 2000, where PostgreSQL's times begin.
    private static let epoch = 946_684_800.0

    let value: SQLResult

    init(_ result: OpaquePointer) throws {
        let width = PQnfields(result)
        let changes = Int(String(cString: PQcmdTuples(result))) ?? 0
        guard width > 0 else {
            value = SQLResult(rows: [], changes: changes)
            return
        }
        let columns = Row.Columns((0..<width).map { String(cString: PQfname(result, $0)) })
        var rows: [Row] = []
        for row in 0..<PQntuples(result) {
            rows.append(Row(columns, try (0..<width).map { try Self.value(result, row, $0) }))
        }
        value = SQLResult(rows: rows, changes: changes)
    }

    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) throws -> SQLValue {
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
        let type = PQftype(result, column)
        guard PQfformat(result, column) == 1 else { return .text(String(decoding: bytes, as: UTF8.self)) }
        // The numbers of types in `pg_type.dat`, the same in every server.
        switch type {
        case 16, 20, 21, 23: return .integer(integer(bytes))
        case 17: return .bytes([UInt8](bytes))
        case 19, 25, 1043: return .text(String(decoding: bytes, as: UTF8.self))
        case 1184: return .time(Date(timeIntervalSince1970: epoch + Double(integer(bytes)) / 1_000_000))
        default: throw RegistryError(.unusable, "the database answers with a type that is not known here: \(type)")
        }
    }

    /// Big-endian, with a sign; of a Boolean 0 or 1.
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int {
        var value = bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
        for byte in bytes { value = value << 8 | Int(byte) }
        return value
    }
}
