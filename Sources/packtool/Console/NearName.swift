/// Finds the name that somebody probably meant.
enum NearName {
    /// - Returns: nil if no name is near: at most a third of its letters may differ.
    static func of(_ word: String, among names: some Sequence<String>) -> String? {
        names.map { ($0, distance(word, $0)) }.filter { $0.1 <= max(1, $0.0.count / 3) }.min { $0.1 < $1.1 }?.0
    }

    /// How many letters have to be added, removed, changed or swapped with their neighbour.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.lowercased()), Array(second.lowercased()))
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
