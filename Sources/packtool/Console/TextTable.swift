/// A table of text columns.
enum TextTable {
    static func lines(_ rows: [[String]]) -> [String] {
        var widths = [Int](repeating: 0, count: rows.map(\.count).max() ?? 0)
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
        }
        let gaps = (0...(widths.max() ?? 0)).map { String(repeating: " ", count: $0) }
        return rows.map { row in
            var line = ""
            // None stand at the end of a line.
            let last = row.lastIndex { !$0.isEmpty } ?? -1
            for (index, cell) in row.enumerated() where index <= last {
                line += cell
                guard index < last else { break }
                line += gaps[widths[index] - cell.count]
                line += "  "
            }
            return line
        }
    }
}
