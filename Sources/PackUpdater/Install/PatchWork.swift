import Foundation
import PackFormat
import PackPatch

/// Applies a patch between two versions to a store.
struct PatchWork {
    private let decoder: PatchDecoder
    private let objects: ObjectStore

    /// - Parameter base: nil for the full download.
    init(from base: Manifest?, to target: Manifest, objects: ObjectStore) {
        decoder = PatchDecoder(PatchPlan(from: base, to: target), scratch: objects.layout.downloads)
        self.objects = objects
    }

    /// Bytes.
    var maximumByteCount: Int { decoder.maximumPatchByteCount }

    /// Gives the verified objects to `batch`. Those that came before a fault are sound, but nobody keeps them.
    func apply(_ patch: URL, to batch: ObjectBatch) throws {
        var sink = Sink(batch: batch)
        try decoder.apply(patch, to: &sink) { objects.url($0) }
    }

    private struct Sink: ObjectSink {
        let batch: ObjectBatch

        mutating func begin(_ object: Object) throws { try batch.begin(object) }
        mutating func write(_ bytes: UnsafeRawBufferPointer) throws { try batch.write(bytes) }
        mutating func finish(_ object: Object) throws { try batch.finish(object) }
    }
}
