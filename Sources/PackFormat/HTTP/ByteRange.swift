/// The part of a representation that a 206 answer carries (RFC 9110 section 14).
public struct ByteRange: Hashable, Sendable {
    /// The offset of the first byte.
    public let lowerBound: Int
    /// How many bytes; at least 1.
    public let count: Int

    /// - Parameter bounds: Offsets from the start of the representation. Returns nil if the range is empty or
    ///   negative.
    public init?(_ bounds: Range<Int>) {
        guard !bounds.isEmpty, bounds.lowerBound >= 0 else { return nil }
        lowerBound = bounds.lowerBound
        count = bounds.count
    }

    /// The offset after the last byte.
    public var upperBound: Int { lowerBound + count }

    public var bounds: Range<Int> { lowerBound..<upperBound }

    /// The value of `Content-Range` for a representation of `size` bytes (section 14.4).
    public func contentRange(of size: Int) -> String {
        "bytes \(lowerBound)-\(upperBound - 1)/\(size)"
    }

    /// The value of `Content-Range` of a 416 answer (section 15.5.17).
    public static func unsatisfiedContentRange(of size: Int) -> String { "bytes */\(size)" }

    /// What a `Range` header asks for.
    public enum Selection: Hashable, Sendable {
        /// Answer 200 with everything: there is no range, or one with another unit, a malformed one (section 14.2
        /// allows ignoring it), or several, which a server need not honour.
        case whole
        /// Answer 206.
        case part(ByteRange)
        /// Answer 416: no requested range overlaps the representation.
        case unsatisfiable
    }

    /// - Parameters:
    ///   - header: the value of `Range`; nil if there is none.
    ///   - size: the representation's length in bytes.
    public static func selection(by header: String?, of size: Int) -> Selection {
        guard let header, let specs = specifications(header), let first = specs.first else { return .whole }
        guard specs.count == 1 else {
            return specs.contains { $0.selection(of: size) != .unsatisfiable } ? .whole : .unsatisfiable
        }
        return first.selection(of: size)
    }
}

extension ByteRange {
    /// One member of a `Range` header.
    private enum Specification {
        case from(Int, through: Int?)
        case suffix(Int)

        func selection(of size: Int) -> Selection {
            switch self {
            case .from(let first, let last):
                guard first < size else { return .unsatisfiable }
                return part(first..<(min(last ?? size - 1, size - 1) + 1))
            case .suffix(let length):
                guard length > 0 else { return .unsatisfiable }
                // A suffix of nothing is satisfiable by section 14.1.2 and cannot be said in Content-Range.
                return part(max(0, size - length)..<size)
            }
        }

        private func part(_ bounds: Range<Int>) -> Selection {
            ByteRange(bounds).map { .part($0) } ?? .whole
        }
    }

    /// The members of a `bytes` range set; nil if the header is malformed or of another unit.
    private static func specifications(_ header: String) -> [Specification]? {
        let parts = header.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Substring(parts[0]).lowercased() == "bytes" else { return nil }
        var specifications: [Specification] = []
        for member in parts[1].split(separator: UInt8(ascii: ",")) {
            let member = trimmed(member)
            if member.isEmpty { continue }
            guard let dash = member.firstIndex(of: UInt8(ascii: "-")) else { return nil }
            let (first, last) = (member[..<dash], member[member.index(after: dash)...])
            switch (first.isEmpty, last.isEmpty) {
            case (true, true): return nil
            case (true, false):
                guard let length = number(last) else { return nil }
                specifications.append(.suffix(length))
            case (false, true):
                guard let first = number(first) else { return nil }
                specifications.append(.from(first, through: nil))
            case (false, false):
                guard let first = number(first), let last = number(last), first <= last else { return nil }
                specifications.append(.from(first, through: last))
            }
        }
        return specifications
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var text = text
        while let byte = text.first, byte == 0x20 || byte == 0x09 { text = text.dropFirst() }
        while let byte = text.last, byte == 0x20 || byte == 0x09 { text = text.dropLast() }
        return text
    }

    /// Digits only. A number beyond 64 bits is as good as the largest one: both lie behind every file.
    private static func number(_ digits: Substring.UTF8View) -> Int? {
        var value = 0
        for digit in digits {
            guard isDigit(digit) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            if overflow || carry { return digits.allSatisfy(isDigit) ? .max - 1 : nil }
            value = sum
        }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
