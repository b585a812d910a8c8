import PackRegistryAPI
import PackTrust

/// Lets a trust client read a registry.
struct RegistryTransport: TrustTransport {
    let registry: any RegistryReading

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        try await registry.viewFile(path, maximumByteCount: maximumByteCount)
    }
}
