package import Foundation
import PackFormat
import PackJSON
import PackRegistry
package import PackRegistryAPI
import PackSystem

/// A local registry with the rights of one identity. What each part does stands in its own file.
package struct ActingRegistry: Registry {
    package let local: LocalRegistry
    let identity: Identity
}

extension ActingRegistry {
    package func overview() async throws -> RegistryOverview {
        try await BlockingWork.run { [local] in
            try local.database.read { db in
                let releases = ReleaseTable(db: db)
                var channels: [ChannelName: [PackageID: [Release]]] = [:]
                var earlier: [ChannelName: [PackageID: Release]] = [:]
                for channel in try releases.channels() {
                    let histories = try releases.histories(on: channel)
                    channels[channel] = histories.mapValues(\.offered)
                    earlier[channel] = histories.compactMapValues(\.hidden)
                }
                return RegistryOverview(
                    app: local.app, versions: try VersionTable(db: db).overview(), channels: channels,
                    earlier: earlier)
            }
        }
    }

    package func viewFile(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        let file = try viewFile(path)
        return try await BlockingWork.run {
            guard let size = SystemCall.size(of: file) else { return nil }
            guard size <= maximumByteCount else {
                throw RegistryError(.tooLarge, "\(path) has \(size) bytes; at most \(maximumByteCount) are read")
            }
            return [UInt8](try Data(contentsOf: file))
        }
    }

    package func copyViewFile(_ path: String, to destination: URL) async throws -> Bool {
        let file = try viewFile(path)
        return try await BlockingWork.run {
            guard SystemCall.size(of: file) != nil else { return false }
            try FileManager.default.copyItem(at: file, to: destination)
            return true
        }
    }

    /// A path of the view cannot lead out of it.
    private func viewFile(_ path: String) throws -> URL {
        do {
            return local.files.view(try PackagePath(path).text)
        } catch {
            throw RegistryError(.invalid, "\(error)")
        }
    }
}

extension ActingRegistry {
    package func createToken(_ request: TokenRequest) async throws -> CreatedToken {
        try identity.require(.admin)
        return try await BlockingWork.run { [local, identity] in
            let now = local.clock()
            return try local.database.write { db in
                let token = try TokenTable(db: db).create(request, now: now)
                let scope = String(decoding: request.scope.json.canonicalBytes, as: UTF8.self)
                try AuditTable(db: db).append(
                    "token create", token.record.id, "\(request.name) \(scope)", by: identity, now: now)
                return token
            }
        }
    }

    package func tokens() async throws -> [TokenRecord] {
        try identity.require(.admin)
        return try await BlockingWork.run { [local] in
            try local.database.read { try TokenTable(db: $0).all() }
        }
    }

    package func revokeToken(id: String) async throws -> Bool {
        try identity.require(.admin)
        return try await BlockingWork.run { [local, identity] in
            let now = local.clock()
            return try local.database.write { db in
                let isRevoked = try TokenTable(db: db).revoke(id: id, now: now)
                if isRevoked { try AuditTable(db: db).append("token revoke", id, by: identity, now: now) }
                return isRevoked
            }
        }
    }

    package func auditLog(limit: Int) async throws -> [AuditEntry] {
        try identity.require(.admin)
        return try await BlockingWork.run { [local] in
            try local.database.read { try AuditTable(db: $0).newest(limit) }
        }
    }
}
