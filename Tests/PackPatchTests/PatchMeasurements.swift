import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// Measures patches over real update histories, and holds the bars of docs/PATCH-FORMAT.md against them.
///
///     scripts/fetch-datasets.sh
///     PACKTOOL_DATASETS=.cache/datasets swift test -c release -Xswiftc -enable-testing --filter PatchMeasurements
///
/// `PACKTOOL_DATASETS_ONLY=fava,ray` takes some of the sets. Takes an hour on two cores: the zstd tool, a plain and a
/// renamed patch are made for each update.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["PACKTOOL_DATASETS"] != nil), .serialized)
struct PatchMeasurements {
    @Test func `patches over all consecutive updates keep their bars`() throws {
        let environment = ProcessInfo.processInfo.environment
        let root = URL(fileURLWithPath: environment["PACKTOOL_DATASETS"] ?? "")
        let only = environment["PACKTOOL_DATASETS_ONLY"]?.split(separator: ",").map(String.init)
        var all: [Measurement] = []
        print("| update | lost | new | zstd tool | plain | renamed | ratio | encode s | decode s |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for name in try Self.folders(root) where only?.contains(name) ?? true {
            let versions = try Self.folders(root.appendingPathComponent(name))
            for (from, to) in zip(versions, versions.dropFirst()) {
                let set = root.appendingPathComponent(name)
                let measurement = try Measurement(
                    from: Version(set.appendingPathComponent(from)), to: Version(set.appendingPathComponent(to)))
                guard let measurement else { continue }
                print("| \(name) \(from) → \(to) | \(measurement.row) |")
                all.append(measurement)
            }
        }
        let tool = all.reduce(0) { $0 + $1.tool }
        let plain = all.reduce(0) { $0 + $1.plain }
        let renamed = all.reduce(0) { $0 + $1.renamed }
        let mean = exp(all.reduce(0) { $0 + log(Double($1.renamed) / Double($1.plain)) } / Double(all.count))
        print("sum: zstd tool \(tool), plain \(plain), renamed \(renamed): \(Double(renamed) / Double(plain)) of plain")
        print("geometric mean of the ratios: \(mean), \(all.count) updates")
        #expect(Double(plain) <= 1.02 * Double(tool))
        #expect(all.allSatisfy { $0.renamed <= $0.plain + 100 })
        if only == nil {
            #expect(Double(renamed) <= 0.68 * Double(plain))
            #expect(mean <= 0.55)
        }
    }

    /// One version of a set, as it lies in the cache.
    private struct Version {
        let manifest: Manifest
        private let urls: [Digest: URL]

        init(_ folder: URL) throws {
            var files: [PackagePath: Manifest.File] = [:]
            var urls: [Digest: URL] = [:]
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for path in paths {
                let url = folder.appendingPathComponent(path)
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue
                else { continue }
                // A compressed copy of a file beside it is the business of a web server, not of a package.
                if path.hasSuffix(".gz"), paths.contains(String(path.dropLast(3))) { continue }
                let data = try Data(contentsOf: url)
                let digest = Digest(of: data)
                files[try PackagePath(path)] = Manifest.File(digest: digest, size: data.count)
                urls[digest] = url
            }
            manifest = try Manifest(
                package: PackageID("measured"), version: SemanticVersion("1.0.0"), entry: nil, files: files)
            self.urls = urls
        }

        func url(_ digest: Digest) -> URL { urls[digest] ?? URL(fileURLWithPath: "/missing") }
        func has(_ digest: Digest) -> Bool { urls[digest] != nil }
    }

    private struct Measurement {
        let plan: PatchPlan
        let tool: Int
        let plain: Int
        let renamed: Int
        let encodeSeconds: Double
        let decodeSeconds: Double

        /// Nil for two versions with the same files.
        init?(from base: Version, to target: Version) throws {
            plan = PatchPlan(from: base.manifest, to: target.manifest)
            guard !plan.isEmpty else { return nil }
            let folder = temporaryFile("measure")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let patch = folder.appendingPathComponent("patch")
            let object = { (digest: Digest) in base.has(digest) ? base.url(digest) : target.url(digest) }

            tool = try Self.zstd(plan, object, folder)
            plain = try PatchEncoder(usesRenaming: false).encode(plan, to: patch, object: object)
            let start = Date()
            renamed = try PatchEncoder().encode(plan, to: patch, object: object)
            encodeSeconds = Date().timeIntervalSince(start)
            var sink = CountingSink()
            let middle = Date()
            try PatchDecoder(plan).apply(patch, to: &sink, base: object)
            decodeSeconds = Date().timeIntervalSince(middle)
            #expect(sink.count == plan.new.count)
        }

        var row: String {
            let ratio = String(format: "%.3f", Double(renamed) / Double(plain))
            let seconds = String(format: "%.1f | %.3f", encodeSeconds, decodeSeconds)
            return
                "\(plan.lostByteCount) | \(plan.newByteCount) | \(tool) | \(plain) | \(renamed) | \(ratio) | \(seconds)"
        }

        /// The size of what the zstd tool makes of the same plan.
        private static func zstd(_ plan: PatchPlan, _ object: (Digest) -> URL, _ folder: URL) throws -> Int {
            for (name, objects) in [("old", plan.lost), ("new", plan.new)] {
                let url = folder.appendingPathComponent(name)
                try Data().write(to: url)
                let handle = try FileHandle(forWritingTo: url)
                for item in objects { try handle.write(contentsOf: Data(contentsOf: object(item.digest))) }
                try handle.close()
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let base = plan.lost.isEmpty ? [] : ["--patch-from=old"]
            process.arguments = ["zstd", "-q", "-f", "--ultra", "-22", "--long=27"] + base + ["new", "-o", "tool"]
            process.currentDirectoryURL = folder
            try process.run()
            process.waitUntilExit()
            return try Data(contentsOf: folder.appendingPathComponent("tool")).count
        }
    }

    private struct CountingSink: ObjectSink {
        private(set) var count = 0
        mutating func begin(_ object: Object) {}
        mutating func write(_ bytes: UnsafeRawBufferPointer) {}
        mutating func finish(_ object: Object) { count += 1 }
    }

    /// The folders in a folder, versions in their order.
    private static func folders(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }
}
