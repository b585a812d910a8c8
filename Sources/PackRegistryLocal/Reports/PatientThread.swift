import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A thread for work that others should hardly notice: while the cores are busy it gets a third of what another thread gets.
enum PatientThread {
    /// Steps of `nice`, of a thread on Linux.
    private static let niceness: CInt = 5

    /// Runs something once, on a thread of its own, which ends with it: a priority that was lowered cannot be raised again.
    static func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            #if canImport(Glibc)
                // 0 is the calling thread (setpriority(2), "C library/kernel differences").
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
            #endif
            body()
        }
        thread.name = name
        #if canImport(Darwin)
            thread.qualityOfService = .utility
        #endif
        thread.start()
    }
}
