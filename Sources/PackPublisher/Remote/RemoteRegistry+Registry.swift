import Crypto
package import Foundation
package import PackFormat
import PackJSON
package import PackRegistryAPI

extension RemoteRegistry: RegistryReading {
    /// What the token may do.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` without a token that is valid.
    package func identity() async throws -> Identity { try await call(Endpoints.identity, ()) }

    package func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview {
        // An older registry tells of all.
        try await call(
            Endpoints.overview, (), query: packages.map { "packages=\($0.map(\.text).sorted().joined(separator: ","))" }
        )
    }

    package func channelFile(_ channel: ChannelName, at time: Date?) async throws -> ChannelFile? {
        do {
            return try await call(
                Endpoints.channel, (), path: ["channel": channel.text],
                query: time.map { "at=\(WireTime.text($0))" })
        } catch let error as RegistryError where error.kind == .notFound {
            return nil
        }
    }

    package func viewFile(_ path: ViewPath, maximumByteCount: Int) async throws -> [UInt8]? {
        let reply = try await read(path.description, into: .memory(maximumByteCount: maximumByteCount))
        if reply.status == 404 { return nil }
        guard reply.status == 200 else { throw RegistryError(reply: reply, from: base) }
        return reply.body
    }

    package func copyViewFile(_ path: ViewPath, to file: URL) async throws -> Bool {
        guard !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
            throw RegistryError(.conflict, "\(file.path(percentEncoded: false)) exists already")
        }
        // What was cut off is never left under the name that was asked for.
        let part = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part")
        defer { try? FileManager.default.removeItem(at: part) }
        let reply = try await read(path.description, into: .file(part))
        if reply.status == 404 { return false }
        guard reply.status == 200 else { throw RegistryError(reply: reply, from: base) }
        try FileManager.default.moveItem(at: part, to: file)
        return true
    }
}

extension RemoteRegistry: RegistryPublishing {
    package func missingObjects(of manifest: [UInt8]) async throws -> Set<PackFormat.Digest> {
        let reply = try await send(Endpoints.missingObjects, body: Data(manifest))
        let answer = try JSONValue(parsing: reply.body).object("the answer")
        return try Set(answer.array("missing").map { try PackFormat.Digest(hex: $0.string("missing")) })
    }

    package func upload(archive: URL) async throws -> PackFormat.Digest {
        let digest = try Self.digest(of: archive)
        let reply = try await send(
            Endpoints.uploads, mediaType: "application/zip", uploading: archive,
            fields: ["Content-Digest": "sha-256=:\(Data(digest).base64EncodedString()):"])
        return try PackFormat.Digest(hex: JSONValue(parsing: reply.body).object("the answer").string("manifest"))
    }

    package func publish(
        manifest: PackFormat.Digest, role: [UInt8], note: VersionNote
    ) async throws -> PublishOutcome {
        do {
            return try await call(Endpoints.publishVersion, VersionRequest(manifest: manifest, role: role, note: note))
        } catch let error as RegistryError
            where error.kind == .invalid && !note.isEmpty
            && ["\"note\"", "\"commit\""].contains(where: { error.message.contains($0) })
        {
            // An older registry keeps no notes, and refuses what it does not know.
            return try await call(
                Endpoints.publishVersion, VersionRequest(manifest: manifest, role: role, note: note.withoutWords))
        }
    }

    package func provenance(of version: VersionName) async throws -> [UInt8]? {
        do {
            return try await call(
                Endpoints.provenance, (),
                path: ["package": version.package.text, "version": version.version.description])
        } catch let error as RegistryError where error.kind == .notFound { return nil }
    }

    package func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8], consent: OfferConsent
    ) async throws {
        try await call(
            Endpoints.withdraw, WithdrawalRequest(reason: reason, role: role, consent: consent),
            path: ["package": package.text, "version": version.description])
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
        _ = try await send(Endpoints.submitMetadata, path: ["role": role], body: Data(metadata))
    }
}

extension RemoteRegistry: RegistryReleasing {
    package func release(_ set: ReleaseSet, on channel: ChannelName) async throws -> ReleaseSetOutcome {
        do {
            return try await call(Endpoints.releaseSet, set, path: ["channel": channel.text])
        } catch let error as RegistryError where error.kind == .notFound && !error.message.contains("published") {
            throw RegistryError(
                .notFound,
                "the registry at \(base) is of an older packtool, which knows no sets: publish with --separately, and the "
                    + "packages are offered one after the other (\(error))")
        }
    }

    package func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName
    ) async throws -> ChannelOutcome {
        do {
            return try await call(
                Endpoints.changeChannel, change, path: ["channel": channel.text, "package": package.text])
        } catch let error as RegistryError where error.kind == .invalid {
            // It must not guess a share, and an older one needs it said.
            if case .offer(let version, nil, _, _) = change, error.message.contains("\"percent\"") {
                throw RegistryError(
                    .invalid,
                    "the registry at \(base) is of an older packtool, which cannot keep a release's share: say for "
                        + "\(package) \(version) what it is, with --rollout PERCENT")
            }
            throw error
        }
    }
}

