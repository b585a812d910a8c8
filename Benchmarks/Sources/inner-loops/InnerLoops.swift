import Foundation
import PackFormat
import PackJSON
import PackPatch

/// `inner-loops NAME COUNT`: runs one inner loop so often, for `valgrind --tool=callgrind` or `perf stat` to count.
///
/// scripts/bench-loops.sh takes the instructions of a run with COUNT and of one with 0, and compares the difference for each
/// pass with Benchmarks/thresholds.json.
@main
struct InnerLoops {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let loop = loops[arguments[1]], let count = Int(arguments[2]) else {
            print(loops.keys.sorted().joined(separator: "\n"))
            return
        }
        let pass = try loop()
        for _ in 0..<count { try pass() }
    }

    /// Each gives, after its preparations, one pass.
    private static let loops: [String: @Sendable () throws -> () throws -> Void] = [
        "manifest-parse": {
            let bytes = try manifest(files: 1000).bytes
            return { _ = try Manifest(parsing: bytes) }
        },
        "manifest-patch-apply": {
            let (old, new) = try (manifest(files: 1000), manifest(files: 1000, changed: 3))
            let (base, target) = (old.bytes, new.bytes)
            let patch = try ManifestPatch.encode(base: base, target: target)
            let digest = Digest(of: target)
            return {
                _ = try ManifestPatch.apply(patch, base: base, expecting: digest, maximumByteCount: target.count)
            }
        },
        "channel-parse": {
            let bytes = try channel(packages: 100).bytes
            return { _ = try ChannelFile(parsing: bytes) }
        },
        "rollout-decision": {
            let releases = try (0..<4).map { try release($0, percent: $0 == 3 ? 100 : 0) }
            let package = try PackageID("checkout")
            let device = try DeviceFacts(deviceID: "4f1c2a", appVersion: AppVersion("3.2.0"))
            return { _ = RolloutDecision(app: "shop", package: package, releases: releases, device: device) }
        },
        "conditional-request": {
            let tag = EntityTag(Digest(of: Array("x".utf8)))
            let text = tag.description
            return {
                let request = ConditionalRequest(method: "GET") { $0 == "if-none-match" ? text : nil }
                _ = request.outcome(for: tag, size: 1000)
            }
        },
        "site-path": {
            let site = try manifest(files: 1000)
            return { _ = SitePath.resolve("/assets/chunk-500-0.js", in: site, wantsPage: false) }
        },
    ]

    private static func manifest(files count: Int, changed: Int = 0) throws -> Manifest {
        var files: [PackagePath: Manifest.File] = [
            try PackagePath("index.html"): Manifest.File(digest: Digest(of: Array("index".utf8)), size: 5)
        ]
        for index in 0..<count {
            let name = "assets/chunk-\(index)-\(index < changed ? 1 : 0).js"
            files[try PackagePath(name)] = Manifest.File(digest: Digest(of: Array(name.utf8)), size: 1000 + index)
        }
        return try Manifest(
            package: PackageID("checkout"), version: SemanticVersion("1.\(changed).0"),
            entry: PackagePath("index.html"),
            files: files, shared: [:])
    }

    private static func release(_ number: Int, percent: Int) throws -> Release {
        try Release(
            id: "r\(number)",
            offer: .version(SemanticVersion("1.\(number).0"), manifest: Digest(of: Array("\(number)".utf8))),
            rollout: Rollout(percent: percent), requiredApp: nil, retry: 0)
    }

    private static func channel(packages count: Int) throws -> ChannelFile {
        var packages: [PackageID: ChannelFile.Package] = [:]
        for index in 0..<count {
            packages[try PackageID("package-\(index)")] = ChannelFile.Package(
                releases: [try release(index, percent: 100)])
        }
        return ChannelFile(app: "shop", channel: try ChannelName("stable"), packages: packages)
    }
}
