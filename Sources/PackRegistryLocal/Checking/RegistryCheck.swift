import Foundation
import PackArchive
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

    private let local: LocalRegistry

    package init(_ local: LocalRegistry) {
        self.local = local
    }

    /// - Parameter isRepairing: whether faults are mended. Without it nothing is written.
    /// - Throws: ``RegistryError`` if the database or the folder cannot be read.
    package func run(repairing isRepairing: Bool) async throws -> Outcome {
        var outcome = Outcome()
        let documents = try await documentFaults(&outcome)
        let objects = try await local.database.reading { try Self.signedObjects($0) }
        outcome.objectCount = objects.count
        outcome.byteCount = objects.reduce(0) { $0 + $1.size }
        let faulty = try await BlockingWork.run { [self] in
            objects.compactMap { object in objectFault(object).map { (object, $0) } }
        }
        outcome.faults = documents.map(\.fault) + faulty.map(\.1)
        if isRepairing, !outcome.faults.isEmpty {
            try await repair(documents.map(\.file))
            try await repair(faulty.map(\.0))
            outcome.faults = try await BlockingWork.run { [faults = outcome.faults, self] in
                faults.map { fault in
                    var fault = fault
                    fault.isRepaired = isSound(fault.path)
                    return fault
                }
            }
        }
        outcome.faults.sort { $0.path.description < $1.path.description }
        return outcome
    }

    // MARK: Documents

    private func documentFaults(_ outcome: inout Outcome) async throws -> [(file: ViewFile, fault: Fault)] {
        var faults: [(ViewFile, Fault)] = []
        for file in try await local.services.files() {
            outcome.documentCount += 1
            guard let found = FileManager.default.contents(atPath: place(file.path)) else {
                faults.append((file, Fault(path: file.path, kind: .missing)))
                continue
            }
            if try await [UInt8](found) != file.bytes() {
                faults.append((file, Fault(path: file.path, kind: .damaged)))
            }
        }
        return faults
    }

    /// Puts documents in place by a rename, so that a reader meanwhile finds the old bytes or the right ones.
    private func repair(_ documents: [ViewFile]) async throws {
        var files: [(bytes: [UInt8], destination: URL)] = []
        for file in documents { files.append((try await file.bytes(), local.files.view(file.path))) }
        let written = files
        try await BlockingWork.run { [self] in try Workspace(in: local.files).put(written) }
    }

    // MARK: Objects

    /// The objects of all published versions that were not withdrawn.
    private static func signedObjects(_ db: Database) throws -> [Object] {
        let versions = VersionTable(db: db)
        var objects: Set<Object> = []
        for row in try Row.fetchAll(db, sql: "SELECT manifest FROM version WHERE withdrawn IS NULL") {
            let digest = try row.parsed("manifest") { try Digest(hex: $0) }
            guard let manifest = try versions.manifest(digest) else { throw Row.damaged("manifest") }
            objects.formUnion(manifest.ownObjects)
        }
        return objects.sorted { $0.digest < $1.digest }
    }

    private func objectFault(_ object: Object) -> Fault? {
        let path = ViewPath.object(object.digest)
        guard SystemCall.size(of: local.files.view(path)) != nil else { return Fault(path: path, kind: .missing) }
        return isSound(path) ? nil : Fault(path: path, kind: .damaged)
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
            let missing = wanted
            let taken = try await BlockingWork.run { [self] in try take(missing, from: zip.path) }
            wanted.subtract(taken)
            if wanted.isEmpty { break }
        }
    }

    private func take(_ objects: Set<Object>, from zip: ViewPath) throws -> [Object] {
        guard let archive = try? PackageArchive.open(local.files.view(zip)) else { return [] }
        let workspace = try Workspace(in: local.files)
        let scratch = workspace.folder
        var taken: [Object] = []
        try archive.extractObjects { object in
            guard objects.contains(object) else { return nil }
            taken.append(object)
            return try ObjectFile(scratch.appending(path: object.digest.hex, directoryHint: .notDirectory))
        }
        try local.store.take(taken, from: workspace)
        return taken
    }

    // MARK: Files

    private func place(_ path: ViewPath) -> String { local.files.view(path).path(percentEncoded: false) }

    /// Whether the bytes at a path have the digest in its name; a document without one is sound if it is there.
    private func isSound(_ path: ViewPath) -> Bool {
        guard let data = try? Data(contentsOf: local.files.view(path), options: .alwaysMapped) else { return false }
        return path.digest.map { Digest(of: data) == $0 } ?? true
    }
}