extension RemoteRegistry {
    package func change(_ setting: ChannelSetting, on channel: ChannelName) async throws -> SettingOutcome {
        try await call(Endpoints.changeSetting, setting, path: ["channel": channel.text])
    }
}

extension RemoteRegistry {
    package func planProgress(
        of package: PackageID, on channel: ChannelName, at time: Date?
    ) async throws -> [String: PlanProgress] {
        do {
            return try await call(
                Endpoints.planProgress, (), path: ["channel": channel.text, "package": package.text],
                query: time.map { "at=\(WireTime.text($0))" })
        } catch let error as RegistryError where error.kind == .notFound {
            // An older registry does not tell.
            return [:]
        }
    }
}

extension RemoteRegistry: RegistryRollouts {
    package func rollout(
        _ request: RolloutRequest, of package: PackageID, on channel: ChannelName
    ) async throws -> RolloutOutcome {
        try await call(Endpoints.rollout, request, path: ["channel": channel.text, "package": package.text])
    }

    package func rollouts(of package: PackageID?) async throws -> [RolloutStatus] {
        if let package { return try await call(Endpoints.rollouts, (), path: ["package": package.text]) }
        do { return try await call(Endpoints.allRollouts, ()) } catch let error as RegistryError
            where error.isUnknownPath
        {
            return try await rolloutsByPackage()
        }
    }

    /// An older registry tells of one package at a time, and refuses those that the token may not see.
    private func rolloutsByPackage() async throws -> [RolloutStatus] {
        var (all, isAnySeen): ([RolloutStatus], Bool) = ([], false)
        var refusal: RegistryError?
        for package in try await overview().versions.keys.sorted() {
            do {
                all += try await rollouts(of: package)
                isAnySeen = true
            } catch let error as RegistryError where error.kind == .forbidden {
                refusal = error
            }
        }
        // A token that may see none is told so, as by a registry of today.
        if let refusal, !isAnySeen { throw refusal }
        return all
    }

    package func runRollouts() async throws -> RolloutRun {
        try await call(Endpoints.runRollouts, ())
    }
}

extension RemoteRegistry: RegistryApprovals {
    package func propose(_ proposal: ChangeProposal) async throws -> ChangeOutcome {
        try await known { try await call(Endpoints.proposeChange, proposal) }
    }

    package func changes(_ filter: ChangeFilter) async throws -> ProposedChanges {
        try await known {
            switch filter {
            case .open: try await call(Endpoints.changes, ())
            case .newest: try await call(Endpoints.changes, (), query: "all=true")
            case .one(let id): try await call(Endpoints.change, (), path: ["id": String(id)])
            }
        }
    }

    package func vote(_ vote: ChangeVote, on id: Int) async throws -> ChangeOutcome {
        try await known { try await call(Endpoints.voteOnChange, vote, path: ["id": String(id)]) }
    }

    private func known<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as RegistryError
            where error.kind == .notFound && error.message.contains("nothing at this path")
        {
            throw RegistryError(
                .notFound, "the registry at \(base) is of an older packtool, which knows no approvals and schedules")
        }
    }
}

extension RemoteRegistry: RegistryAdministration {
    package func createToken(_ request: TokenRequest) async throws -> CreatedToken {
        try await call(Endpoints.createToken, request)
    }

    package func createTrust(_ request: TrustRequest) async throws -> TokenRecord {
        try await call(Endpoints.createTrust, request)
    }

    /// A token of 15 minutes for a CI job.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` where the registry trusts no such job, `.conflict` where the id
    ///   token was exchanged before.
    package func exchange(_ request: TokenExchangeRequest) async throws -> CreatedToken {
        try await call(Endpoints.exchangeToken, request)
    }

    package func tokens() async throws -> [TokenRecord] {
        try await call(Endpoints.tokens, ())
    }

    package func revokeToken(id: String) async throws -> Bool {
        do {
            try await call(Endpoints.revokeToken, (), path: ["id": id])
            return true
        } catch let error as RegistryError where error.kind == .notFound {
            return false
        }
    }

    package func auditLog(_ query: AuditQuery) async throws -> [AuditEntry] {
        // An older server answers with all entries.
        try await call(Endpoints.audit, (), query: query.urlQuery).filter(query.matches)
    }
}

extension RemoteRegistry: RegistryObserving {
    package func stats(_ query: StatsQuery) async throws -> ReportStats {
        let package = query.package.map { "package=\($0)&" } ?? ""
        return try await call(
            Endpoints.stats, (), path: ["channel": query.channel.text],
            query: "\(package)days=\(query.days)&window=\(query.windowHours)")
    }

    package func reports(of sender: ReportID) async throws -> [DeviceEvent] {
        try await call(Endpoints.deviceReports, (), path: ["id": sender.text])
    }

    package func deleteReports(of sender: ReportID) async throws -> Int {
        try await call(Endpoints.deleteReports, (), path: ["id": sender.text])
    }
}
