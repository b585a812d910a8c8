package import Foundation
package import PackFormat

/// A local registry with the rights of one identity.
package struct ActingRegistry: Registry {
    let local: LocalRegistry
    let identity: Identity

    package func overview() async throws -> RegistryOverview {
        throw RegistryError(.unusable, "not there yet")
    }

    package func viewFile(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        nil
    }

    package func copyViewFile(_ path: String, to file: URL) async throws -> Bool {
        false
    }

    package func missingObjects(of manifest: [UInt8]) async throws -> Set<Digest> {
        throw RegistryError(.unusable, "not there yet")
    }

    package func upload(archive: URL) async throws -> Digest {
        throw RegistryError(.unusable, "not there yet")
    }

    package func publish(manifest: Digest, role: [UInt8]) async throws -> PublishOutcome {
        throw RegistryError(.unusable, "not there yet")
    }

    package func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8]
    ) async throws {
        throw RegistryError(.unusable, "not there yet")
    }

    package func submit(metadata: [UInt8], role: String) async throws {
        throw RegistryError(.unusable, "not there yet")
    }

    package func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName
    ) async throws -> ChannelOutcome {
        throw RegistryError(.unusable, "not there yet")
    }

    package func createToken(_ request: TokenRequest) async throws -> CreatedToken {
        throw RegistryError(.unusable, "not there yet")
    }

    package func tokens() async throws -> [TokenRecord] {
        throw RegistryError(.unusable, "not there yet")
    }

    package func revokeToken(id: String) async throws -> Bool {
        throw RegistryError(.unusable, "not there yet")
    }

    package func auditLog(limit: Int) async throws -> [AuditEntry] {
        throw RegistryError(.unusable, "not there yet")
    }
}
