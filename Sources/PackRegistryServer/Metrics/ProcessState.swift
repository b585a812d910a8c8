import Foundation

/// What the system says of this process.
struct ProcessState {
    /// Nil where the system does not tell it in Linux's way.
    var residentByteCount: Int?
    var openFileCount: Int?
    var processorSeconds: Double?

    static let start = Date()

    static func read() -> ProcessState {
        var state = ProcessState()
        if let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) {
            let parts = text.split(separator: " ")
            if parts.count > 1, let pages = Int(parts[1]) { state.residentByteCount = pages * Int(getpagesize()) }
        }
        state.openFileCount = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        var usage = rusage()
        #if os(Linux)
            let result = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            let result = getrusage(RUSAGE_SELF, &usage)
        #endif
        if result == 0 {
            let times = [usage.ru_utime, usage.ru_stime]
            state.processorSeconds = times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
        }
        return state
    }
}
