import NIOCore
import PackFormat

/// A plain read of a file of the view, parsed directly from a connection's bytes.
///
/// Only what devices, caches and `wrk` send: `GET` or `HEAD`, HTTP/1.1, a path of plain characters, no body, a
/// connection that stays open. Everything else, and everything in doubt, is ``Outcome/other``: the HTTP parser behind
/// judges it. So this reader can be small, and strict costs nothing but time.
struct ReadRequest {
    enum Outcome {
        /// The end of the header has not arrived yet.
        case incomplete
        /// A complete request; the byte count is that of its header.
        case read(ReadRequest, byteCount: Int)
        case other
    }

    /// Longer ones go to the parser.
    static let maximumByteCount = 8 << 10
    private static let maximumFieldCount = 32

    let isHead: Bool
    /// Relative to the view.
    let path: String
    private(set) var ifNoneMatch: String?
    private(set) var ifMatch: String?
    private(set) var ifRange: String?
    private(set) var range: String?

    var conditions: ConditionalRequest {
        ConditionalRequest(method: isHead ? "HEAD" : "GET") { name in
            switch name {
            case "if-none-match": ifNoneMatch
            case "if-match": ifMatch
            case "if-range": ifRange
            case "range": range
            default: nil
            }
        }
    }

    static func parse(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var lines = Lines(bytes)
        guard let first = lines.next() else {
            return lines.isDamaged || bytes.count > maximumByteCount || !mayBecomeRead(bytes) ? .other : .incomplete
        }
        guard var request = ReadRequest(first) else { return .other }
        var hosts = 0
        var count = 0
        while let line = lines.next() {
            if line.isEmpty {
                guard hosts == 1, lines.position <= maximumByteCount else { return .other }
                return .read(request, byteCount: lines.position)
            }
            count += 1
            guard count <= maximumFieldCount, let field = Field(line), request.take(field, hosts: &hosts) else {
                return .other
            }
        }
        return lines.isDamaged || bytes.count > maximumByteCount ? .other : .incomplete
    }

    /// Nothing is kept back here that cannot become a read.
    private static func mayBecomeRead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        ["GET /", "HEAD /"].contains { start in zip(start.utf8, bytes).allSatisfy { $0 == $1 } }
    }

    private init?(_ line: UnsafeRawBufferPointer) {
        let start: Int
        if line.starts(with: "GET /".utf8) {
            (isHead, start) = (false, 5)
        } else if line.starts(with: "HEAD /".utf8) {
            (isHead, start) = (true, 6)
        } else {
            return nil
        }
        let end = line.count - " HTTP/1.1".utf8.count
        guard end > start, line[end...].elementsEqual(" HTTP/1.1".utf8) else { return nil }
        let target = UnsafeRawBufferPointer(rebasing: line[start..<end])
        var before = UInt8(ascii: "/")
        for byte in target {
            guard Self.isPlain(byte) || byte == UInt8(ascii: "/") else { return nil }
            // No empty component and none that starts with a dot.
            if before == UInt8(ascii: "/"), byte == before || byte == UInt8(ascii: ".") { return nil }
            before = byte
        }
        guard before != UInt8(ascii: "/"), let slash = target.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        path = String(decoding: target, as: UTF8.self)
        guard ViewPath.folders.contains(String(decoding: target[..<slash], as: UTF8.self)) else { return nil }
    }

    /// Whether a byte may stand in a path of the view, or in the name of a header field.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "+"):
            true
        default: false
        }
    }

    /// - Returns: false if the field makes the request one for the parser.
    private mutating func take(_ field: Field, hosts: inout Int) -> Bool {
        switch field.name.count {
        case 4 where field.isNamed("host"):
            hosts += 1
            return HostField.isValid(bytes: field.value)
        case 5 where field.isNamed("range"): return Self.set(&range, field)
        case 8 where field.isNamed("if-match"): return Self.set(&ifMatch, field)
        case 8 where field.isNamed("if-range"): return Self.set(&ifRange, field)
        case 13 where field.isNamed("if-none-match"): return Self.set(&ifNoneMatch, field)
        case 10 where field.isNamed("connection"): return field.hasValue("keep-alive")
        case 6 where field.isNamed("expect"), 7 where field.isNamed("upgrade"), 7 where field.isNamed("trailer"),
            14 where field.isNamed("content-length"), 17 where field.isNamed("transfer-encoding"):
            return false
        default: return true
        }
    }

    /// Lists over several lines are joined by the parser.
    private static func set(_ value: inout String?, _ field: Field) -> Bool {
        guard value == nil else { return false }
        value = String(decoding: field.value, as: UTF8.self)
        return true
    }
}

extension ReadRequest {
    /// The lines of a header, each ended by CR LF.
    private struct Lines {
        private let bytes: UnsafeRawBufferPointer
        private(set) var position = 0
        /// A line ended otherwise.
        private(set) var isDamaged = false

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        mutating func next() -> UnsafeRawBufferPointer? {
            let rest = bytes[position...]
            guard !isDamaged, let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            guard end > position, bytes[end - 1] == UInt8(ascii: "\r") else {
                isDamaged = true
                return nil
            }
            let line = UnsafeRawBufferPointer(rebasing: bytes[position..<end - 1])
            position = end + 1
            return line
        }
    }

    /// One field, its value without the blanks around it.
    private struct Field {
        let name: UnsafeRawBufferPointer
        let value: UnsafeRawBufferPointer

        /// nil for a line that continues another, a name that is no token, or a value with control characters.
        init?(_ line: UnsafeRawBufferPointer) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
                line[..<colon].allSatisfy({ ReadRequest.isPlain($0) })
            else { return nil }
            var bounds = colon + 1..<line.count
            while let first = bounds.first, Self.isBlank(line[first]) { bounds = bounds.dropFirst() }
            while let last = bounds.last, Self.isBlank(line[last]) { bounds = bounds.dropLast() }
            name = UnsafeRawBufferPointer(rebasing: line[..<colon])
            value = UnsafeRawBufferPointer(rebasing: line[bounds])
            guard value.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        }

        /// - Parameter text: in lower case.
        func isNamed(_ text: StaticString) -> Bool { Self.isEqual(name, text) }
        func hasValue(_ text: StaticString) -> Bool { Self.isEqual(value, text) }

        private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
            guard bytes.count == text.utf8CodeUnitCount else { return false }
            return text.withUTF8Buffer { text in
                zip(bytes, text).allSatisfy { byte, letter in
                    byte == letter || (0x41...0x5A).contains(byte) && byte | 0x20 == letter
                }
            }
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    }
}
