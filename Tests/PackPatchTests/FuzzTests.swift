import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// Damages patches at random: whatever comes, the decoder gives the right objects or a ``PatchError``.
///
/// `PACKTOOL_FUZZ_SECONDS=600 swift test --filter FuzzTests` runs longer; the seed that is printed makes it repeatable
/// with `PACKTOOL_FUZZ_SEED`.
struct FuzzTests {
    @Test func `no damage to a patch gives a wrong byte or a crash`() throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["PACKTOOL_FUZZ_SECONDS"].flatMap(Double.init) ?? 2
        let seed = environment["PACKTOOL_FUZZ_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...UInt64.max)
        var random = RandomBytes(seed: seed)
        let subjects = try [(true, 61, 40), (false, 61, 40), (true, 60, 10)].map { usesRenaming, first, functions in
            try Subject(usesRenaming: usesRenaming, firstName: first, functions: functions)
        }
        let end = Date(timeIntervalSinceNow: seconds)
        var count = 0
        var refused = 0
        while Date() < end {
            let subject = subjects[count % subjects.count]
            let other = subjects[Int.random(in: 0..<subjects.count, using: &random)]
            let damaged = Self.damage(subject.patch, with: other.patch, &random)
            if try !subject.isApplied(damaged) { refused += 1 }
            count += 1
        }
        print("fuzzed \(count) patches, \(refused) refused, PACKTOOL_FUZZ_SEED=\(seed)")
        #expect(refused > 0)
    }

    private struct Subject {
        let base: Site
        let plan: PatchPlan
        let patch: [UInt8]

        init(usesRenaming: Bool, firstName: Int, functions: Int) throws {
            base = try MinifiedSite(build: 1, firstName: 60, functions: functions).site
            let target = try MinifiedSite(build: 2, firstName: firstName, functions: functions).site
            plan = PatchPlan(from: base.manifest, to: target.manifest)
            let file = temporaryFile()
            defer { try? FileManager.default.removeItem(at: file) }
            try PatchEncoder(usesRenaming: usesRenaming).encode(plan, to: file, object: objects(of: base, target))
            patch = Array(try Data(contentsOf: file))
        }

        /// Whether the patch was taken; then all objects were right, or the sink would have thrown.
        func isApplied(_ bytes: [UInt8]) throws -> Bool {
            let file = temporaryFile("fuzz")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(bytes).write(to: file)
            var sink = CheckingSink()
            do {
                try PatchDecoder(plan).apply(file, to: &sink) { base.object($0) }
            } catch is PatchError {
                return false
            }
            #expect(sink.count == plan.new.count)
            return true
        }
    }

    /// Hashes what it is given once more, apart from the decoder's own check.
    private struct CheckingSink: ObjectSink {
        struct WrongBytes: Error {}

        private(set) var count = 0
        private var bytes: [UInt8] = []

        mutating func begin(_ object: Object) { bytes = [] }
        mutating func write(_ chunk: UnsafeRawBufferPointer) { bytes.append(contentsOf: chunk) }
        mutating func finish(_ object: Object) throws {
            guard Digest(of: bytes) == object.digest, bytes.count == object.size else { throw WrongBytes() }
            count += 1
        }
    }

    static func damage(_ patch: [UInt8], with other: [UInt8], _ random: inout RandomBytes) -> [UInt8] {
        var bytes = patch
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            // Most of what steers the decoder stands at the front: the map and the headers.
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
                let start = Int.random(in: 0..<other.count, using: &random)
                bytes.insert(contentsOf: other[start..<min(other.count, start + 40)], at: position)
            }
        }
        return bytes
    }
}
