import Foundation

/// What this process holds, by what the system says.
struct ProcessUse: CustomStringConvertible {
    let descriptors: Int
    let megabytes: Int

    static func now() -> ProcessUse {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        // Such a file has no size, so it is read to its end.
        let text = FileHandle(forReadingAtPath: "/proc/self/statm").flatMap { try? $0.readToEnd() }
        let pages = text.map { String(decoding: $0, as: UTF8.self) }?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return ProcessUse(descriptors: open, megabytes: (pages ?? 0) * 4096 / 1_048_576)
    }

    var description: String { "\(descriptors) descriptors and \(megabytes) MB" }
}
