import Foundation
import PackFormat
import PackPatch

/// `patch-sizes OLD NEW [OUT]`: the patch between two folders, without and with renaming, and what it takes to make and to apply it.
///
/// Prints one line of JSON: sizes in bytes, seconds of CPU, and the peak memory of applying in KB. With OUT the patch is kept
/// there. `patch-sizes apply OLD NEW PATCH` only applies, so that its time and memory can be measured from outside.
@main
struct PatchSizes {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else {
            FileHandle.standardError.write(Data("usage: patch-sizes OLD NEW [OUT] | apply OLD NEW PATCH\n".utf8))
            exit(64)
        }
        let isApplying = arguments[0] == "apply"
        if isApplying { arguments.removeFirst() }
        let old = try Side(arguments[0])
        let new = try Side(arguments[1])
        let plan = PatchPlan(from: old.manifest, to: new.manifest)
        func place(_ digest: Digest) throws -> URL {
            guard let url = old.places[digest] ?? new.places[digest] else { throw PatchError.damagedBase(digest) }
            return url
        }
        if isApplying {
            var sink = Sink()
            try PatchDecoder(plan).apply(URL(filePath: arguments[2]), to: &sink) { try place($0) }
            print(sink.byteCount)
            return
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "patch-sizes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "patch")
        var sizes: [Int] = []
        var seconds: [Double] = []
        for usesRenaming in [false, true] {
            let start = clock()
            sizes.append(try PatchEncoder(usesRenaming: usesRenaming).encode(plan, to: file) { try place($0) })
            seconds.append(Double(clock() - start) / Double(CLOCKS_PER_SEC))
        }
        let start = clock()
        var sink = Sink()
        try PatchDecoder(plan).apply(file, to: &sink) { try place($0) }
        let applying = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        if arguments.count > 2 {
            let out = URL(filePath: arguments[2])
            try? FileManager.default.removeItem(at: out)
            try FileManager.default.copyItem(at: file, to: out)
        }
        let manifest = try ManifestPatch.encode(base: old.manifest.bytes, target: new.manifest.bytes).count
        print(
            """
            {"lost": \(plan.lostByteCount), "new": \(plan.newByteCount), "plain": \(sizes[0]), "renamed": \(sizes[1]), \
            "manifest": \(manifest), "plainSeconds": \(seconds[0]), "renamedSeconds": \(seconds[1]), \
            "applySeconds": \(applying)}
            """)
    }
}

/// A folder as a version of a package.
private struct Side {
    let manifest: Manifest
    let places: [Digest: URL]

    init(_ path: String) throws {
        let root = URL(filePath: path, directoryHint: .isDirectory)
        var files: [PackagePath: Manifest.File] = [:]
        var places: [Digest: URL] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let url = root.appending(path: name)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            let bytes = try Data(contentsOf: url)
            let digest = Digest(of: bytes)
            files[try PackagePath(name)] = Manifest.File(digest: digest, size: bytes.count)
            places[digest] = url
        }
        // Without a page a folder is a bundle; which of the two it is makes no difference here.
        manifest = try Manifest(
            package: PackageID("bench"), version: SemanticVersion("1.0.0"), entry: nil, files: files, shared: [:])
        self.places = places
    }
}

private struct Sink: ObjectSink {
    private(set) var byteCount = 0

    mutating func begin(_ object: Object) throws {}
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws { byteCount += bytes.count }
    mutating func finish(_ object: Object) throws {}
}
