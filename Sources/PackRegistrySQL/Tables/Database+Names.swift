extension Database {
    /// A row for each different text of a column, in their order: from one to the next by the index that begins with the
    /// column, and not through every row of the table.
    /// - Parameter expression: one more column, of `name`, which has the text.
    func rowsOfNames(_ column: String, in table: String, with expression: String? = nil) throws -> [Row] {
        try Row.fetchAll(
            self,
            sql: """
                WITH RECURSIVE name (\(column)) AS (
                    SELECT MIN(\(column)) FROM \(table)
                    UNION ALL
                    SELECT (SELECT MIN(\(column)) FROM \(table) WHERE \(column) > name.\(column)) FROM name
                    WHERE name.\(column) IS NOT NULL
                )
                SELECT \(column)\(expression.map { ", \($0)" } ?? "") FROM name WHERE \(column) IS NOT NULL
                """)
    }
}
