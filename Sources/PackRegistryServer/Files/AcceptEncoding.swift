import PackRegistry

/// The content codings that a client accepts (RFC 9110 section 12.5.3).
struct AcceptEncoding {
    /// In thousandths, by lower-case name.
    private var weights: [String: Int] = [:]

    /// - Parameter fields: the values of all `Accept-Encoding` fields. Without one no coding is used: nothing is won for who
    ///   does not ask for it, and tools that save what they get want the file.
    init(_ fields: some Sequence<String>) {
        for member in fields.flatMap({ $0.split(separator: ",") }) {
            let parts = member.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
            guard let name = parts.first?.lowercased(), !name.isEmpty else { continue }
            weights[name == "x-gzip" ? "gzip" : name] = Self.weight(parts.dropFirst())
        }
    }

    /// The codings that the client takes and does not like less than none, best first.
    var accepted: [ContentCoding] {
        let identity = weights["identity"] ?? 0
        let weighted = ContentCoding.allCases.map { ($0, weights[$0.rawValue] ?? weights["*"] ?? 0) }
        // The order of equal weights stays: the sort is stable.
        return weighted.filter { $0.1 > 0 && $0.1 >= identity }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// A weight that cannot be read is one of nothing.
    private static func weight(_ parameters: some Sequence<Substring>) -> Int {
        for parameter in parameters {
            let pair = parameter.split(separator: "=", maxSplits: 1).map(trimmed)
            guard pair.count == 2, pair[0].lowercased() == "q" else { continue }
            let digits = pair[1].split(separator: ".", omittingEmptySubsequences: false)
            guard (1...2).contains(digits.count), digits[0] == "0" || digits[0] == "1" else { return 0 }
            let fraction = digits.count == 2 ? digits[1] : ""
            guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
            let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count)) ?? 0
            return digits[0] == "0" ? thousandths : thousandths == 0 ? 1000 : 0
        }
        return 1000
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
