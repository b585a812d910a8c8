import Foundation
import PackFormat
import PackPatch

/// The patch between two folders.
///
///     patch-sizes OLD NEW [OUT]              the patch without and with renaming: one line of JSON
///     patch-sizes manifest OLD NEW           only the manifest's patch, whole and as a skeleton
///     patch-sizes make OLD NEW OUT           only the patch that a registry makes
///     patch-sizes store OLD NEW STORE        what a device has before it applies: both manifests, its objects by digest, and the skeleton
///     patch-sizes apply STORE PATCH OUT      applies it: the new objects go to the folder OUT
///     patch-sizes update STORE PATCH OUT     the same by the skeleton, without the new manifest
///
/// Sizes in bytes, seconds of CPU. `make` and `apply` are for measuring time and memory from outside.
@main
struct PatchSizes {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "make" where arguments.count == 4:
            let work = try Work(arguments[1], arguments[2])
            let size = try PatchEncoder().encode(work.plan, to: URL(filePath: arguments[3]), object: work.place)
            print("{\"lost\": \(work.plan.lostByteCount), \"new\": \(work.plan.newByteCount), \"patch\": \(size)}")
        case "manifest" where arguments.count == 3:
            let sizes = try Work(arguments[1], arguments[2]).manifestSizes()
            print("{\"manifest\": \(sizes.whole), \"skeleton\": \(sizes.skeleton)}")
        case "store" where arguments.count == 4:
            try Work(arguments[1], arguments[2]).write(to: URL(filePath: arguments[3], directoryHint: .isDirectory))
        case "apply" where arguments.count == 4:
            let store = Store(arguments[1])
            var sink = try Sink(newFolder: arguments[3])
            try PatchDecoder(PatchPlan(from: store.manifest("old.json"), to: store.manifest("new.json")))
                .apply(URL(filePath: arguments[2]), to: &sink, base: store.place)
        case "update" where arguments.count == 4:
            try update(Store(arguments[1]), patch: URL(filePath: arguments[2]), Sink(newFolder: arguments[3]))
        default:
            guard arguments.count >= 2 else {
                FileHandle.standardError.write(
                    Data(
                        "usage: patch-sizes OLD NEW [OUT] | manifest OLD NEW | make OLD NEW OUT | store OLD NEW STORE | apply STORE PATCH OUT | update STORE PATCH OUT\n"
                            .utf8))
                exit(64)
            }
            try compare(arguments)
        }
    }

    /// What a device does with an update file: only the length and the digest of the new manifest are known.
    private static func update(_ store: Store, patch: URL, _ sink: Sink) throws {
        let old = try store.bytes("old.json")
        let base = try Manifest(parsing: old)
        let signed = String(decoding: try store.bytes("new.signed"), as: UTF8.self).split(separator: " ")
        let skeleton = try ManifestSkeleton(
            store.bytes("skeleton")[...], base: base, baseBytes: old,
            limits: ManifestSkeleton.Limits(manifestByteCount: Int(signed[1]) ?? 0, base: base))
        var sink = sink
        sink.names = skeleton.names
        try PatchDecoder(skeleton, scratch: sink.folder).apply(patch, to: &sink, base: store.place)
        let manifest = skeleton.manifestBytes(new: sink.order, names: sink.names)
        guard Digest(of: manifest).hex == signed[0] else { throw Sink.Failed() }
    }

    private static func compare(_ arguments: [String]) throws {
        let work = try Work(arguments[0], arguments[1])
        let folder = FileManager.default.temporaryDirectory.appending(path: "patch-sizes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "patch")
        var sizes: [Int] = []
        var seconds: [Double] = []
        for usesRenaming in [false, true] {
            let start = clock()
            sizes.append(
                try PatchEncoder(usesRenaming: usesRenaming).encode(work.plan, to: file, object: work.place))
            seconds.append(Double(clock() - start) / Double(CLOCKS_PER_SEC))
        }
        let start = clock()
        var sink = Sink(folder: folder)
        try PatchDecoder(work.plan).apply(file, to: &sink, base: work.place)
        let applying = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        if arguments.count > 2 {
            try? FileManager.default.removeItem(at: URL(filePath: arguments[2]))
            try FileManager.default.copyItem(at: file, to: URL(filePath: arguments[2]))
        }
        let manifest = try work.manifestSizes()
        print(
            """
            {"lost": \(work.plan.lostByteCount), "new": \(work.plan.newByteCount), "plain": \(sizes[0]), \
            "renamed": \(sizes[1]), "manifest": \(manifest.whole), "skeleton": \(manifest.skeleton), "plainSeconds": \(seconds[0]), \
            "renamedSeconds": \(seconds[1]), "applySeconds": \(applying)}
            """)
    }
}

