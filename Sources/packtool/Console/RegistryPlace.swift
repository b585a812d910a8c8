import Foundation
import PackRegistryAPI
import PackRegistryLocal
import PackRegistryPostgres

/// A registry's files on this machine, and the database of its rows.
struct RegistryPlace {
    let folder: URL
    /// nil: the rows are in the folder too.
    let rows: RegistryRows?
    private let address: PostgresAddress?

    /// Connects to the database, if there is one.
    /// - Returns: nil for a server.
    init?(_ location: RegistryLocation) async throws {
        switch location {
        case .server: return nil
        case .folder(let folder):
            self.folder = folder
            (rows, address) = (nil, nil)
        case .database(let address, let files):
            folder = files
            self.address = address
            rows = RegistryRows(shared: try await PostgresDatabase.open(address))
        }
    }

    /// - Parameter isServer: patches and downloads are made by a process of their own.
    func open(isServer: Bool = false) async throws -> LocalRegistry {
        try await LocalRegistry.open(
            folder, rows: rows, maker: isServer ? MakeArtifactsCommand.program(rows: address) : nil)
    }
}
