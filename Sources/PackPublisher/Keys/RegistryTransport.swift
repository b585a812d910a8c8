import PackFormat
import PackRegistryAPI
import PackTrust

/// Lets a trust client read a registry.
struct RegistryTransport: TrustTransport {
    let registry: any RegistryReading

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        // A role or a target of which no registry has a file.
        guard let path = ViewPath(path) else { return nil }
        return try await registry.viewFile(path, maximumByteCount: maximumByteCount)
    }
}
