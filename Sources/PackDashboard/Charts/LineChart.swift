import Foundation

/// Lines over time as a drawing, with its figures as a table below. Lines differ in colour, in their dashes and by their names.
struct LineChart {
    struct Series {
        let name: String
        /// Seconds since 1970, in order, and the value.
        let points: [(time: Int, value: Int)]
    }

    /// More would be told apart by nobody.
    static let maximumSeriesCount = 6
    /// Rows of the table; the newest stay.
    private static let maximumRowCount = 40
    private static let (width, height, left, right, top, bottom) = (360, 190, 44, 10, 8, 24)

    let id: String
    let title: String
    let series: [Series]
    let from: Int
    let to: Int
    let text: (Int) -> String

    init(
        _ id: String, _ title: String, _ series: [Series], from: Int, to: Int,
        text: @escaping (Int) -> String = { Words.count($0) }
    ) {
        self.id = id
        self.title = title
        self.series = Array(series.prefix(Self.maximumSeriesCount))
        self.from = from
        self.to = max(to, from + 1)
        self.text = text
    }

    var html: HTML {
        tag("figure", .class("chart")) {
            tag("figcaption", .id("\(id)-title")) { title }
            drawing
            tag("ul", .class("legend")) {
                for (index, line) in series.enumerated() {
                    tag("li") {
                        tag("svg", .class("key"), .of("viewBox", "0 0 24 8"), .of("aria-hidden", "true")) {
                            tag(
                                "line", .class("line s\(index)"), .of("x1", "0"), .of("x2", "24"), .of("y1", "4"),
                                .of("y2", "4"))
                        }
                        foreign(line.name)
                        if let last = line.points.last { " \(text(last.value))" }
                    }
                }
            }
            figures
        }
    }

    private var largest: Int { max(1, series.flatMap(\.points).map(\.value).max() ?? 1) }

    private var drawing: HTML {
        tag(
            "svg", .class("plot"), .of("viewBox", "0 0 \(Self.width) \(Self.height)"), .role("img"),
            .labelledBy("\(id)-title")
        ) {
            axes
            for (index, line) in series.enumerated() {
                tag("polyline", .class("line s\(index)"), .of("points", points(line)))
                if line.points.count == 1, let only = line.points.first {
                    tag(
                        "circle", .class("dot s\(index)"), .of("cx", "\(x(only.time))"), .of("cy", "\(y(only.value))"),
                        .of("r", "3"))
                }
            }
        }
    }

    private var axes: [HTML] {
        let ceiling = Self.ceiling(largest)
        let values = [0, ceiling / 2, ceiling]
        let lines = values.map { value in
            tag("g") {
                tag(
                    "line", .class("grid"), .of("x1", "\(Self.left)"), .of("x2", "\(Self.width - Self.right)"),
                    .of("y1", "\(y(value))"), .of("y2", "\(y(value))"))
                tag(
                    "text", .class("tick end"), .of("x", "\(Self.left - 5)"), .of("y", "\(y(value) + 4)")
                ) { text(value) }
            }
        }
        let baseline = Self.height - 6
        return lines + [
            tag("text", .class("tick"), .of("x", "\(Self.left)"), .of("y", "\(baseline)")) { shortDate(from) },
            tag(
                "text", .class("tick end"), .of("x", "\(Self.width - Self.right)"), .of("y", "\(baseline)")
            ) { shortDate(to) },
        ]
    }

    private func shortDate(_ time: Int) -> String {
        let text = Words.date(time)
        return to - from > 3 * 86_400 ? String(text.prefix(10)) : String(text.dropFirst(5))
    }

    private func points(_ line: Series) -> String {
        line.points.map { "\(x($0.time)),\(y($0.value))" }.joined(separator: " ")
    }

    private func x(_ time: Int) -> Int {
        let inside = min(max(time, from), to) - from
        return Self.left + inside * (Self.width - Self.left - Self.right) / (to - from)
    }

    private func y(_ value: Int) -> Int {
        let room = Self.height - Self.top - Self.bottom
        return Self.top + room - Int(Double(value) / Double(Self.ceiling(largest)) * Double(room))
    }

    /// The next even number of one or two digits and zeros; of nothing, 2.
    static func ceiling(_ value: Int) -> Int {
        var step = 2
        while value > step * 50, step < 1 << 55 { step *= 10 }
        return max(1, (value + step - 1) / step) * step
    }

    private var figures: HTML {
        var rows: [Int: [Int: Int]] = [:]
        for (index, line) in series.enumerated() {
            for point in line.points { rows[point.time, default: [:]][index] = point.value }
        }
        var table = Table(title, [.text("Time")] + series.map { .number($0.name) })
        for (time, values) in rows.sorted(by: { $0.key < $1.key }).suffix(Self.maximumRowCount) {
            table.rows.append(
                [cell(Words.date(time))] + series.indices.map { cell(values[$0].map(text) ?? "–") })
        }
        return tag("details") {
            tag("summary") { "Figures: \(title)" }
            table.html
        }
    }
}
