import Foundation
import PackAuthorities
import PackRegistry
import PackRegistryAPI
import PackRegistryLocal
import PackRegistryPostgres
import PackRegistryS3

/// A registry's files, on this machine or in a bucket, and the database of its rows.
struct RegistryPlace {
    let folder: URL
    /// nil: the rows are in the folder too.
    let rows: RegistryRows?
    /// nil: the files are in the folder.
    let storage: (any RemoteStorage)?
    /// What was begun to be read there while the database was being connected; nil for a new registry.
    private let look: StorageLook?
    private let address: PostgresAddress?

    /// Connects to the database, if there is one.
    /// - Parameter isNew: whether a registry may be made there. A database without one is no mistake then.
    /// - Returns: nil for a server.
    init?(_ location: RegistryLocation, isNew: Bool = false) async throws {
        storage = try location.storage.map { try S3Store.connect($0, authorities: PrivateAuthorities.text) }
        look = isNew ? nil : storage.map { StorageLook(at: $0) }
        switch location {
        case .server: return nil
        case .folder(let folder, _):
            self.folder = folder
            (rows, address) = (nil, nil)
        case .database(let address, let files, _):
            folder = files
            self.address = address
            rows = RegistryRows(
                shared: try await PostgresDatabase.open(address, isMade: isNew), reports: PostgresReportStore(address))
        }
    }

    /// - Parameter isServer: patches and downloads are made by a process of their own.
    /// - Parameter copyByteCount: what copies of a bucket's files may take of the folder's disk; nil: the usual.
    func open(isServer: Bool = false, copyByteCount: Int? = nil) async throws -> LocalRegistry {
        let local = try await LocalRegistry.open(
            folder, rows: rows, storage: storage, look: look,
            maker: isServer ? .own(rows: address) : nil, copyByteCount: copyByteCount)
        if isServer { try await storage?.prepare() }
        return local
    }
}
