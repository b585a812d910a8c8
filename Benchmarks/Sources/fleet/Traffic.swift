import Foundation

/// The requests of one way of delivery: at each edge, in each minute, for each file.
struct Traffic {
    struct File: Hashable {
        let path: String
        let caching: FleetPlan.Request.Caching
        /// What tells it apart from others of this path.
        let name: String
    }

    /// The requests for one path.
    struct Sum {
        var path = ""
        var requests = 0.0
        /// Bytes.
        var up = 0.0
        var down = 0.0
        /// Requests a second in the busiest ten minutes.
        var peak = 0.0
    }

    private struct Series {
        /// Edge by edge, minute by minute.
        var requests: [Double]
        var up = 0.0
        var down = 0.0
        /// How many files these are.
        let files: Double

        var count: Double { requests.reduce(0, +) }
        /// Bytes of an answer.
        var size: Double { count > 0 ? down / count : 0 }
    }

    private let edges: Int
    private let minutes: Int
    private var series: [File: Series] = [:]
    /// When the pointer was asked for at each edge, in seconds: kept where each device stands for itself only.
    private var pointerTimes: [[Double]]

    init(edges: Int, minutes: Int) {
        self.edges = edges
        self.minutes = minutes
        pointerTimes = Array(repeating: [], count: edges)
    }

    mutating func add(_ request: FleetPlan.Request, _ name: String, edge: Int, second: Double, weight: Double) {
        let file = File(path: request.path, caching: request.caching, name: request.caching == .immutable ? name : "")
        let count = Double(request.count ?? 1)
        var kept =
            series.removeValue(forKey: file)
            ?? Series(requests: Array(repeating: 0, count: edges * minutes), files: count)
        kept.requests[edge * minutes + Int(second / 60)] += weight * count
        kept.up += weight * request.up
        kept.down += weight * request.down
        series[file] = kept
        if weight == 1, request.caching == .pointer { pointerTimes[edge].append(second) }
    }

    var paths: [Sum] {
        Dictionary(grouping: series, by: \.key.path).map { path, all in
            var sum = Sum(path: path)
            for (_, kept) in all {
                sum.requests += kept.count
                sum.up += kept.up
                sum.down += kept.down
            }
            sum.peak = Self.peak(of: perMinute(all.map(\.value.requests)))
            return sum
        }.sorted { $0.path < $1.path }
    }

    /// Requests a second in the busiest ten minutes.
    var peak: Double { Self.peak(of: perMinute(series.values.map(\.requests))) }

    /// Bytes down a second in the busiest ten minutes.
    var peakBytes: Double {
        Self.peak(
            of: perMinute(
                series.values.map { kept in
                    let size = kept.size
                    return kept.requests.map { $0 * size }
                }))
    }

    /// What reaches the origin where each edge keeps what it may: requests, bytes down, and requests a second in the busiest ten
    /// minutes.
    /// - Parameter seconds: For how long an edge keeps the pointer; 0 for not at all.
    func origin(pointerSeconds seconds: Double) -> (requests: Double, bytes: Double, peak: Double) {
        var perMinute = [Double](repeating: 0, count: minutes)
        var bytes = 0.0
        for (file, kept) in series {
            let size = kept.size
            for edge in 0..<edges {
                let missed = misses(file, kept, edge: edge, pointerSeconds: seconds)
                for minute in 0..<minutes {
                    perMinute[minute] += missed[minute]
                    bytes += missed[minute] * size
                }
            }
        }
        return (perMinute.reduce(0, +), bytes, Self.peak(of: perMinute))
    }

    /// The requests of an edge that it cannot answer, minute by minute.
    private func misses(_ file: File, _ kept: Series, edge: Int, pointerSeconds seconds: Double) -> [Double] {
        let asked = Array(kept.requests[(edge * minutes)..<((edge + 1) * minutes)])
        switch file.caching {
        case .never: return asked
        case .immutable:
            var missed = [Double](repeating: 0, count: minutes)
            if let first = asked.firstIndex(where: { $0 > 0 }) { missed[first] = kept.files }
            return missed
        case .pointer:
            return (0..<minutes).map { minute in
                let hour = asked[(minute / 60 * 60)..<min(minute / 60 * 60 + 60, minutes)]
                return Self.misses(perMinute: hour.reduce(0, +) / Double(hour.count), seconds: seconds)
            }
        }
    }

    /// How often in a minute a cache asks that keeps an answer for some seconds, where requests come at random at a steady rate: it
    /// asks, keeps the answer, and waits for the next request.
    static func misses(perMinute rate: Double, seconds: Double) -> Double { rate / (1 + rate * seconds / 60) }

    /// The requests for the pointer that reach the origin, by the model.
    func pointerMisses(seconds: Double) -> Double {
        series.filter { $0.key.caching == .pointer }.reduce(0) { sum, entry in
            (0..<edges).reduce(sum) {
                $0 + misses(entry.key, entry.value, edge: $1, pointerSeconds: seconds).reduce(0, +)
            }
        }
    }

    /// The same, counted request by request: nil where a device stands for several.
    func countedPointerMisses(seconds: Double) -> Int? {
        guard pointerTimes.contains(where: { !$0.isEmpty }) else { return nil }
        var count = 0
        for times in pointerTimes {
            var end = -Double.infinity
            for time in times.sorted() where time >= end {
                count += 1
                end = time + seconds
            }
        }
        return count
    }

    private func perMinute(_ all: [[Double]]) -> [Double] {
        var result = [Double](repeating: 0, count: minutes)
        for requests in all {
            for index in requests.indices { result[index % minutes] += requests[index] }
        }
        return result
    }

    /// A second of the busiest ten minutes: the sample makes a single minute uneven.
    private static func peak(of perMinute: [Double]) -> Double {
        stride(from: 0, to: perMinute.count - 9, by: 10).map { perMinute[$0..<($0 + 10)].reduce(0, +) / 600 }.max() ?? 0
    }
}
