/// Bars as a table: each row has its name, a bar that only eyes need, and its figure.
struct BarTable {
    struct Row {
        let name: [HTML]
        let value: Int
        let text: String
        /// The colour of the bar, 0 to 5.
        var colour = 0
    }

    let caption: String
    let header: String
    let figure: String
    var rows: [Row] = []

    init(_ caption: String, _ header: String, _ figure: String) {
        self.caption = caption
        self.header = header
        self.figure = figure
    }

    mutating func add(_ name: String, _ value: Int, _ text: String, colour: Int = 0) {
        rows.append(Row(name: [foreign(name)], value: value, text: text, colour: colour))
    }

    var html: HTML {
        let largest = max(1, rows.map(\.value).max() ?? 1)
        var table = Table(caption, [.text(header), .number(figure), .text("Share of the largest")])
        for row in rows {
            let width = Int((Double(max(0, row.value)) / Double(largest) * 1000).rounded())
            table.add(row.name, cell(row.text), cell { Self.bar(width, colour: row.colour) })
        }
        return table.html
    }

    /// - Parameter width: of 1,000.
    static func bar(_ width: Int, colour: Int) -> HTML {
        tag(
            "svg", .class("bar"), .of("viewBox", "0 0 1000 10"), .of("preserveAspectRatio", "none"),
            .of("aria-hidden", "true")
        ) {
            tag("rect", .class("track"), .of("width", "1000"), .of("height", "10"))
            tag("rect", .class("fill s\(colour)"), .of("width", "\(width)"), .of("height", "10"))
        }
    }
}
