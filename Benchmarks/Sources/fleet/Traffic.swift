import Foundation

/// The requests of one way of delivery: at each edge, in each minute, for each file.
struct Traffic {
    /// A file, or several that are asked for together.
    struct File: Hashable {
        let path: String
        let caching: FleetPlan.Request.Caching
        /// What tells it apart from others of this path.
        let name: String
    }

    private struct Series {
        var requests: [Double]
        var up = 0.0
        var down = 0.0
        let files: Double
    }

    private let edges: Int
    private let minutes: Int
    private var series: [File: Series] = [:]
    /// When the pointer was asked for at an edge, in seconds: kept where each device stands for itself only.
    private var pointerTimes: [[Double]]

    init(edges: Int, minutes: Int) {
        self.edges = edges
        self.minutes = minutes
        pointerTimes = Array(repeating: [], count: edges)
    }

    mutating func add(_ request: FleetPlan.Request, _ name: String, edge: Int, second: Double, weight: Double) {
        let minute = Int(second / 60)
        let file = File(
            path: request.path, caching: request.caching, name: request.caching == .immutable ? name : "")
        let count = Double(request.count ?? 1)
        var kept =
            series.removeValue(forKey: file)
            ?? Series(requests: Array(repeating: 0, count: edges * minutes), files: count)
        kept.requests[edge * minutes + minute] += weight * count
        kept.up += weight * request.up
        kept.down += weight * request.down
        series[file] = kept
        if weight == 1, request.caching == .pointer { pointerTimes[edge].append(second) }
    }

    /// Requests, bytes up and down, and the most requests in a second (of the busiest minute), for each path.
    func paths() -> [(path: String, requests: Double, up: Double, down: Double, peak: Double)] {
        Dictionary(grouping: series, by: \.key.path).map { path, all in
            (
                path, all.reduce(0) { $0 + $1.value.requests.reduce(0, +) }, all.reduce(0) { $0 + $1.value.up },
                all.reduce(0) { $0 + $1.value.down }, Self.peak(of: perMinute(all.map(\.value.requests)))
            )
        }.sorted { $0.path < $1.path }
    }

    /// The most requests in a second, of the busiest minute.
    var peak: Double { Self.peak(of: perMinute(series.map(\.value.requests))) }

    /// The most bytes down in a second, of the busiest minute.
    var peakBytes: Double {
        Self.peak(
            of: perMinute(
                series.values.map { kept in
                    let size = kept.down / max(kept.requests.reduce(0, +), 1)
                    return kept.requests.map { $0 * size }
                }))
    }

    /// What reaches the origin where each edge keeps what it may: requests, bytes down, and the most requests in a second.
    /// - Parameter seconds: For how long an edge keeps the pointer; 0 for not at all.
    func origin(pointerSeconds seconds: Double) -> (requests: Double, bytes: Double, peak: Double) {
        var perMinute = [Double](repeating: 0, count: minutes)
        var bytes = 0.0
        for (file, kept) in series {
            let size = kept.down / max(kept.requests.reduce(0, +), 1)
            for edge in 0..<edges {
                var isKept = false
                for minute in 0..<minutes {
                    let asked = kept.requests[edge * minutes + minute]
                    if asked == 0 { continue }
                    let missed: Double
                    switch file.caching {
                    case .never: missed = asked
                    case .pointer: missed = Self.misses(of: asked, seconds: seconds)
                    case .immutable:
                        missed = isKept ? 0 : kept.files
                        isKept = true
                    }
                    perMinute[minute] += missed
                    bytes += missed * size
                }
            }
        }
        return (perMinute.reduce(0, +), bytes, Self.peak(of: perMinute))
    }

    /// How often a cache asks that keeps an answer for some seconds, where `asked` requests come at random in a minute: an answer
    /// is followed by the time for which it is kept, and by the wait for the next request.
    static func misses(of asked: Double, seconds: Double) -> Double {
        asked / (1 + asked * seconds / 60)
    }

    /// The same, counted request by request: only where each device stands for itself.
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

    func pointerMisses(seconds: Double) -> Double {
        series.filter { $0.key.caching == .pointer }.reduce(0) { sum, entry in
            sum + entry.value.requests.reduce(0) { $0 + Self.misses(of: $1, seconds: seconds) }
        }
    }

    private func perMinute(_ all: [[Double]]) -> [Double] {
        var result = [Double](repeating: 0, count: minutes)
        for requests in all {
            for index in requests.indices { result[index % minutes] += requests[index] }
        }
        return result
    }

    private static func peak(of perMinute: [Double]) -> Double { (perMinute.max() ?? 0) / 60 }
}
