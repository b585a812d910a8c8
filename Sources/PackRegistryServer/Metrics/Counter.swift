import Synchronization

/// Counts up, from any thread and without a lock.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func add(_ number: Int = 1) { count.wrappingAdd(number, ordering: .relaxed) }

    /// Adds one.
    /// - Returns: the new value.
    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }

    var value: Int { count.load(ordering: .relaxed) }
}

/// How often something took how long.
final class DurationHistogram: Sendable {
    /// Upper bounds in seconds; more is in a bucket without a bound.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]

    private let counters = (0...DurationHistogram.bounds.count).map { _ in Counter() }
    private let microseconds = Counter()

    func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counters[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count].add()
        microseconds.add(Int(min(seconds, 1e9) * 1_000_000))
    }

    /// The buckets as Prometheus has them: each with all that took no longer than its bound.
    var cumulative: [(bound: String, count: Int)] {
        var sum = 0
        return zip(Self.bounds.map { "\($0)" } + ["+Inf"], counters).map { bound, counter in
            sum += counter.value
            return (bound, sum)
        }
    }

    var sum: Double { Double(microseconds.value) / 1_000_000 }
}
