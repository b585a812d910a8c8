/// A table with a caption and headers. On a narrow screen it scrolls by itself, with the keyboard too.
struct Table {
    struct Column {
        let name: String
        let isNumber: Bool

        static func text(_ name: String) -> Column { Column(name: name, isNumber: false) }
        static func number(_ name: String) -> Column { Column(name: name, isNumber: true) }
    }

    let caption: String
    let columns: [Column]
    /// The first cell of each is the row's header.
    var rows: [[[HTML]]] = []
    /// Shown in place of a table without rows.
    var empty = "There is nothing yet."

    init(_ caption: String, _ columns: [Column]) {
        self.caption = caption
        self.columns = columns
    }

    mutating func add(_ cells: [HTML]...) { rows.append(cells) }

    var html: HTML {
        guard !rows.isEmpty else { return tag("p", .class("quiet")) { empty } }
        return tag("div", .class("scroll"), .role("region"), .label(caption), .of("tabindex", "0")) {
            tag("table") {
                tag("caption") { caption }
                tag("thead") {
                    tag("tr") {
                        for column in columns {
                            if column.isNumber {
                                tag("th", .scope("col"), .class("number")) { column.name }
                            } else {
                                tag("th", .scope("col")) { column.name }
                            }
                        }
                    }
                }
                tag("tbody") {
                    for row in rows { tag("tr") { cells(row) } }
                }
            }
        }
    }

    private func cells(_ row: [[HTML]]) -> [HTML] {
        row.enumerated().map { index, cell in
            let isNumber = index < columns.count && columns[index].isNumber
            if index == 0 {
                return isNumber
                    ? tag("th", .scope("row"), .class("number")) { cell } : tag("th", .scope("row")) { cell }
            }
            return isNumber ? tag("td", .class("number")) { cell } : tag("td") { cell }
        }
    }
}

/// The content of a cell.
func cell(@HTMLBuilder _ content: () -> [HTML]) -> [HTML] { content() }

/// The content of a cell that somebody else wrote.
func cell(foreign text: String) -> [HTML] { [foreign(text)] }

func cell(_ text: String) -> [HTML] { [.text(text)] }

/// One page of a long list.
struct ListPage<Element> {
    let elements: ArraySlice<Element>
    let number: Int
    let count: Int

    init(_ all: [Element], number: Int, size: Int) {
        count = max(1, (all.count + size - 1) / size)
        self.number = min(number, count)
        let start = (self.number - 1) * size
        elements = all[start..<min(start + size, all.count)]
    }

    /// Links to the pages beside it; nothing where there is one only.
    func links(_ path: (Int) -> DashboardPath) -> [HTML] {
        guard count > 1 else { return [] }
        return [
            tag("nav", .class("pages"), .label("Pages of this list")) {
                if number > 1 { tag("a", .href(path(number - 1))) { "Previous" } }
                tag("span") { "Page \(number) of \(count)" }
                if number < count { tag("a", .href(path(number + 1))) { "Next" } }
            }
        ]
    }
}
