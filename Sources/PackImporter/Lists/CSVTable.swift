import PackSystem

/// A table as RFC 4180 describes it: a line of names, then a line for each row; values may be in quotes.
struct CSVTable {
    struct Row {
        /// The line that it begins on, counted from 1.
        let line: Int
        /// By the names of the first line; empty values are left out.
        let values: [String: String]
    }

    let names: [String]
    let rows: [Row]

    /// - Parameter file: for messages.
    /// - Throws: ``ImportError``
    init(_ text: String, file: String) throws(ImportError) {
        var lines = try Self.lines(text, file: file)
        guard !lines.isEmpty else {
            throw .invalidList(file, place: nil, reason: "it is empty: its first line names the columns")
        }
        let header = lines.removeFirst()
        let names = header.fields.map(\.trimmed)
        guard Set(names).count == names.count else {
            throw .invalidList(file, place: "line \(header.line)", reason: "a column is named twice")
        }
        var rows: [Row] = []
        for (line, fields) in lines {
            guard fields.count <= names.count else {
                throw .invalidList(
                    file, place: "line \(line)",
                    reason:
                        "it has \(fields.count) values for \(names.count) columns: put values with a comma in quotes")
            }
            let values = zip(names, fields.map(\.trimmed)).filter { !$0.1.isEmpty }
            rows.append(Row(line: line, values: Dictionary(values, uniquingKeysWith: { $1 })))
        }
        self.names = names
        self.rows = rows
    }

    /// The lines that have something, in fields.
    private static func lines(_ text: String, file: String) throws(ImportError) -> [(line: Int, fields: [String])] {
        var lines: [(line: Int, fields: [String])] = []
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var wasQuoted = false
        var number = 1
        var start = 1
        func closeField() {
            fields.append(String(decoding: field, as: UTF8.self))
            field = []
            wasQuoted = false
        }
        func closeLine() {
            closeField()
            if fields != [""] { lines.append((start, fields)) }
            fields = []
            start = number
        }
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\n") { number += 1 }
            switch byte {
            case UInt8(ascii: "\""):
                if isQuoted, bytes.first == UInt8(ascii: "\"") {
                    field.append(byte)
                    bytes.removeFirst()
                } else if isQuoted {
                    isQuoted = false
                } else if field.isEmpty, !wasQuoted {
                    (isQuoted, wasQuoted) = (true, true)
                } else {
                    throw .invalidList(
                        file, place: "line \(number)", reason: "a quote is inside a value: write it twice, in quotes")
                }
            case _ where isQuoted: field.append(byte)
            case UInt8(ascii: ","): closeField()
            case UInt8(ascii: "\r") where bytes.first == UInt8(ascii: "\n"): break
            case UInt8(ascii: "\n"): closeLine()
            default: field.append(byte)
            }
        }
        guard !isQuoted else { throw .invalidList(file, place: "line \(start)", reason: "a quote is not closed") }
        closeLine()
        return lines
    }
}
