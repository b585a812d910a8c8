/// Writes metrics in the text format of Prometheus, version 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
struct MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String {
        case counter, gauge, histogram
    }

    typealias Labels = KeyValuePairs<String, String>

    private(set) var text = ""

    /// One metric with all its series. One without series is left out.
    mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, value: Double)]) {
        guard !samples.isEmpty else { return }
        head(name, kind, help)
        for sample in samples { line(name, sample.labels, sample.value) }
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        family(name, .gauge, help, [([:], Double(value))])
    }

    mutating func histogram(
        _ name: String, _ help: String, _ series: [(labels: Labels, histogram: DurationHistogram)]
    ) {
        head(name, .histogram, help)
        for (labels, histogram) in series {
            let buckets = histogram.cumulative
            guard let all = buckets.last?.count, all > 0 else { continue }
            for bucket in buckets { line("\(name)_bucket", labels, Double(bucket.count), bound: bucket.bound) }
            line("\(name)_sum", labels, histogram.sum)
            line("\(name)_count", labels, Double(all))
        }
    }

    private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func line(_ name: String, _ labels: Labels, _ value: Double, bound: String? = nil) {
        var parts = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
        if let bound { parts.append("le=\"\(bound)\"") }
        text += name + (parts.isEmpty ? "" : "{\(parts.joined(separator: ","))}") + " \(Self.number(value))\n"
    }

    private static func number(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }

    /// Backslash, quote and line break are escaped in a label's value, and nothing else.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n", "\r\n": result += "\\n"
            default: result.append(character)
            }
        }
    }
}
