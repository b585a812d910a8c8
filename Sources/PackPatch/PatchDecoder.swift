package import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Applies a patch on a device. It verifies every object, in bounded memory, whatever the bytes are.
///
///     let decoder = PatchDecoder(PatchPlan(from: installed, to: wanted), scratch: store.downloads)
///     download(url, to: file, maximumByteCount: decoder.maximumPatchByteCount)
///     try decoder.apply(file, to: &sink) { digest in store.url(of: digest) }
///
/// A patch is never trusted: an object is finished in the sink only when its bytes have the SHA-256 and size in the
/// manifest, decoding stops at the exact total size, and anything else is a ``PatchError``. After an error the
/// finished objects are valid and can be kept; discard the unfinished one.
///
/// Resident memory: the lost objects are mapped from a temporary file and released on the way, the decoder keeps at
/// most the new objects' bytes, and the rest is below 2 MB (with a renaming map, plus the memory that
/// docs/PATCH-FORMAT.md states).
///
/// It blocks, and uses all cores. Calls of `sink` may come from another thread than the caller's, one at a time.
package struct PatchDecoder: Sendable {
    private let plan: PatchPlan
    private let scratch: URL
    /// Whether the plan's digests of new objects are theirs.
    private let knowsDigests: Bool

    /// - Parameter scratch: A folder for a temporary file as large as the lost objects; it never has a name there
    ///   for longer than it takes to open it.
    package init(_ plan: PatchPlan, scratch: URL = FileManager.default.temporaryDirectory) {
        self.plan = plan
        self.scratch = scratch
        knowsDigests = true
    }

    /// A decoder for content that nobody has vouched for: each object is finished as what it is. Its size is the
    /// skeleton's, its digest was computed, and neither is to be believed before the manifest is.
    package init(_ skeleton: ManifestSkeleton, scratch: URL) {
        plan = skeleton.plan
        self.scratch = scratch
        knowsDigests = false
    }

    /// The size in bytes above which no patch is valid. Callers use it as the limit for a download.
    package var maximumPatchByteCount: Int {
        FrameCompressor.bound(plan.newByteCount)
    }

    /// Decodes the objects of ``PatchPlan/new``, in this order, into `sink`.
    /// - Parameter base: Returns the place of a lost object on the device.
    /// - Throws: ``PatchError``, or what `sink` or `base` throw.
    package func apply<Sink: ObjectSink>(
        _ patch: URL, to sink: inout Sink, base: (Digest) throws -> URL
    ) throws {
        let file = try OpenFile(reading: patch)
        let byteCount = try file.size()
        guard byteCount <= maximumPatchByteCount else {
            throw PatchError.tooLarge(byteCount: byteCount, limit: maximumPatchByteCount)
        }
        try apply(ChunkReader(file), to: &sink, base: base)
    }

    /// The same for a patch in memory.
    package func apply<Sink: ObjectSink>(
        _ patch: ArraySlice<UInt8>, to sink: inout Sink, base: (Digest) throws -> URL
    ) throws {
        try apply(ChunkReader(Array(patch)), to: &sink, base: base)
    }

    private func apply<Sink: ObjectSink>(
        _ source: consuming ChunkReader, to sink: inout Sink, base: (Digest) throws -> URL
    ) throws {
        var source = source
        try withoutActuallyEscaping(base) { base in
            let reader = ObjectReader(locate: base)
            do {
                try apply(&source, to: &sink, reader)
            } catch let error as PatchError {
                // Whose fault was it? A damaged base explains everything, and another patch would not help.
                try verify(plan.lost, reader)
                throw error
            }
        }
    }

    private func apply<Sink: ObjectSink>(
        _ source: inout ChunkReader, to sink: inout Sink, _ reader: ObjectReader
    ) throws {
        let map = try RenamingFrame.read(from: &source)
        let header = try FrameHeader(source.bytes(atLeast: FrameHeader.maximumByteCount))
        // Before anything is copied or allocated for it. With a map the base may become larger, within its limit.
        let largestPrefix = map == nil ? plan.lostByteCount : RenamingMap.maximumByteCount(plan.lostByteCount)
        try FrameContent(
            exactly: plan.newByteCount, prefix: UnsafeRawBufferPointer(start: nil, count: 0),
            windowLimit: FrameContent.windowLimit(prefix: largestPrefix, content: plan.newByteCount)
        ).check(header)
        // A window over all of the content is the content: then it is decoded into one place, without copies.
        let isWhole = header.windowSize >= UInt64(plan.newByteCount)
        // First for the lost objects while they are renamed, then for the content.
        let largest = map == nil ? 0 : plan.lost.map(\.size).max() ?? 0
        let memory = try MappedMemory(zeroed: max(largest, isWhole ? plan.newByteCount : 0))
        memory.prefersLargePages()

        let prefix = try prefix(renamedBy: map, reader, memory.mutableBytes)
        let content = FrameContent(
            exactly: plan.newByteCount, prefix: prefix.bytes,
            windowLimit: FrameContent.windowLimit(prefix: prefix.count, content: plan.newByteCount))
        var objects = VerifiedObjects(plan.new, sink: sink, knowsDigests: knowsDigests)
        defer { sink = objects.sink }
        if isWhole {
            let output = UnsafeMutableRawBufferPointer(rebasing: memory.mutableBytes.prefix(plan.newByteCount))
            try decode(content, &source, into: output, prefix, &objects)
        } else {
            try content.read(&source) { try objects.write($0) }
        }
        try objects.end()
    }

    /// Decodes on one core, and verifies and hands on what is there on another.
    private func decode<Sink: ObjectSink>(
        _ content: FrameContent, _ source: inout ChunkReader, into output: UnsafeMutableRawBufferPointer,
        _ prefix: borrowing MappedMemory, _ objects: inout VerifiedObjects<Sink>
    ) throws {
        let progress = DecodingProgress()
        func decode() throws {
            defer { progress.end() }
            var kept = 0
            try content.read(&source, into: output) { count in
                try progress.advance(to: count)
                if count - kept >= Self.keptByteCount {
                    kept = count
                    prefix.letPagesGo()
                }
            }
        }
        func handOn() throws {
            var position = 0
            do {
                while let end = progress.wait(beyond: position) {
                    try objects.write(UnsafeRawBufferPointer(rebasing: output[position..<end]))
                    position = end
                }
            } catch {
                progress.giveUp()
                throw error
            }
        }
        let outcomes = Cores.map(2) { part in Result { try part == 0 ? decode() : handOn() } }
        // What a sink says comes first: it was about bytes before the place where decoding ended.
        for outcome in outcomes.reversed() { try outcome.get() }
    }

    /// After so many decoded bytes what they referred to need not stay resident.
    private static let keptByteCount = 8 << 20

    private func prefix(
        renamedBy map: [UInt8]?, _ reader: ObjectReader, _ memory: UnsafeMutableRawBufferPointer
    ) throws -> MappedMemory {
        try Self.prefix(of: plan, renamedBy: map, reader, memory, scratch: scratch)
    }

    static func prefix(
        of plan: PatchPlan, renamedBy map: [UInt8]?, _ reader: ObjectReader, _ memory: UnsafeMutableRawBufferPointer,
        scratch: URL
    ) throws -> MappedMemory {
        guard let map else { return try reader.concatenate(plan.lost, scratch: scratch, isVerified: false) }
        let names = NamePairs(plan)
        let renamer = try Renamer(
            RenamingMapCoder.decode(map, names: names, lostCount: plan.lost.count), names,
            byteCount: plan.lostByteCount)
        return try reader.concatenate(plan.lost, scratch: scratch, renamer: renamer, memory: memory)
    }

    private func verify(_ objects: [Object], _ reader: ObjectReader) throws {
        for object in objects { try reader.read(object, isVerified: true) { _ in } }
    }
}
