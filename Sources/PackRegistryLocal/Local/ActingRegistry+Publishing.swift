package import Foundation
package import PackFormat
package import PackRegistryAPI

extension ActingRegistry {
    package func missingObjects(of manifest: [UInt8]) async throws -> Set<Digest> {
        let parsed: Manifest
        do { parsed = try Manifest(parsing: manifest) } catch { throw RegistryError(.invalid, "\(error)") }
        try identity.require(.publish, package: parsed.package)
        return try await BlockingWork.run { [local] in local.store.missing(among: parsed.ownObjects) }
    }

    package func upload(archive: URL) async throws -> Digest {
        try await BlockingWork.run { [local, identity] in
            try Upload(local: local, identity: identity).take(archive)
        }
    }

    package func publish(manifest digest: Digest, role: [UInt8]) async throws -> PublishOutcome {
        try await BlockingWork.run { [local, identity] in
            let outcome = try local.commit(as: identity) { db, signer, audit in
                try Publication(db: db, local: local, identity: identity).publish(
                    digest, role: role, signer: signer, audit: audit)
            }
            guard outcome == .published else { return outcome }
            do {
                try local.workshop.makeQuickDownload(of: digest)
            } catch  where local.makers.isStopped {
                // The version is published; the next server makes its downloads.
            }
            return outcome
        }
    }

    package func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8]
    ) async throws {
        try identity.require(.publish, package: package)
        try await BlockingWork.run { [local, identity] in
            try local.commit(as: identity) { db, signer, audit in
                try Publication(db: db, local: local, identity: identity).withdraw(
                    version, of: package, reason: reason, role: role, signer: signer, audit: audit)
            }
        }
    }
}
