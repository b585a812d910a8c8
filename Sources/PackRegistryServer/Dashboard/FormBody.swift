import PackRegistryAPI

/// The fields of a form or of a query, as `application/x-www-form-urlencoded` (URL Living Standard §5).
enum FormBody {
    static let mediaType = "application/x-www-form-urlencoded"
    static let maximumByteCount = 16 << 10
    private static let maximumFieldCount = 40

    /// - Throws: ``Problem`` for a field that is there twice, too many fields, or bytes that are no UTF-8.
    static func fields(_ bytes: some Collection<UInt8>) throws -> [String: String] {
        var fields: [String: String] = [:]
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]), let value = decoded(parts.count > 1 ? parts[1] : pair.prefix(0)),
                fields.count < maximumFieldCount, fields.updateValue(value, forKey: name) == nil
            else { throw Problem.badRequest("the form is not understood") }
        }
        return fields
    }

    private static func decoded(_ part: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = part.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
