import Foundation
package import TestSupport

/// How long a test goes on damaging things, and at random by which numbers.
///
/// `PACKTOOL_FUZZ_SECONDS=600 swift test --filter Fuzz` runs longer; the seed that a test prints makes it repeatable with
/// `PACKTOOL_FUZZ_SEED`.
package struct FuzzRun {
    package let seed: UInt64
    package var random: SeededGenerator
    /// How often ``goesOn()`` was true.
    package private(set) var count = 0
    /// The longest time between two of its calls, in seconds.
    package private(set) var slowest = 0.0
    private let end: Date
    private var last = Date()

    /// - Parameter seconds: Where the environment names no others.
    package init(seconds: Double) {
        let environment = ProcessInfo.processInfo.environment
        seed = environment["PACKTOOL_FUZZ_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...UInt64.max)
        random = SeededGenerator(seed: seed)
        end = Date(timeIntervalSinceNow: environment["PACKTOOL_FUZZ_SECONDS"].flatMap(Double.init) ?? seconds)
    }

    /// Whether there is time for one more.
    package mutating func goesOn() -> Bool {
        let now = Date()
        if count > 0 { slowest = max(slowest, now.timeIntervalSince(last)) }
        guard now < end else { return false }
        last = now
        count += 1
        return true
    }

    /// For the line that `scripts/fuzz-decoders.py` reads.
    package var ending: String {
        "the slowest in \(Int(slowest * 1000)) ms, PACKTOOL_FUZZ_SEED=\(seed)"
    }

    /// Bytes with up to four places changed, cut out or added.
    /// - Parameter other: Pieces of it are among what is added.
    package mutating func damage(_ sound: [UInt8], with other: [UInt8]) -> [UInt8] {
        var bytes = sound
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            // Most of what steers a decoder stands at the front: the map and the headers.
            let limit = Bool.random(using: &random) ? min(bytes.count, 64) : bytes.count
            let position = Int.random(in: 0..<limit, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            case 2: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 3: bytes.remove(at: position)
            case 4: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
            case 5: bytes.removeSubrange(position..<min(bytes.count, position + 9))
            default:
                let start = Int.random(in: 0..<max(1, other.count), using: &random)
                bytes.insert(contentsOf: other[min(start, other.count)..<min(other.count, start + 40)], at: position)
            }
        }
        return bytes
    }
}
