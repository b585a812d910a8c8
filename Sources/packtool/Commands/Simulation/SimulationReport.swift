import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistry

/// What a simulation found, as a text with a curve, as JSON, and as an image.
struct SimulationReport {
    private let simulation: RolloutSimulation
    private let result: SimulationResult
    private let names: [String]
    private let elapsed: Duration

    init(_ simulation: RolloutSimulation, _ result: SimulationResult, names: [String], elapsed: Duration) {
        self.simulation = simulation
        self.result = result
        self.names = names
        self.elapsed = elapsed
    }

    // MARK: Text

    var text: String {
        let all = result.deviceCount
        var lines = ["\(names.joined(separator: " and ")) on \(Self.number(all)) devices", ""]
        var rows = [["FROM", "SHARE", "NEW DEVICES", "IN ALL", "OF ALL DEVICES"]]
        var total = 0
        for (index, moment) in simulation.moments.enumerated() {
            total += result.updatesOfMoment[index]
            rows.append([
                Self.time(moment.time), moment.share.description, Self.number(result.updatesOfMoment[index]),
                Self.number(total), Self.percent(total, of: all),
            ])
        }
        lines += TextTable.lines(rows)
        lines += ["", plot, ""]
        for (platform, counts) in result.platforms.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(platform): \(Self.number(counts.updated)) of \(Self.number(counts.devices)) devices get it "
                    + "(\(Self.percent(counts.updated, of: counts.devices)))")
        }
        for (reason, count) in result.reasons.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append("\(Self.number(count)) devices do not: \(reason)")
        }
        lines.append(
            "downloads: \(Self.number(result.downloadCount)), \(ByteCount.text(result.bytes)) in all, "
                + "\(ByteCount.text(perDevice)) a device")
        lines.append(
            result.withoutPatchCount == 0
                ? "every device that has a version gets a patch"
                : "\(Self.number(result.withoutPatchCount)) of them are full, because there is no patch from what the device has: "
                    + ByteCount.text(result.bytesWithoutPatch))
        if result.firstCount > 0 {
            lines.append("\(Self.number(result.firstCount)) are the first of their package on the device")
        }
        let seconds = max(elapsed / .seconds(1), 0.000_001)
        lines.append(
            "\(Self.number(result.decisionCount)) decisions in \(seconds.formatted(.number.precision(.fractionLength(1)))) s"
        )
        return lines.joined(separator: "\n")
    }

    private var perDevice: Int { result.updatedCount == 0 ? 0 : result.bytes / result.updatedCount }

    static func number(_ value: Int) -> String { CountText.number(value) }

    static func percent(_ part: Int, of all: Int) -> String {
        let share = all == 0 ? 0 : Double(part) / Double(all) * 100
        return "\(share.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US")))) %"
    }

    static func time(_ seconds: Double) -> String {
        if seconds == 0 { return "0h" }
        for (unit, name) in [(86_400.0, "d"), (3_600, "h"), (60, "m")] where seconds >= unit {
            let value = seconds / unit
            if unit == 86_400, value < 2, value != value.rounded() { continue }
            return value.formatted(.number.precision(.fractionLength(0...1)).locale(Locale(identifier: "en_US"))) + name
        }
        return "\(Int(seconds))s"
    }

    // MARK: Curves

    /// The share of all devices that have it at the end of each part of the time, 0 to 1.
    private func curve(_ count: Int) -> [Double] {
        let columns = result.columns
        var sum = 0
        var next = 0
        return (1...count).map { column in
            let end = column * columns.count / count
            while next < end {
                sum += columns[next]
                next += 1
            }
            return result.deviceCount == 0 ? 0 : Double(sum) / Double(result.deviceCount)
        }
    }

    /// The planned share at a moment, 0 to 1.
    private func planned(at time: Double) -> Double {
        Double(simulation.moments.last { $0.time <= time }?.share.tenThousandths ?? 0) / 10_000
    }

    private static let plotWidth = 60
    private static let plotHeight = 12

    /// Eighths of a line stand for the devices; `·` is the planned share.
    private var plot: String {
        let values = curve(Self.plotWidth)
        let blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        var lines: [String] = []
        for row in (0..<Self.plotHeight).reversed() {
            let label = row == Self.plotHeight - 1 ? "100 %" : row == Self.plotHeight / 2 ? " 50 %" : "     "
            var line = ""
            for (column, value) in values.enumerated() {
                let eighths = Int((value * Double(Self.plotHeight) - Double(row)) * 8)
                let time = (Double(column) + 0.5) / Double(Self.plotWidth) * simulation.horizon
                let plan = Int((planned(at: time) * Double(Self.plotHeight)).rounded(.up)) - 1
                line += eighths > 0 ? blocks[min(8, eighths)] : plan == row ? "·" : " "
            }
            lines.append("\(label) │\(line)")
        }
        lines.append("  0 % └" + String(repeating: "─", count: Self.plotWidth))
        let end = Self.time(simulation.horizon)
        lines.append("       0h" + String(repeating: " ", count: max(1, Self.plotWidth - 2 - end.count)) + end)
        lines.append("       █ devices that have it   · planned share")
        return lines.joined(separator: "\n")
    }

    /// 720 × 420, readable on white and in the dark.
    var svg: String {
        let (left, top, width, height) = (70.0, 50.0, 620.0, 300.0)
        func x(_ time: Double) -> String { Self.coordinate(left + time / simulation.horizon * width) }
        func y(_ share: Double) -> String { Self.coordinate(top + (1 - share) * height) }
        let values = curve(RolloutSimulation.columnCount)
        var points = ["\(x(0)),\(y(0))"]
        for (index, value) in values.enumerated() {
            let time = Double(index + 1) / Double(values.count) * simulation.horizon
            points.append("\(x(time)),\(y(value))")
        }
        var steps: [String] = []
        var share = 0.0
        for moment in simulation.moments {
            steps.append("\(x(moment.time)),\(y(share))")
            share = Double(moment.share.tenThousandths) / 10_000
            steps.append("\(x(moment.time)),\(y(share))")
        }
        steps.append("\(x(simulation.horizon)),\(y(share))")
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 420\" font-family=\"sans-serif\" font-size=\"13\">",
            "<rect width=\"720\" height=\"420\" fill=\"#ffffff\"/>",
            "<text x=\"70\" y=\"28\" font-size=\"16\" fill=\"#1a1a1a\">\(Self.escaped(names.joined(separator: ", "))) on "
                + "\(Self.number(result.deviceCount)) devices</text>",
        ]
        for tenths in stride(from: 0, through: 100, by: 25) {
            let line = y(Double(tenths) / 100)
            parts.append("<line x1=\"70\" x2=\"690\" y1=\"\(line)\" y2=\"\(line)\" stroke=\"#d8d8d8\"/>")
            parts.append(
                "<text x=\"62\" y=\"\(line)\" dy=\"4\" text-anchor=\"end\" fill=\"#555555\">\(tenths) %</text>")
        }
        for quarter in 0...4 {
            let time = simulation.horizon * Double(quarter) / 4
            parts.append(
                "<text x=\"\(x(time))\" y=\"370\" text-anchor=\"middle\" fill=\"#555555\">\(Self.time(time))</text>")
        }
        parts.append(
            "<polygon points=\"\(points.joined(separator: " ")) \(x(simulation.horizon)),\(y(0))\" fill=\"#2f6fde\" "
                + "fill-opacity=\"0.18\"/>")
        parts.append(
            "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"#2f6fde\" stroke-width=\"2.5\"/>"
        )
        parts.append(
            "<polyline points=\"\(steps.joined(separator: " "))\" fill=\"none\" stroke=\"#c2571a\" stroke-width=\"1.5\" "
                + "stroke-dasharray=\"5 4\"/>")
        parts.append("<text x=\"70\" y=\"402\" fill=\"#2f6fde\">devices that have it</text>")
        parts.append("<text x=\"230\" y=\"402\" fill=\"#c2571a\">planned share of those that may have it</text>")
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func coordinate(_ value: Double) -> String {
        "\((value * 10).rounded() / 10)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    // MARK: JSON

    var json: JSONObject {
        [
            "releases": .array(names.map { .string($0) }), "devices": .integer(result.deviceCount),
            "admitted": .integer(result.admittedCount), "updated": .integer(result.updatedCount),
            "horizonSeconds": .integer(Int(simulation.horizon)),
            "steps": .array(
                simulation.moments.enumerated().map { index, moment in
                    .object([
                        "seconds": .integer(Int(moment.time)), "share": .integer(moment.share.tenThousandths),
                        "newDevices": .integer(result.updatesOfMoment[index]),
                    ])
                }),
            "columns": .array(result.columns.map { .integer($0) }),
            "platforms": .object(
                JSONObject(
                    result.platforms.map { name, counts in
                        (
                            name,
                            JSONValue.object([
                                "devices": .integer(counts.devices), "updated": .integer(counts.updated),
                            ])
                        )
                    })),
            "reasons": .object(JSONObject(result.reasons.map { ($0.key, .integer($0.value)) })),
            "downloads": .integer(result.downloadCount), "bytes": .integer(result.bytes),
            "bytesPerDevice": .integer(perDevice), "firstDownloads": .integer(result.firstCount),
            "withoutPatch": .integer(result.withoutPatchCount),
            "bytesWithoutPatch": .integer(result.bytesWithoutPatch), "decisions": .integer(result.decisionCount),
        ]
    }
}
