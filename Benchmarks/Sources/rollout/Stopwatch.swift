import Glibc

/// Adds up what the process took of one core: what else the machine does is not in it.
struct Stopwatch {
    private var started = 0.0
    private var seconds = 0.0
    private var count = 0

    /// How often in a second.
    var rate: Double { seconds > 0 ? Double(count) / seconds : 0 }

    mutating func start() { started = Self.now }

    /// Seconds since the start.
    @discardableResult
    mutating func stop(_ count: Int = 1) -> Double {
        let elapsed = Self.now - started
        seconds += elapsed
        self.count += count
        return elapsed
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The most memory that the process ever had.
enum PeakMemory {
    static var kilobytes: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss
    }
}
