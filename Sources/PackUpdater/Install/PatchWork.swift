import PackFormat
import PackPatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Applies a patch between two versions to a store.
struct PatchWork {
    private let decoder: PatchDecoder
    private let objects: ObjectStore

    /// - Parameter base: nil for the full download.
    init(from base: Manifest?, to target: Manifest, objects: ObjectStore) {
        decoder = PatchDecoder(PatchPlan(from: base, to: target), scratch: objects.layout.downloads)
        self.objects = objects
    }

    /// A patch that a skeleton came with; nothing that it gives is verified before the manifest is.
    init(_ skeleton: ManifestSkeleton, objects: ObjectStore) {
        decoder = PatchDecoder(skeleton, scratch: objects.layout.downloads)
        self.objects = objects
    }

    /// Bytes.
    var maximumByteCount: Int { decoder.maximumPatchByteCount }

    /// Gives the objects to `batch`. Those that came before a fault are verified where the manifest is, but nobody keeps them.
    /// - Parameter names: Looks at each object.
    /// - Returns: The names that it found.
    func apply(_ patch: URL, to batch: ObjectBatch, _ names: NameFinder = NameFinder()) throws -> NameFinder {
        var sink = Sink(batch: batch, names: names)
        try decoder.apply(patch, to: &sink) { objects.url($0) }
        return sink.names
    }

    func apply(_ patch: ArraySlice<UInt8>, to batch: ObjectBatch, _ names: NameFinder) throws -> NameFinder {
        var sink = Sink(batch: batch, names: names)
        try decoder.apply(patch, to: &sink) { objects.url($0) }
        return sink.names
    }

    private struct Sink: ObjectSink {
        let batch: ObjectBatch
        var names: NameFinder

        mutating func begin(_ object: Object) throws { try batch.begin(object) }
        mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
            names.look(at: bytes)
            try batch.write(bytes)
        }
        mutating func finish(_ object: Object) throws {
            names.endObject()
            try batch.finish(object)
        }
    }
}
