/// The order in which a minifier uses characters, and therefore the rank of each short name: `e`, `t`, … `$`, `ee`,
/// `te`, …
///
/// A name is its rank written with the lowest digit first: base 54 for the first character (no digits), base 64 for the
/// others. esbuild, terser, swc and oxc all count like this; they differ in the order of the characters, which comes
/// from their frequency in the program or is fixed.
struct Alphabet: Hashable {
    static let count = 64
    /// The longest name that has a rank.
    static let maximumNameByteCount = 4

    /// The 64 characters, digits included, most frequent first.
    let characters: [UInt8]
    private let heads: [UInt8]
    private let headRanks: [Int]
    private let tailRanks: [Int]

    /// Nil if `characters` is not an order of the 64.
    init?(_ characters: some Collection<UInt8>) {
        guard characters.count == Self.count, Set(characters) == Set(Self.fixed) else { return nil }
        self.init(checked: Array(characters))
    }

    private init(checked characters: [UInt8]) {
        self.characters = characters
        heads = characters.filter { !Tokenizer.isDigit($0) }
        headRanks = Self.ranks(heads)
        tailRanks = Self.ranks(characters)
    }

    /// The order that oxc always uses, and that breaks ties in the others.
    static let standard = Alphabet(checked: fixed)

    private static let fixed = Array("etnriaoscludfpmhg_vybxSCwTEDOkAjMNPFILRzBVHUWGKqJYXZQ$1024368579".utf8)

    /// The characters by how often each was counted.
    init(byFrequency counts: [Int]) {
        let order = Self.fixed.enumerated().sorted { left, right in
            let (leftCount, rightCount) = (counts[Int(left.element)], counts[Int(right.element)])
            return leftCount == rightCount ? left.offset < right.offset : leftCount > rightCount
        }
        self.init(checked: order.map(\.element))
    }

    /// The rank of a name of at most 4 characters that begins with no digit; nil for any other.
    func rank(of name: NameKey) -> Int? {
        let count = name.count
        guard count <= Self.maximumNameByteCount, headRanks[Int(name.first)] >= 0 else { return nil }
        var high = 0
        for index in stride(from: count - 1, to: 0, by: -1) {
            let rank = tailRanks[Int(UInt8(truncatingIfNeeded: name.value >> UInt64(8 * index)))]
            high = high * Self.count + rank + 1
        }
        return high * heads.count + headRanks[Int(name.first)]
    }

    /// The name of a rank; nil below 0 and above what a ``NameKey`` holds.
    func name(of rank: Int) -> NameKey? {
        guard rank >= 0, rank < 1 << 40 else { return nil }
        var value = UInt64(heads[rank % heads.count])
        var high = rank / heads.count
        var shift: UInt64 = 8
        while high > 0 {
            high -= 1
            value |= UInt64(characters[high % Self.count]) << shift
            high /= Self.count
            shift += 8
        }
        return NameKey(value: value)
    }

    private static func ranks(_ characters: [UInt8]) -> [Int] {
        var ranks = [Int](repeating: -1, count: 256)
        for (rank, character) in characters.enumerated() { ranks[Int(character)] = rank }
        return ranks
    }
}
