import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Fetches the files of one version as its pages request them. Each is an object of the signed manifest, verified
/// before anybody can read it. The other objects are fetched when no page waits.
final class PackageArrival: Sendable {
    private struct Use {
        var waiting = 0
        var last = ContinuousClock.now
        var isOver = false
    }

    let job: InstallJob
    let verified: VerifiedManifest
    /// Of other packages of the job's set: the versions that go with this one.
    let companions: [PackageID: Set<VersionID>]
    private let objects: ObjectStore
    private let download: ObjectDownload
    private let turn: UpdateTurn
    private let byDigest: [Digest: Object]
    /// Keeps the objects from a collection, as long as somebody has the arrival.
    private let hold: FileLock
    private let use = Locked(Use())

    init(
        _ job: InstallJob, _ verified: VerifiedManifest, companions: [PackageID: Set<VersionID>],
        download: ObjectDownload, turn: UpdateTurn, hold: FileLock
    ) {
        self.job = job
        self.companions = companions
        self.verified = verified
        objects = download.objects
        self.download = download
        self.turn = turn
        self.hold = hold
        byDigest = Dictionary(
            verified.manifest.files.values.map { ($0.digest, Object(digest: $0.digest, size: $0.size)) }
        ) { first, _ in first }
    }

    /// Whether the version is installed, and all of its files are here.
    var isOver: Bool { use.withLock { $0.isOver } }

    func end() { use.withLock { $0.isOver = true } }

    /// Brings an object here for a page that waits for it.
    func fetch(_ digest: Digest) async throws {
        guard let object = byDigest[digest] else {
            throw UpdateError.notFound(address: ViewPath.object(digest).description)
        }
        if objects.has(object) { return }
        use.withLock { $0.waiting += 1 }
        defer {
            use.withLock { use in
                use.waiting -= 1
                use.last = .now
            }
        }
        try await turn.hold { try await download.fetch(object) }
    }

    /// Returns when no page has waited for a file for a while, or when pages have asked for so long that the rest
    /// comes beside what they ask for.
    func waitUntilQuiet() async throws {
        let latest = ContinuousClock.now + Self.longestWait
        while ContinuousClock.now < latest {
            let (waiting, last) = use.withLock { ($0.waiting, $0.last) }
            let rest = Self.quiet - (ContinuousClock.now - last)
            if waiting == 0, rest <= .zero { return }
            try await Task.sleep(for: waiting > 0 ? Self.quiet : max(rest, .milliseconds(10)))
        }
    }

    private static let quiet = Duration.milliseconds(300)
    private static let longestWait = Duration.seconds(15)
}
