package import PackFormat
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL
import PackSystem

/// Looks whether every name that the registry has signed leads to sound bytes, and mends what can be mended.
///
///     let outcome = try await RegistryCheck(local).run(repairing: true)
///     for fault in outcome.faults { print(fault.path, fault.kind, fault.isRepaired) }
///
/// Metadata, channel files and manifests are compared with the database, which has their bytes. An object is hashed; one that is lost
/// or damaged is taken from the zip of a published version that has it, if that zip is sound. Patches, full downloads and zips are
/// not signed: devices verify the objects that come out of them.
package struct RegistryCheck: Sendable {
    package struct Fault: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            case missing, damaged
        }

        package let path: ViewPath
        package let kind: Kind
        package fileprivate(set) var isRepaired = false
    }

    package struct Outcome: Hashable, Sendable {
        /// Metadata, channel files, manifests.
        package fileprivate(set) var documentCount = 0
        package fileprivate(set) var objectCount = 0
        /// Bytes of the objects.
        package fileprivate(set) var byteCount = 0
        /// In the order of their paths.
        package fileprivate(set) var faults: [Fault] = []
    }

    /// How many files are read at once.
    private static let filesAtOnce = 8
    /// How often documents are looked at that are not as the database has them. A server or a command beside the check shows what it
    /// recorded a moment later.
    private static let looks = 5
    private static let pauseBetweenLooks = Duration.milliseconds(400)

    private let local: LocalRegistry
    private let files: any CheckedFiles

    package init(_ local: LocalRegistry) {
        self.local = local
        if let mirror = local.mirror {
            files = StoredFiles(mirror: mirror)
        } else {
            files = FolderFiles(folder: local.files)
        }
    }

    /// - Parameter isRepairing: whether faults are mended. Without it nothing is written.
    /// - Throws: ``RegistryError`` if the database or the folder cannot be read.
    package func run(repairing isRepairing: Bool) async throws -> Outcome {
        // All of it may be sound, and devices refuse it.
        if try await local.services.isViewAhead() { throw ViewWriter.behind }
        var outcome = Outcome()
        let documents = try await documentFaults(&outcome)
        let objects = try await local.database.reading { try Self.signedObjects($0) }
        outcome.objectCount = objects.count
        outcome.byteCount = objects.reduce(0) { $0 + $1.size }
        let faulty = try await each(objects) { object in
            try await files.fault(of: object.digest).map {
                (object, Fault(path: .object(object.digest), kind: $0))
            }
        }.compactMap(\.self)
        outcome.faults = documents.map(\.fault) + faulty.map(\.1)
        if isRepairing, !outcome.faults.isEmpty {
            try await files.replace(documents.map(\.file))
            try await repair(faulty.map(\.0))
            outcome.faults = try await each(outcome.faults) { fault in
                var fault = fault
                fault.isRepaired = try await isSound(fault.path)
                return fault
            }
        }
        outcome.faults.sort { $0.path.description < $1.path.description }
        return outcome
    }

    // MARK: Documents

    private func documentFaults(_ outcome: inout Outcome) async throws -> [(file: ViewFile, fault: Fault)] {
        let documents = try await local.services.files()
        outcome.documentCount = documents.count
        var faults = try await documentFaults(among: documents)
        for _ in 1..<Self.looks where !faults.isEmpty {
            try await Task.sleep(for: Self.pauseBetweenLooks)
            let paths = Set(faults.map(\.file.path))
            faults = try await documentFaults(among: local.services.files().filter { paths.contains($0.path) })
        }
        return faults
    }

    private func documentFaults(among documents: [ViewFile]) async throws -> [(file: ViewFile, fault: Fault)] {
        try await each(documents) { file -> (file: ViewFile, fault: Fault)? in
            guard let found = try await files.bytes(of: file.path) else {
                return (file, Fault(path: file.path, kind: .missing))
            }
            return try await found == file.bytes() ? nil : (file, Fault(path: file.path, kind: .damaged))
        }.compactMap(\.self)
    }

    // MARK: Objects

    /// The objects of all published versions that were not withdrawn, and have their files.
    private static func signedObjects(_ db: Database) throws -> [Object] {
        let versions = VersionTable(db: db)
        var objects: Set<Object> = []
        for row in try Row.fetchAll(db, sql: "SELECT manifest FROM version WHERE withdrawn IS NULL AND pruned IS NULL")
        {
            let digest = try row.parsed("manifest") { try Digest(hex: $0) }
            guard let manifest = try versions.manifest(digest) else { throw Row.damaged("manifest") }
            objects.formUnion(manifest.ownObjects)
        }
        return objects.sorted { $0.digest < $1.digest }
    }

    /// Takes objects from the zips of published versions. A zip that is not sound is passed over.
    private func repair(_ objects: [Object]) async throws {
        var wanted = Set(objects)
        guard !wanted.isEmpty else { return }
        let zips = try await local.database.reading { db in
            try Row.fetchAll(db, sql: "SELECT package, version, manifest FROM version ORDER BY sequence DESC")
                .compactMap {
                    row -> (path: ViewPath, objects: Set<Object>)? in
                    let (package, version) = try (
                        row.parsed("package") { try PackageID($0) }, row.parsed("version") { try SemanticVersion($0) }
                    )
                    let digest = try row.parsed("manifest") { try Digest(hex: $0) }
                    guard let manifest = try VersionTable(db: db).manifest(digest) else { return nil }
                    return (.archive(package, version), Set(manifest.ownObjects))
                }
        }
        for zip in zips where !wanted.isDisjoint(with: zip.objects) {
            wanted.subtract(try await files.take(wanted, from: zip.path))
            if wanted.isEmpty { break }
        }
    }

    // MARK: Files

    /// Whether the bytes at a path have the digest in its name; a document without one is sound if it is there.
    private func isSound(_ path: ViewPath) async throws -> Bool {
        if case .object(let digest) = path { return try await files.fault(of: digest) == nil }
        guard let bytes = try await files.bytes(of: path) else { return false }
        return path.digest.map { Digest(of: bytes) == $0 } ?? true
    }

    /// Looks at many files, some at a time, in their order.
    private func each<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Value
    ) async throws -> [Value] {
        try await ConcurrentTasks.map(items, atMost: Self.filesAtOnce, body)
    }
}
