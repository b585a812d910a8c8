import AttackSupport
import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// Damages patches at random: whatever comes, the decoder gives the right objects or a ``PatchError``.
struct FuzzTests {
    @Test func `no damage to a patch gives a wrong byte or a crash`() throws {
        var run = FuzzRun(seconds: 2)
        let subjects = try [(true, 61, 40), (false, 61, 40), (true, 60, 10)].map { usesRenaming, first, functions in
            try Subject(usesRenaming: usesRenaming, firstName: first, functions: functions)
        }
        var refused = 0
        while run.goesOn() {
            let subject = subjects[run.count % subjects.count]
            let other = subjects[Int.random(in: 0..<subjects.count, using: &run.random)]
            if try !subject.isApplied(run.damage(subject.patch, with: other.patch)) { refused += 1 }
        }
        print("fuzzed \(run.count) patches, \(refused) refused, \(run.ending)")
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
}
