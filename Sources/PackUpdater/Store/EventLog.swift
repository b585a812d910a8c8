import PackFormat
import PackJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// `events.jsonl`: one JSON document a line, the newest last, never larger than its limit. It is for people. No
/// decision depends on it, so a line lost in a power cut costs nothing.
struct EventLog: Sendable {
    let file: URL
    /// Bytes; beyond it the older half goes.
    var maximumByteCount = 256 << 10

    func append(_ event: Event) {
        let line = Array((JSONValue.object(event.json).compactText + "\n").utf8)
        guard let open = try? OpenFile(file, flags: O_WRONLY | O_CREAT | O_APPEND) else { return }
        try? line.withUnsafeBytes { try open.write($0) }
        if let size = Durable.size(of: file), size > maximumByteCount { shorten() }
    }

    /// The newest events, oldest first.
    func events(limit: Int) -> [Event] {
        let bytes = (try? content()) ?? []
        let lines = bytes.split(separator: UInt8(ascii: "\n")).suffix(limit)
        return lines.compactMap { line in
            guard let json = try? JSONValue(parsing: line).object() else { return nil }
            return try? Event(json: json)
        }
    }

    private func shorten() {
        let half = ((try? content()) ?? []).suffix(maximumByteCount / 2)
        // A log that cannot be read, or has no line left, begins anew.
        let kept = half.firstIndex(of: UInt8(ascii: "\n")).map { Array(half[($0 + 1)...]) } ?? []
        try? Durable.write(kept, to: file)
    }

    private func content() throws(UpdateError) -> [UInt8]? {
        try Durable.read(file, maximumByteCount: maximumByteCount * 4)
    }
}
