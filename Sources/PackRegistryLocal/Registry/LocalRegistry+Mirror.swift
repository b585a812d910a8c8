import Foundation
package import PackFormat
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL
import PackTrust

/// What is different if the files are in remote storage, and the folder has copies of some.
extension LocalRegistry {
    /// How often a server looks whether another one has changed the view. It asks the database, which charges nothing.
    private static let followInterval: Duration = .seconds(1)
    /// How often it asks the storage while the database is away.
    private static let blindInterval: Duration = .seconds(10)
    private static let sweepInterval: Duration = .seconds(600)

    package func fetch(_ path: String) async throws -> Bool {
        guard let mirror, let path = StoredPath(path) else { return false }
        do { return try await mirror.fetch(path) } catch let error as RegistryError where error.kind == .notFound {
            // A bucket that is gone is no file that is not there.
            throw RegistryError(.unusable, error.message)
        }
    }

    package func readingURL(of path: ViewPath, seconds: Int) async throws -> String? {
        try await mirror?.storage.view.readingURL(of: .view(path), seconds: seconds)
    }

    /// Whether the files are in storage elsewhere.
    package var hasStorage: Bool { mirror != nil }

    /// Keeps the copy of the timestamp at what the storage shows, and the copies within bounds, until the task is cancelled.
    func follow(_ mirror: ViewMirror) async {
        var (swept, lookedBlindly): (ContinuousClock.Instant, ContinuousClock.Instant?) = (.now, nil)
        while !Task.isCancelled {
            do {
                if try await newestTimestamp() != mirror.shownTimestamp { try await mirror.refreshTimestamp() }
            } catch {
                // Whoever changes something says what is wrong. The database is asked on, and may be back in a second.
                if lookedBlindly.map({ .now - $0 > Self.blindInterval }) ?? true {
                    try? await mirror.refreshTimestamp()
                    lookedBlindly = .now
                }
            }
            if .now - swept > Self.sweepInterval {
                try? await sweep(mirror)
                swept = .now
            }
            try? await Task.sleep(for: Self.followInterval)
        }
    }

    /// Whether the storage shows what was recorded last, as far as it is known without a look at it.
    func isShown() async throws -> Bool {
        guard let mirror else { return false }
        guard !mirror.isLookDue, let shown = mirror.shownTimestamp else { return false }
        return try await newestTimestamp() == shown
    }

    func newestTimestamp() async throws -> [UInt8]? {
        var query = FactsQuery.unsigned
        query.view = .newest
        return try await services.store.facts(query).documents[TopLevelRole.timestamp.rawValue]
    }

    /// Removes copies if there are too many, and those of full downloads that were replaced.
    func sweep(_ mirror: ViewMirror) async throws {
        let sizes = try await database.reading { try DerivedTable(db: $0).fullSizes() }
        try await BlockingWork.run { MirrorSweep(mirror: mirror).run(fullSizes: sizes) }
    }

    /// Looks for every file in the storage by its list. Objects are not looked for: `RegistryCheck` reads them.
    func check(_ mirror: ViewMirror) async throws {
        let check = ViewCheck(folder: files)
        var found: Set<String> = []
        for start in ["metadata/", "targets/", "patches/", "packages/", "encoded/"] {
            try await mirror.storage.view.list(start) { found.formUnion($0.map(\.name)) }
        }
        let names = found
        try await BlockingWork.run { [self] in
            try artifacts.forgetLost { names.contains($0) }
            try check.begin()
        }
        let view = MirroredView(mirror: mirror, listed: names)
        let kept = try await ViewWriter(store: services.store, view: view).complete()
        let keptNames = Set(kept.map(\.description))
        let forgettable = names.filter { name in
            ["metadata/", "targets/channels/"].contains { name.hasPrefix($0) } && !keptNames.contains(name)
        }
        try await mirror.storage.view.remove(listed: Array(forgettable))
        try await BlockingWork.run { try check.end() }
    }
}
