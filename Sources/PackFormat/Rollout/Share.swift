/// A part of all devices, in steps of a hundredth of a percent.
public struct Share: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let whole = Share(unchecked: 10_000)
    public static let none = Share(unchecked: 0)

    /// 0 to 10,000.
    public let tenThousandths: Int

    /// - Throws: ``FormatError/invalidShare(_:)``
    public init(tenThousandths: Int) throws(FormatError) {
        guard (0...10_000).contains(tenThousandths) else { throw .invalidShare("\(tenThousandths) ten-thousandths") }
        self.tenThousandths = tenThousandths
    }

    /// - Throws: ``FormatError/invalidShare(_:)``
    public init(percent: Int) throws(FormatError) {
        guard (0...100).contains(percent) else { throw .invalidShare("\(percent)") }
        tenThousandths = percent * 100
    }

    /// Parses a percentage with at most two decimals, such as `25`, `0.5` or `12.25`.
    /// - Throws: ``FormatError/invalidShare(_:)``
    public init(_ text: String) throws(FormatError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 3
                && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isNumber, (1...2).contains(parts.count), parts.count == 1 || parts[1].utf8.count <= 2,
            let whole = Int(parts[0])
        else { throw .invalidShare(text) }
        let decimals = parts.count == 2 ? Int(parts[1] + (parts[1].utf8.count == 1 ? "0" : "")) ?? 0 : 0
        guard whole * 100 + decimals <= 10_000 else { throw .invalidShare(text) }
        tenThousandths = whole * 100 + decimals
    }

    private init(unchecked tenThousandths: Int) {
        self.tenThousandths = tenThousandths
    }

    /// The whole percent, rounded down.
    public var percent: Int { tenThousandths / 100 }

    /// Whether the share is a whole number of percent.
    public var isWholePercent: Bool { tenThousandths % 100 == 0 }

    /// The percentage without the sign, such as `12.5`.
    public var percentText: String {
        let decimals = tenThousandths % 100
        guard decimals != 0 else { return "\(percent)" }
        return decimals % 10 == 0 ? "\(percent).\(decimals / 10)" : "\(percent).\(decimals < 10 ? "0" : "")\(decimals)"
    }

    public var description: String { "\(percentText) %" }

    public static func < (left: Share, right: Share) -> Bool { left.tenThousandths < right.tenThousandths }

    /// Whether a device's bucket is in. A device that is in at 10 % is in at 50 %.
    func contains(bucket: UInt64) -> Bool {
        // bucket / 2^64 < share / 10,000, without rounding.
        bucket.multipliedFullWidth(by: 10_000).high < UInt64(tenThousandths)
    }
}
