import Crypto
package import Foundation
package import PackFormat
import PackJSON
package import PackRegistryAPI

extension RemoteRegistry: RegistryReading {
    package func overview() async throws -> RegistryOverview {
        try await RegistryOverview(json: call("GET", "v1/overview", isRepeatable: true))
    }

    package func viewFile(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        let path = try Self.checked(path)
        let reply = try await read(path, into: .memory(maximumByteCount: maximumByteCount))
        if reply.status == 404 { return nil }
        guard reply.status == 200 else { throw RegistryError(reply: reply, from: base) }
        return reply.body
    }

    package func copyViewFile(_ path: String, to file: URL) async throws -> Bool {
        let path = try Self.checked(path)
        guard !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
            throw RegistryError(.conflict, "\(file.path(percentEncoded: false)) exists already")
        }
        // What was cut off is never left under the name that was asked for.
        let part = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part")
        defer { try? FileManager.default.removeItem(at: part) }
        let reply = try await read(path, into: .file(part))
        if reply.status == 404 { return false }
        guard reply.status == 200 else { throw RegistryError(reply: reply, from: base) }
        try FileManager.default.moveItem(at: part, to: file)
        return true
    }

    private static func checked(_ path: String) throws -> String {
        do { return try PackagePath(path).text } catch { throw RegistryError(.invalid, "\(error)") }
    }
}

extension RemoteRegistry: RegistryPublishing {
    package func missingObjects(of manifest: [UInt8]) async throws -> Set<PackFormat.Digest> {
        let reply = try await send("POST", "v1/missing-objects", body: Data(manifest), isRepeatable: true)
        let answer = try JSONValue(parsing: reply.body).object("the answer")
        return try Set(answer.array("missing").map { try PackFormat.Digest(hex: $0.string("missing")) })
    }

    package func upload(archive: URL) async throws -> PackFormat.Digest {
        let digest = try Self.digest(of: archive)
        // Content is named by what it is, so the same upload twice is the same as once.
        let reply = try await send(
            "POST", "v1/uploads", mediaType: "application/zip", uploading: archive,
            fields: ["Content-Digest": "sha-256=:\(Data(digest).base64EncodedString()):"], isRepeatable: true)
        return try PackFormat.Digest(hex: JSONValue(parsing: reply.body).object("the answer").string("manifest"))
    }

    package func publish(manifest: PackFormat.Digest, role: [UInt8]) async throws -> PublishOutcome {
        let answer = try await call(
            "POST", "v1/versions",
            document: ["manifest": .string(manifest.hex), "role": .string(Data(role).base64EncodedString())],
            isRepeatable: true)
        return try PublishOutcome(wireName: answer.string("outcome"))
    }

    package func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8]
    ) async throws {
        _ = try await call(
            "POST", "v1/packages/\(package)/versions/\(Self.encoded(version.description))/withdrawal",
            document: ["reason": .string(reason), "role": .string(Data(role).base64EncodedString())],
            isRepeatable: false)
    }

    private static func digest(of file: URL) throws -> SHA256Digest {
        let handle: FileHandle
        do { handle = try FileHandle(forReadingFrom: file) } catch {
            throw RegistryError(.invalid, "\(file.path(percentEncoded: false)) cannot be read: \(error)")
        }
        defer { try? handle.close() }
        var hash = SHA256()
        while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty { hash.update(data: chunk) }
        return hash.finalize()
    }
}

extension RemoteRegistry: RegistryTrusting {
    package func submit(metadata: [UInt8], role: String) async throws {
        _ = try await send(
            "PUT", "v1/metadata/\(Self.encoded(role))", body: Data(metadata), isRepeatable: false)
    }
}

extension RemoteRegistry: RegistryReleasing {
    package func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName
    ) async throws -> ChannelOutcome {
        do {
            return try await ChannelOutcome(
                json: call(
                    "POST", "v1/channels/\(channel)/packages/\(package)", document: change.json, isRepeatable: false))
        } catch let error as RegistryError where error.kind == .invalid {
            // It must not guess a share, and an older one needs it said.
            if case .offer(let version, nil, _) = change, error.message.contains("\"percent\"") {
                throw RegistryError(
                    .invalid,
                    "the registry at \(base) is of an older packtool, which cannot keep a release's share: say for "
                        + "\(package) \(version) what it is, with --rollout PERCENT")
            }
            throw error
        }
    }
}

extension RemoteRegistry: RegistryAdministration {
    package func createToken(_ request: TokenRequest) async throws -> CreatedToken {
        let answer = try await call("POST", "v1/tokens", document: request.json, isRepeatable: false)
        return try CreatedToken(record: TokenRecord(json: answer.object("token")), secret: answer.string("secret"))
    }

    package func tokens() async throws -> [TokenRecord] {
        try await call("GET", "v1/tokens", isRepeatable: true).array("tokens").map {
            try TokenRecord(json: $0.object("token"))
        }
    }

    package func revokeToken(id: String) async throws -> Bool {
        do {
            _ = try await call("DELETE", "v1/tokens/\(Self.encoded(id))", isRepeatable: true)
            return true
        } catch let error as RegistryError where error.kind == .notFound {
            return false
        }
    }

    package func auditLog(limit: Int) async throws -> [AuditEntry] {
        try await call("GET", "v1/audit?limit=\(max(1, limit))", isRepeatable: true).array("entries").map {
            try AuditEntry(json: $0.object("entry"))
        }
    }
}
