import Foundation
import PackArchive
import PackFormat
import PackPatch
import PackRegistryAPI
import PackRegistrySQL
import PackSystem

/// Makes the files that are derived from versions: package zips, full downloads, patches.
///
/// A version is usable before these files exist: a publication quickly makes a full download, and everything else
/// follows from the database, so the next process makes what is missing (docs/decisions/0009).
struct ArtifactBuilder: Sendable {
    let folder: RegistryFolder
    let database: any RegistryDatabase
    let claims: ArtifactClaims
    let makers: ArtifactMakers
    /// The copies in the folder, if the files are in remote storage.
    let mirror: ViewMirror?

    /// A maker for one round of work.
    func beginMaking() -> any ArtifactMaker {
        let maker = makers.begin(folder, database)
        return mirror.map { MirroredMaker(base: maker, mirror: $0, database: database) } ?? maker
    }

    /// Makes everything that is wanted of the packages that changed, and is not there. A file that cannot be made does not
    /// keep the others waiting.
    /// - Parameter isOver: asked after each file; true leaves the others to the next call.
    /// - Parameter report: how many are made, and how many there are in all.
    func makeWanted(
        until isOver: () -> Bool = { false }, report: (_ made: Int, _ all: Int) -> Void = { _, _ in }
    ) throws {
        guard try !database.read({ try BuildQueueTable(db: $0).isEmpty }) else { return }
        let failed = try makeAll(wanted, until: isOver, report: report).failed
        guard let fault = failed.first else { return }
        throw RegistryError(
            RegistryError(from: fault.value)?.kind ?? .unusable,
            "the version is published, but its download could not be made yet: \(fault.value). The next "
                + "packtool command on this registry, or its server, makes it")
    }

    /// Makes the files of a plan, in its order.
    /// - Returns: whether all of them are made.
    /// - Throws: why one could not be made, after the others.
    func make(
        planned files: [DerivedFile], until isOver: () -> Bool, report: (_ made: Int, _ all: Int) -> Void
    ) throws -> Bool {
        let left = {
            try database.read { db in try files.filter { try !DerivedTable(db: db).isRecorded($0) } }
        }
        let outcome = try makeAll(left, until: isOver, report: report)
        if let fault = outcome.failed.first?.value { throw fault }
        return outcome.isDone
    }

    /// Makes files until none is left or time is over. One that cannot be made does not keep the others waiting.
    /// - Parameter wanted: those that are not there, asked for again after each round.
    /// - Returns: whether none is left but those that failed.
    private func makeAll(
        _ wanted: () throws -> [DerivedFile], until isOver: () -> Bool, report: (_ made: Int, _ all: Int) -> Void
    ) throws -> (isDone: Bool, failed: [DerivedFile: any Error]) {
        // One process works at a time; the others find it done.
        let lock = try FolderLock(folder.root.appending(path: "work.lock", directoryHint: .notDirectory))
        var failed: [DerivedFile: any Error] = [:]
        var (done, isDone) = (0, false)
        while !isOver() {
            let files = try wanted().filter { failed[$0] == nil }
            isDone = files.isEmpty
            guard !isDone else { break }
            let round = try make(files, until: isOver, failed: &failed) { report(done + $0, done + files.count) }
            done += round
            // What is left is made by somebody else here, or nothing can be made at all.
            if round == 0 || failed.values.contains(where: Self.isFull) { break }
        }
        _ = consume lock
        return (isDone, failed)
    }

    /// What is wanted, in the order of its use: patches, then full downloads and zips. Packages of which nothing is wanted
    /// are done.
    private func wanted() throws -> [DerivedFile] {
        var patches: [DerivedFile] = []
        var downloads: [DerivedFile] = []
        var done: [PackageID] = []
        try database.read { db in
            let table = DerivedTable(db: db)
            for package in try BuildQueueTable(db: db).packages() {
                let ofPackage = try (table.wantedPatches(of: package), table.wantedDownloads(of: package))
                patches += ofPackage.0
                downloads += ofPackage.1
                if ofPackage.0.isEmpty, ofPackage.1.isEmpty { done.append(package) }
            }
        }
        let ordered = patches + downloads.filter { $0.kind == .full } + downloads.filter { $0.kind != .full }
        guard !done.isEmpty else { return ordered }
        try database.write { db in
            let table = DerivedTable(db: db)
            // Looked at again: it may have changed since.
            for package in done where try table.wantedPatches(of: package).isEmpty {
                if try table.wantedDownloads(of: package).isEmpty { try BuildQueueTable(db: db).remove(package) }
            }
        }
        return ordered
    }

    /// Whether one of the folders is gone, as after a restore from a backup that left it out.
    func hasLostFolder() throws -> Bool {
        // Copies come and go.
        guard mirror == nil else { return false }
        let kinds: [(String, DerivedFile.Kind)] = [("packages", .archive), ("patches", .full)]
        let lost = kinds.filter {
            !FileManager.default.fileExists(atPath: folder.view($0.0).path(percentEncoded: false))
        }
        return try !lost.isEmpty
            && database.read { db in
                try lost.contains { try DerivedTable(db: db).hasMade($0.1) }
            }
    }

