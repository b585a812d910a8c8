import struct Crypto.SHA256
import PackFormat

/// Splits a stream of bytes into objects and passes each to a sink. An object is finished only if its SHA-256 is
/// correct.
struct VerifiedObjects<Sink: ObjectSink> {
    private(set) var sink: Sink
    private var pending: ArraySlice<Object>
    private let knowsDigests: Bool
    private var hash = SHA256()
    /// Bytes that the first pending object, which has begun, still lacks.
    private var missing = 0
    private var hasBegun = false

    /// - Parameter knowsDigests: false names each object by its own SHA-256, whatever digest it has in `objects`.
    init(_ objects: [Object], sink: Sink, knowsDigests: Bool = true) {
        self.sink = sink
        self.knowsDigests = knowsDigests
        pending = objects[...]
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            try beginNext()
            guard hasBegun else { throw PatchError.trailingData }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(missing))
            hash.update(bufferPointer: part)
            try sink.write(part)
            missing -= part.count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            try finishComplete()
        }
    }

    /// Finishes empty objects at the end, and makes sure that all objects are there.
    mutating func end() throws {
        try beginNext()
        guard pending.isEmpty else { throw PatchError.truncated }
    }

    private mutating func beginNext() throws {
        while !hasBegun, let object = pending.first {
            try sink.begin(object)
            hash = SHA256()
            missing = object.size
            hasBegun = true
            try finishComplete()
        }
    }

    private mutating func finishComplete() throws {
        guard hasBegun, missing == 0, let object = pending.first else { return }
        let digest = Digest(hash.finalize())
        guard !knowsDigests || digest == object.digest else { throw PatchError.wrongObject(object.digest) }
        try sink.finish(Object(digest: digest, size: object.size))
        pending.removeFirst()
        hasBegun = false
    }
}
