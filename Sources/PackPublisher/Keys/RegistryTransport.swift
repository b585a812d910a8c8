import PackRegistryAPI
import PackTrust

/// A registry as the repository that a trust client reads.
struct RegistryTransport: TrustTransport {
    let registry: any RegistryReading

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        try await registry.viewFile(path, maximumByteCount: maximumByteCount)
    }
}
