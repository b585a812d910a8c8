package import Foundation
package import PackFormat

/// Applies a patch on a device: verifies every object, in bounded memory, whatever the bytes are.
///
///     let decoder = PatchDecoder(PatchPlan(from: installed, to: wanted), scratch: store.downloads)
///     download(url, to: file, maximumByteCount: decoder.maximumPatchByteCount)
///     try decoder.apply(file, to: &sink) { digest in store.url(of: digest) }
///
/// A patch is never trusted: an object is finished in the sink only when its bytes have the SHA-256 and size that the
/// manifest gives, decoding stops at the exact total size, and anything else is a ``PatchError``. After an error the
/// objects that were finished are sound and can be kept; the one under way is to be thrown away.
///
/// Resident memory: the lost objects are mapped from a temporary file, the decoder keeps at most the new objects'
/// bytes, and the rest is below 2 MB (plus, with a renaming map, what the map takes: see docs/PATCH-FORMAT.md).
package struct PatchDecoder: Sendable {
    private let plan: PatchPlan
    private let scratch: URL

    /// - Parameter scratch: A folder for a temporary file as large as the lost objects; it never has a name there
    ///   for longer than it takes to open it.
    package init(_ plan: PatchPlan, scratch: URL = FileManager.default.temporaryDirectory) {
        self.plan = plan
        self.scratch = scratch
    }

    /// A larger patch is never right: what the caller lets through at most when it downloads one. Bytes.
    package var maximumPatchByteCount: Int {
        FrameCompressor.bound(plan.newByteCount)
    }

    /// Gives the objects of ``PatchPlan/new``, in this order, to `sink`.
    /// - Parameter base: Where the device has a lost object.
    /// - Throws: ``PatchError``, or what `sink` or `base` throw.
    package func apply<Sink: ObjectSink>(
        _ patch: URL, to sink: inout Sink, base: (Digest) throws -> URL
    ) throws {
        let file = try OpenFile(reading: patch)
        let byteCount = try file.size()
        guard byteCount <= maximumPatchByteCount else {
            throw PatchError.tooLarge(byteCount: byteCount, limit: maximumPatchByteCount)
        }
        var source = ChunkReader(file)
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
        let prefix = try prefix(renamedBy: RenamingFrame.read(from: &source), reader)
        let content = FrameContent(
            exactly: plan.newByteCount, prefix: prefix.bytes,
            windowLimit: FrameContent.windowLimit(prefix: prefix.count, content: plan.newByteCount))
        var objects = VerifiedObjects(plan.new, sink: sink)
        defer { sink = objects.sink }
        try content.read(&source) { try objects.write($0) }
        try objects.end()
    }

    private func prefix(renamedBy map: [UInt8]?, _ reader: ObjectReader) throws -> MappedMemory {
        guard let map else { return try reader.concatenate(plan.lost, scratch: scratch, isVerified: false) }
        let names = NamePairs(plan)
        let renamer = Renamer(
            try RenamingMapCoder.decode(map, names: names, lostCount: plan.lost.count), names,
            byteCount: plan.lostByteCount)
        return try reader.concatenate(plan.lost, scratch: scratch, renamer: renamer)
    }

    private func verify(_ objects: [Object], _ reader: ObjectReader) throws {
        for object in objects { try reader.read(object, isVerified: true) { _ in } }
    }
}
