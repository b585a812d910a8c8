import Foundation

/// What the kernel says of a process' memory (proc(5), `/proc/PID/status`).
package enum ProcessMemory {
    /// Bytes that a process has in memory; 0 where the kernel does not say it.
    package static func residentByteCount(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
