import Foundation
import PackFormat

@testable import PackPatch

/// A version of a package in a folder of its own: the store that encoder and decoder read from.
struct Site {
    let manifest: Manifest
    let files: [String: [UInt8]]
    private let store: URL

    init(_ files: [String: [UInt8]], from: [String: String] = [:]) throws {
        self.files = files
        store = FileManager.default.temporaryDirectory.appendingPathComponent("packpatch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        var entries: [PackagePath: Manifest.File] = [:]
        for (path, bytes) in files {
            let digest = Digest(of: bytes)
            try Data(bytes).write(to: store.appendingPathComponent(digest.hex))
            entries[try PackagePath(path)] = Manifest.File(
                digest: digest, size: bytes.count, from: try from[path].map { try PackageID($0) })
        }
        let pins = try Set(from.values).map { name in
            (
                try PackageID(name),
                VersionID(version: try SemanticVersion("1.0.0"), manifest: Digest(of: Array(name.utf8)))
            )
        }
        manifest = try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: nil, files: entries,
            shared: Dictionary(uniqueKeysWithValues: pins))
    }

    init(texts: [String: String]) throws {
        try self.init(texts.mapValues { Array($0.utf8) })
    }

    func object(_ digest: Digest) -> URL { store.appendingPathComponent(digest.hex) }

    /// The objects one behind the other, as a patch's prefix or content is made of them.
    func concatenation(of objects: [Object]) throws -> Data {
        try objects.reduce(into: Data()) { $0.append(try Data(contentsOf: object($1.digest))) }
    }
}

/// Where the encoder finds the objects of two versions.
func objects(of first: Site, _ second: Site) -> (Digest) -> URL {
    { digest in
        let url = first.object(digest)
        return FileManager.default.fileExists(atPath: url.path) ? url : second.object(digest)
    }
}

func temporaryFile(_ name: String = "patch") -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("packpatch-\(name)-\(UUID().uuidString)")
}

/// Bytes that no compressor shortens, the same for the same seed.
struct RandomBytes: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
}

/// Keeps what was finished, and fails the test's expectations on calls out of order.
struct CollectingSink: ObjectSink {
    enum Misuse: Error { case outOfOrder }

    private(set) var objects: [Digest: [UInt8]] = [:]
    private(set) var order: [Object] = []
    private var current: (object: Object, bytes: [UInt8])?

    mutating func begin(_ object: Object) throws {
        guard current == nil else { throw Misuse.outOfOrder }
        current = (object, [])
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard current != nil else { throw Misuse.outOfOrder }
        current?.bytes.append(contentsOf: bytes)
    }

    mutating func finish(_ object: Object) throws {
        guard let current, current.object == object, current.bytes.count == object.size else { throw Misuse.outOfOrder }
        objects[object.digest] = current.bytes
        order.append(object)
        self.current = nil
    }
}
