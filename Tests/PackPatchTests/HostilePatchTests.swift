import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// Each test is one way in which a patch can lie.
struct HostilePatchTests {
    let base: Site
    let target: Site
    let plan: PatchPlan
    let patch: [UInt8]

    init() throws {
        var random = RandomBytes(seed: 2)
        let text = random.bytes(20_000).map { 32 + $0 % 64 }
        base = try Site(["a.js": text, "b.js": Array(text.reversed())])
        target = try Site(["a.js": text + random.bytes(500), "b.js": Array(text.reversed()) + random.bytes(500)])
        plan = PatchPlan(from: base.manifest, to: target.manifest)
        let file = temporaryFile()
        try PatchEncoder().encode(plan, to: file, object: objects(of: base, target))
        patch = Array(try Data(contentsOf: file))
    }

    private func apply(
        _ bytes: [UInt8], plan: PatchPlan? = nil, scratch: URL = FileManager.default.temporaryDirectory
    ) throws -> CollectingSink {
        let file = temporaryFile("hostile")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var sink = CollectingSink()
        try PatchDecoder(plan ?? self.plan, scratch: scratch).apply(file, to: &sink) { base.object($0) }
        return sink
    }

    @Test func `a patch that is cut off anywhere is refused as truncated`() throws {
        for count in 0..<patch.count {
            #expect(throws: PatchError.truncated) { try apply(Array(patch.prefix(count))) }
        }
    }

    @Test func `bytes after the end are refused, be it another frame`() throws {
        #expect(throws: PatchError.trailingData) { try apply(patch + [0]) }
        #expect(throws: PatchError.trailingData) { try apply(patch + patch) }
    }

    @Test func `a flipped bit anywhere gives an error or the right bytes`() throws {
        let right = try apply(patch)
        for position in patch.indices {
            var damaged = patch
            damaged[position] ^= 1 << UInt8(position % 8)
            do {
                let sink = try apply(damaged)
                #expect(sink.objects == right.objects)
            } catch is PatchError {}
        }
    }

    @Test func `another version's patch is refused`() throws {
        let other = try Site(["a.js": Array("another".utf8)])
        let plan = PatchPlan(from: base.manifest, to: other.manifest)
        #expect(throws: PatchError.tooLarge(byteCount: patch.count, limit: 70)) { try apply(patch, plan: plan) }
        let big = try Site(["a.js": [UInt8](repeating: 1, count: 50_000)])
        #expect(throws: PatchError.wrongByteCount(found: 41_000, expected: 50_000)) {
            try apply(patch, plan: PatchPlan(from: base.manifest, to: big.manifest))
        }
    }

    @Test func `content of the right size that is something else is refused`() throws {
        var random = RandomBytes(seed: 3)
        let other = try Site(["a.js": random.bytes(20_500), "b.js": random.bytes(20_500)])
        let plan = PatchPlan(from: base.manifest, to: other.manifest)
        #expect(throws: PatchError.wrongObject(plan.new[0].digest)) { try apply(patch, plan: plan) }
    }

    @Test func `a damaged or missing object of the base is named`() throws {
        let lost = plan.lost[1]
        let bytes = try Data(contentsOf: base.object(lost.digest))
        var damaged = bytes
        damaged[100] ^= 1
        for content in [damaged, bytes.dropLast(), bytes + [0], Data()] {
            try content.write(to: base.object(lost.digest))
            #expect(throws: PatchError.damagedBase(lost.digest)) { try apply(patch) }
        }
        try FileManager.default.removeItem(at: base.object(lost.digest))
        #expect(throws: PatchError.damagedBase(lost.digest)) { try apply(patch) }
    }

    @Test func `a frame that claims a terabyte is refused before anything is allocated`() throws {
        var frame = FrameBytes(singleSegment: true, contentSize: 1 << 40)
        frame.rawBlock([1, 2, 3], isLast: true)
        // Nor is the base copied for it: there is no place to copy to.
        #expect(throws: PatchError.wrongByteCount(found: 1 << 40, expected: 41_000)) {
            try apply(frame.bytes, scratch: URL(filePath: "/nowhere"))
        }
    }

    @Test func `a window of two gigabytes is refused`() throws {
        var frame = FrameBytes(windowLog: 31)
        frame.rawBlock([1, 2, 3], isLast: true)
        #expect(throws: PatchError.windowTooLarge(2 << 30, limit: 8 << 20)) {
            try apply(frame.bytes, scratch: URL(filePath: "/nowhere"))
        }
    }

    @Test func `a frame without a size that never ends is stopped at the signed size`() throws {
        var frame = FrameBytes(windowLog: 20)
        for _ in 0..<100 { frame.repeatBlock(65, count: 100_000, isLast: false) }
        #expect(throws: PatchError.self) { try apply(frame.bytes) }
        #expect(throws: PatchError.overlong(expected: 99_999)) {
            var source = ChunkReader(frame.bytes)
            let content = FrameContent(
                exactly: 99_999, prefix: UnsafeRawBufferPointer(start: nil, count: 0), windowLimit: 8 << 20)
            try content.read(&source) { _ in }
        }
    }

    @Test func `a frame that gives too little is refused`() throws {
        var frame = FrameBytes(windowLog: 20)
        frame.rawBlock([1, 2, 3], isLast: true)
        #expect(throws: PatchError.tooShort(found: 3, expected: 41_000)) { try apply(frame.bytes) }
    }

    @Test func `a frame with a dictionary, an old format or none at all is refused`() throws {
        var dictionary = FrameBytes(singleSegment: true, contentSize: 41_000)
        dictionary.bytes[4] |= 1
        #expect(throws: PatchError.corrupt(reason: "it asks for a dictionary")) { try apply(dictionary.bytes) }
        for magic in [UInt32(0xFD2F_B527), 0xFD2F_B51E, 0x184D_2A50, 0x0403_4B50] {
            var bytes = patch
            for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: magic >> UInt32(8 * index)) }
            #expect(throws: PatchError.self) { try apply(bytes) }
        }
    }

    @Test func `what a sink throws ends the decoding and is passed on`() throws {
        struct FullSink: ObjectSink {
            struct Full: Error {}
            mutating func begin(_ object: Object) {}
            mutating func write(_ bytes: UnsafeRawBufferPointer) throws { throw Full() }
            mutating func finish(_ object: Object) {}
        }
        let file = temporaryFile()
        try Data(patch).write(to: file)
        var sink = FullSink()
        #expect(throws: FullSink.Full.self) { try PatchDecoder(plan).apply(file, to: &sink) { base.object($0) } }
    }
}

/// Writes zstd frames by hand (RFC 8878), as no encoder would.
struct FrameBytes {
    var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    init(singleSegment: Bool, contentSize: UInt64) {
        bytes.append(0xC0 | (singleSegment ? 0x20 : 0))
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: contentSize >> UInt64(8 * $0)) }
    }

    init(windowLog: UInt8) {
        bytes += [0, (windowLog - 10) << 3]
    }

    mutating func rawBlock(_ content: [UInt8], isLast: Bool) {
        header(type: 0, count: content.count, isLast: isLast)
        bytes += content
    }

    mutating func repeatBlock(_ byte: UInt8, count: Int, isLast: Bool) {
        header(type: 1, count: count, isLast: isLast)
        bytes.append(byte)
    }

    private mutating func header(type: Int, count: Int, isLast: Bool) {
        let value = count << 3 | type << 1 | (isLast ? 1 : 0)
        bytes += (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