/// What a device has.
private struct Store {
    let folder: URL

    init(_ path: String) { folder = URL(filePath: path, directoryHint: .isDirectory) }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

    func manifest(_ name: String) throws -> Manifest { try Manifest(parsing: bytes(name)) }

    func place(_ digest: Digest) -> URL { folder.appending(path: digest.hex) }
}

/// Two folders as two versions of a package.
private struct Work {
    let old: Manifest
    let new: Manifest
    let plan: PatchPlan
    private let places: [Digest: URL]

    init(_ old: String, _ new: String) throws {
        var places: [Digest: URL] = [:]
        self.old = try Self.manifest(of: old, &places)
        self.new = try Self.manifest(of: new, &places)
        plan = PatchPlan(from: self.old, to: self.new)
        self.places = places
    }

    func write(to store: URL) throws {
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        try Data(old.bytes).write(to: store.appending(path: "old.json"))
        try Data(new.bytes).write(to: store.appending(path: "new.json"))
        try Data("\(new.digest.hex) \(new.bytes.count)".utf8).write(to: store.appending(path: "new.signed"))
        if let skeleton = try ManifestSkeleton.encode(base: old.bytes, target: new.bytes, object: place) {
            try Data(skeleton).write(to: store.appending(path: "skeleton"))
        }
        for object in old.ownObjects {
            try FileManager.default.copyItem(at: place(object.digest), to: store.appending(path: object.digest.hex))
        }
    }

    /// The bytes of the manifest's patch, and of the skeleton that a device is sent in its place.
    func manifestSizes() throws -> (whole: Int, skeleton: Int) {
        let whole = try ManifestPatch.encode(base: old.bytes, target: new.bytes).count
        return (whole, try ManifestSkeleton.encode(base: old.bytes, target: new.bytes, object: place)?.count ?? whole)
    }

    func place(_ digest: Digest) throws -> URL {
        guard let url = places[digest] else { throw PatchError.damagedBase(digest) }
        return url
    }

    private static func manifest(of path: String, _ places: inout [Digest: URL]) throws -> Manifest {
        let root = URL(filePath: path, directoryHint: .isDirectory)
        let names = Set(try FileManager.default.subpathsOfDirectory(atPath: path))
        var files: [PackagePath: Manifest.File] = [:]
        for name in names.sorted() {
            let isCopy = [".gz", ".br", ".zst"].contains {
                name.hasSuffix($0) && names.contains(String(name.dropLast($0.count)))
            }
            let url = root.appending(path: name)
            guard !isCopy, try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            // Each file's bytes are gone before the next, so that the peak is the patch's own.
            try autorelease {
                let bytes = try Data(contentsOf: url, options: .alwaysMapped)
                let digest = Digest(of: bytes)
                files[try PackagePath(name)] = Manifest.File(digest: digest, size: bytes.count)
                places[digest] = url
            }
        }
        // Without a page a folder is a bundle; which of the two it is makes no difference here.
        return try Manifest(
            package: PackageID("bench"), version: SemanticVersion("1.0.0"), entry: nil, files: files, shared: [:])
    }

    private static func autorelease(_ body: () throws -> Void) rethrows {
        #if canImport(ObjectiveC)
            try autoreleasepool(invoking: body)
        #else
            try body()
        #endif
    }
}

/// Writes each object to a file named by its digest, as a device does.
private struct Sink: ObjectSink {
    struct Failed: Error {}

    let folder: URL
    /// Looks at each object.
    var names = NameFinder()
    /// The objects, in the order in which they came.
    private(set) var order: [Object] = []
    private var file: CInt = -1

    init(folder: URL) { self.folder = folder }

    init(newFolder path: String) throws {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    mutating func begin(_ object: Object) throws {
        file = open(folder.appending(path: object.digest.hex).path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Failed() }
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        names.look(at: bytes)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else { throw Failed() }
            rest = rest.dropFirst(count)
        }
    }

    mutating func finish(_ object: Object) throws {
        guard close(file) == 0 else { throw Failed() }
        names.endObject()
        order.append(object)
    }
}