    /// Files that were made and are gone are made again.
    func forgetLost() throws {
        let root = folder.view.path(percentEncoded: false)
        try forgetLost { SystemCall.size(ofPath: root + $0) != nil }
    }

    /// - Parameter isThere: for a path in the view.
    func forgetLost(_ isThere: (String) -> Bool) throws {
        let lost = try database.read { try DerivedTable(db: $0).entries() }.filter {
            $0.size != nil && !isThere($0.path.description)
        }
        try database.write { db in
            try EncodingTable(db: db).forgetLost(isThere)
            for file in lost {
                try DerivedTable(db: db).forget(file.file)
                try BuildQueueTable(db: db).add(file.package)
            }
        }
    }

    /// Makes files until all are made or failed, or so much time has passed that others may be more urgent by now.
    /// - Returns: how many were made or failed.
    private func make(
        _ wanted: [DerivedFile], until isOver: () -> Bool, failed: inout [DerivedFile: any Error],
        report: (Int) -> Void
    ) throws -> Int {
        var made: [(DerivedFile, Int?)] = []
        var saved = ContinuousClock.now
        let end = saved + .seconds(2)
        var count = 0
        let maker = beginMaking()
        // A commit for every small patch would cost more than the patch.
        func save() throws {
            guard !made.isEmpty else { return }
            defer {
                for (file, _) in made { claims.release(file) }
                made = []
                saved = .now
            }
            try record(made)
        }
        var left = wanted[...]
        while let files = nextToMake(&left) {
            let files = files.filter(claims.claim)
            guard !files.isEmpty else { continue }
            report(count)
            count += files.count
            for (file, result) in zip(files, try make(files, with: maker)) {
                do {
                    made.append((file, try result.get()))
                } catch {
                    claims.release(file)
                    failed[file] = error
                }
            }
            if failed.values.contains(where: Self.isFull) { break }
            if saved + .milliseconds(500) < .now { try save() }
            if end < .now || isOver() { break }
        }
        try save()
        return count
    }

    /// A full download keeps one core busy, and all else several: some of those are made at once, and the others one by one.
    /// - Returns: nil if none is left.
    private func nextToMake(_ left: inout ArraySlice<DerivedFile>) -> ArraySlice<DerivedFile>? {
        let together = left.prefix(makers.concurrentCount).prefix { $0.kind == .full }
        let files = together.isEmpty ? left.prefix(1) : together
        left.removeFirst(files.count)
        return files.isEmpty ? nil : files
    }

    private func make(_ files: [DerivedFile], with maker: any ArtifactMaker) throws -> [Result<Int?, any Error>] {
        guard files.count > 1 else { return files.map { file in Result { try maker.make(.file(file)).first ?? nil } } }
        return try ConcurrentMap.run(files.count) { index in
            Result { try beginMaking().make(.file(files[index])).first ?? nil }
        }
    }

    private static func isFull(_ error: any Error) -> Bool { RegistryError(from: error)?.kind == .full }

    /// Makes a version's full download in a hurry, for the devices that come before the small one: some percent larger, and
    /// never in the place of one that is there.
    func makeQuickDownload(of digest: Digest) throws {
        _ = try beginMaking().make(.quickDownload(digest))
    }

    /// Makes one file that a device asked for.
    func makeOnDemand(_ file: DerivedFile) throws {
        let maker = beginMaking()
        // An update file has the patch in it, which the next device may ask for by itself.
        let patch = DerivedFile(.patch, of: file.target, from: file.base)
        if file.kind == .update, try database.read({ try DerivedTable(db: $0).isOnDemand(patch) }) {
            try record([(patch, maker.make(.file(patch)).first ?? nil)])
        }
        try record([(file, maker.make(.file(file)).first ?? nil)])
    }

    /// The bytes that making a patch works on: those of two manifests, or of the objects in which they differ.
    func effort(for file: DerivedFile) throws -> Int {
        guard let base = file.base else { return .max }
        if file.kind == .manifest { return try manifest(base).bytes.count + manifest(file.target).bytes.count }
        let plan = PatchPlan(from: try manifest(base), to: try manifest(file.target))
        return plan.lostByteCount + plan.newByteCount
    }

    private func record(_ made: [(file: DerivedFile, size: Int?)]) throws {
        let worthless = try database.write { db in
            let table = DerivedTable(db: db)
            return try made.flatMap { file, size -> [DerivedFile] in
                try table.record(file, size: size)
                guard file.kind == .full, let size else { return [] }
                let worthless = try table.worthless(file.target, full: size)
                for patch in worthless { try table.record(patch, size: nil) }
                return worthless
            }
        }
        // Only when it is known that they are gone.
        let paths = worthless.map { ViewPath.patch(from: $0.base, to: $0.target) }
        for path in paths { try? FileManager.default.removeItem(at: folder.view(path)) }
        guard let mirror, !paths.isEmpty else { return }
        // What stays is a patch that saves nothing.
        try? AsyncWork.wait { try await mirror.remove(paths) }
    }

    private func manifest(_ digest: Digest) throws -> Manifest {
        guard let manifest = try database.read({ try VersionTable(db: $0).manifest(digest) }) else {
            throw RegistryError(.unusable, "the manifest \(digest) is not in the database: restore it from a backup")
        }
        return manifest
    }
}
