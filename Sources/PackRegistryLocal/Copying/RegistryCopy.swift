package import Foundation
import PackFormat
package import PackRegistry
import PackRegistryAPI
import PackRegistrySQL
import PackSystem

/// Copies a whole registry to another place: rows, objects, what was made of them, and the online key.
///
///     try await RegistryCopy(of: local).run(to: RegistryCopy.Place(folder: files, rows: rows, storage: bucket))
///
/// Files come first, and may be copied in several runs: those that are there are not copied again. The rows come last, in one
/// transaction. Documents and timestamp follow from them byte for byte, so devices notice nothing.
package struct RegistryCopy: Sendable {
    /// Where a registry is, or is to be.
    package struct Place: Sendable {
        let folder: RegistryFolder
        let rows: RegistryRows?
        let storage: (any RemoteStorage)?

        package init(folder: URL, rows: RegistryRows?, storage: (any RemoteStorage)?) {
            self.folder = RegistryFolder(folder)
            self.rows = rows
            self.storage = storage
        }
    }

    package struct Outcome: Hashable, Sendable {
        /// Files that were copied, and those that were there.
        package fileprivate(set) var copiedCount = 0
        package fileprivate(set) var keptCount = 0
        package fileprivate(set) var byteCount = 0
    }

    /// The folders of the view whose files do not follow from the rows.
    static let folders = ["objects/", "patches/", "packages/", "encoded/"]

    private let source: LocalRegistry

    package init(of source: LocalRegistry) {
        self.source = source
    }

    /// - Parameter report: how many files are done, and how many there are in all.
    /// - Throws: ``RegistryError`` of the kind `.conflict` if a server has the registry, or another one has the place.
    package func run(
        to place: Place, report: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> Outcome {
        if let holder = try await source.leases.holder(of: .server) {
            throw RegistryError(
                .conflict,
                "a packtool serve has the registry (\(holder)), and what it changes meanwhile would be lost: stop it first"
                    + (source.rows.isShared ? ". If it was killed, its lease ends within three minutes" : ""))
        }
        guard place.folder.root != source.files.root else {
            throw RegistryError(.conflict, "\(place.folder.name) has the registry that is copied: give another folder")
        }
        // What was recorded and never shown is shown before.
        _ = try await source.services.showIfWhole()
        let isThere = try LocalRegistry.exists(place.folder.root, rows: place.rows)
        if isThere {
            guard try await isCopy(place) else {
                throw RegistryError(
                    .conflict, "there is another registry in \(place.rows?.database.name ?? place.folder.name) already")
            }
        } else {
            try await NewRegistryMark(folder: place.folder, storage: place.storage, hasRows: place.rows == nil)
                .checkIsFree()
        }
        let target = CopyTarget(place.folder, storage: place.storage)
        var outcome = Outcome()
        try await copyFiles(to: target, &outcome, report)
        try OnlineKeys.load(from: source.files).save(to: place.folder)
        let rows = try place.rows ?? RegistryRows(place.folder, clock: source.clock)
        if !isThere { try await copyRows(to: rows, place) }
        // What somebody uploaded while the first files were copied.
        var late = Outcome()
        try await copyFiles(to: target, &late) { _, _ in }
        outcome.copiedCount += late.copiedCount
        outcome.byteCount += late.byteCount
        guard try await isCopy(place) else {
            throw RegistryError(
                .conflict,
                "the registry was changed while it was copied: remove the copy, and copy again when nobody changes it")
        }
        return outcome
    }

    /// Whether the registry there shows what this one shows: only who has its keys could make another one that does.
    private func isCopy(_ place: Place) async throws -> Bool {
        let other = try await LocalRegistry.open(
            place.folder.root, rows: place.rows, storage: place.storage, clock: source.clock)
        return try await other.newestTimestamp() == source.newestTimestamp()
    }

    private func copyRows(to rows: RegistryRows, _ place: Place) async throws {
        let settings = try await NewRegistryMark(
            folder: place.folder, storage: place.storage, hasRows: !rows.isShared
        ).made()
        try await BlockingWork.run { [source] in
            try source.database.read { from in
                try rows.database.write { to in
                    let table = SettingTable(db: to)
                    guard try table.app() == nil else {
                        throw RegistryError(.conflict, "there is a registry in \(rows.database.name) already")
                    }
                    try RowCopy(from: from, to: to).run(withoutSettings: Set(settings.map(\.0)))
                    for (name, value) in settings { if let value { try table.set(name, to: value) } }
                }
            }
        }
    }

    // MARK: Files

    private func copyFiles(
        to target: CopyTarget, _ outcome: inout Outcome, _ report: @Sendable (_ done: Int, _ all: Int) -> Void
    ) async throws {
        let there = try await target.sizes()
        let files = try await sourceSizes().sorted { $0.key.description < $1.key.description }
        for (index, (path, size)) in files.enumerated() {
            report(index, files.count)
            guard there[path] != size else {
                outcome.keptCount += 1
                continue
            }
            guard let file = try await localFile(path, size: size) else { continue }
            try await target.put(path, file)
            outcome.copiedCount += 1
            outcome.byteCount += size
        }
    }

    private func sourceSizes() async throws -> [StoredPath: Int] {
        guard let mirror = source.mirror else {
            return try await CopyTarget(source.files, storage: nil).sizes()
        }
        return try await CopyTarget(source.files, storage: mirror.storage).sizes()
    }

    /// The file on this machine, whose bytes are those that its name says.
    /// - Returns: nil for one that was removed meanwhile.
    private func localFile(_ path: StoredPath, size: Int) async throws -> URL? {
        if let mirror = source.mirror {
            // A full download is replaced once.
            if SystemCall.size(of: mirror.place(of: path)) != size { mirror.dropCopy(of: path) }
            return try await mirror.fetch(path) ? mirror.place(of: path) : nil
        }
        let file = source.files.view(path.description)
        return try await BlockingWork.run {
            guard SystemCall.size(of: file) != nil else { return nil }
            guard let digest = path.digest else { return file }
            guard try Digest(of: Data(contentsOf: file, options: .alwaysMapped)) == digest else {
                throw RegistryError(
                    .unusable,
                    "\(path) is damaged: run packtool registry check --repair on the registry that is copied, and copy again"
                )
            }
            return file
        }
    }
}
