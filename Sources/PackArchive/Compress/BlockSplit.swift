import Foundation

/// Splits a sequence of deflate symbols into blocks, so that each block's own Huffman codes fit it well.
///
/// The cost of a block is estimated by the entropy of its symbols and a price for its header. Cuts are tried at
/// regular places only, and the cheapest of all combinations is found by dynamic programming.
struct BlockSplit {
    /// Symbols between places where a cut is tried.
    private static let step = 128
    private static let maximumPlaces = 200
    /// Literals and lengths, then distances.
    private static let alphabet = 288 + 32
    /// Bits that a block's header costs, and each symbol that the block uses.
    private static let headerCost: Float = 150
    private static let symbolCost: Float = 3.5

    /// n log2 n.
    private static let weights: [Float] = (0...ExhaustiveDeflater.maximumSize).map { count in
        count == 0 ? 0 : Float(Double(count) * log2(Double(count)))
    }

    /// The index of the first symbol of each block; the first is 0.
    let starts: [Int]

    /// - Parameter matches: 0 for a literal, which has no distance symbol.
    init(
        literals: UnsafeBufferPointer<UInt16>, distances: UnsafeBufferPointer<UInt16>,
        matches: UnsafeBufferPointer<UInt16>
    ) {
        let step = max(Self.step, (literals.count + Self.maximumPlaces - 1) / Self.maximumPlaces)
        let places = max(1, (literals.count + step - 1) / step)
        // How often each symbol occurs before each place.
        var counts = [Int32](repeating: 0, count: (places + 1) * Self.alphabet)
        for place in 0..<places {
            let (before, after) = (place * Self.alphabet, (place + 1) * Self.alphabet)
            for symbol in 0..<Self.alphabet { counts[after + symbol] = counts[before + symbol] }
            for index in place * step..<min(literals.count, (place + 1) * step) {
                counts[after + Int(literals[index])] += 1
                if matches[index] != 0 { counts[after + 288 + Int(distances[index])] += 1 }
            }
        }
        var best: [(cost: Float, from: Int)] = [(0, 0)]
        for end in 1...places {
            var cheapest = (cost: Float.infinity, from: 0)
            for start in 0..<end {
                let cost = best[start].cost + Self.cost(counts, from: start, to: end)
                if cost < cheapest.cost { cheapest = (cost, start) }
            }
            best.append(cheapest)
        }
        var cuts: [Int] = []
        var end = places
        while end > 0 {
            end = best[end].from
            cuts.append(end * step)
        }
        starts = cuts.reversed()
    }

    private static func cost(_ counts: [Int32], from start: Int, to end: Int) -> Float {
        counts.withUnsafeBufferPointer { counts in
            weights.withUnsafeBufferPointer { weights in
                var cost = headerCost
                for range in [0..<288, 288..<alphabet] {
                    var total = 0
                    for symbol in range {
                        let count = Int(counts[end * alphabet + symbol] - counts[start * alphabet + symbol])
                        guard count > 0 else { continue }
                        total += count
                        cost += symbolCost - weights[min(count, weights.count - 1)]
                    }
                    cost += weights[min(total, weights.count - 1)]
                }
                return cost
            }
        }
    }
}
