import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Who may do what, whatever the registry.
struct RightsContractTests {
    private func kindOfError(_ body: () async throws -> Void) async -> RegistryError.Kind? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? RegistryError)?.kind
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a right for one package and channel reaches no further`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip, shop.page("1.0.0", package: "help").zip])
        let before = try await shop.fileNames
        let site = try shop.page("1.1.0")
        let scope = try TokenScope(
            actions: [.publish, .release], packages: [package("help")], channels: [channel("beta")])
        try await kind.using(shop, scope: scope) { (registry) async throws in
            let offer = try ChannelChange.offer(version("1.0.0"), .everyone)
            #expect(await kindOfError { _ = try await registry.missingObjects(of: site.manifest.bytes) } == .forbidden)
            #expect(await kindOfError { _ = try await registry.upload(archive: site.zip) } == .forbidden)
            #expect(
                await kindOfError { _ = try await registry.change(offer, of: package(), on: channel()) } == .forbidden)
            #expect(
                await kindOfError { _ = try await registry.change(offer, of: package("help"), on: channel("stable")) }
                    == .forbidden)
            #expect(await kindOfError { _ = try await registry.tokens() } == .forbidden)
            #expect(await kindOfError { _ = try await registry.auditLog(limit: 1) } == .forbidden)
            #expect(await kindOfError { try await registry.submit(metadata: [], role: "targets") } == .forbidden)
            #expect(
                await kindOfError {
                    try await registry.withdraw(version("1.0.0"), of: package(), reason: "x", role: [], consent: [])
                } == .forbidden)
            #expect(try await shop.fileNames == before)
            #expect(
                await kindOfError { _ = try await registry.change(offer, of: package("help"), on: channel()) } == nil)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `who took what back, and what approvals a channel requires, is told to those with a right to it`(
        kind: RegistryKind
    ) async throws {
        let shop = try await kind.shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip, shop.page("1.1.0").zip])
        for text in ["1.0.0", "1.1.0"] {
            _ = try await shop.registry.change(.offer(version(text)), of: package(), on: channel())
        }
        _ = try await shop.registry.change(.rollBack(to: nil), of: package(), on: channel())
        _ = try await shop.registry.propose(ChangeProposal(.approvals(1), on: channel()))
        for (actions, packages, channels, seesApprovals, seesRollback)
            in [
                ([.publish], nil, nil, false, false), ([.publish], ["help"], nil, false, false),
                ([.observe], ["help"], nil, false, false), ([.observe], nil, ["stable"], false, false),
                ([.observe], ["checkout"], ["beta"], false, true), ([.release], nil, ["stable"], false, false),
                ([.release], ["help"], nil, true, false), ([.release], nil, ["beta"], true, true),
                ([.admin], nil, nil, true, true),
            ] as [(Set<TokenAction>, [String]?, [String]?, Bool, Bool)]
        {
            let scope = try TokenScope(
                actions: actions, packages: packages.map { try Set($0.map { try package($0) }) },
                channels: channels.map { try Set($0.map { try channel($0) }) })
            try await kind.using(shop, scope: scope) { (registry) async throws in
                let overview = try await registry.overview()
                #expect(overview.approvals == (seesApprovals ? [try channel(): 1] : [:]), "\(scope)")
                let rollback = try overview.rollbacks[channel()]?[package()]
                #expect((rollback?.by == "local:ann") == seesRollback, "\(scope)")
                #expect(overview.rollbacks.isEmpty == !seesRollback, "\(scope)")
                // What is public stays so.
                #expect(try overview.channels[channel()]?[package()]?.first?.version == version("1.0.0"))
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `tokens are made, listed without their text, and revoked once`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let scope = try TokenScope(actions: [.publish], packages: [package()])
            let expires = shop.clock.now.addingTimeInterval(3600)
            let token = try await registry.createToken(TokenRequest(name: "ci", scope: scope, expires: expires))
            #expect(token.secret.hasPrefix("ptk_") && token.secret.count == 52)
            let listed = try #require(try await registry.tokens().first { $0.id == token.record.id })
            #expect(listed.name == "ci" && listed.scope == scope && listed.revoked == nil)
            #expect(abs((listed.expires ?? .distantPast).timeIntervalSince(expires)) < 1)
            let holder = try await shop.local.authenticate(token.secret)
            #expect(holder.name == "ci (\(token.record.id))" && holder.scope == scope)
            #expect(abs((holder.expires ?? .distantPast).timeIntervalSince(expires)) < 1)
            #expect(try await registry.revokeToken(id: token.record.id))
            #expect(try await registry.revokeToken(id: token.record.id) == false)
            #expect(try await registry.revokeToken(id: "nothing") == false)
            #expect(await kindOfError { _ = try await shop.local.authenticate(token.secret) } == .unauthorized)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `the audit log tells who did what, newest first`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        // A time that is rounded up on the wire.
        shop.clock.advance(seconds: 1.0006 - shop.clock.now.timeIntervalSince1970.truncatingRemainder(dividingBy: 1))
        try await kind.using(shop) { (registry) async throws in
            try await shop.publisher(over: registry).publish([shop.page("1.0.0").zip])
            _ = try await registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
            let log = try await registry.auditLog(limit: 10)
            let told = log.map { "\($0.action) \($0.subject)" }.prefix { !$0.hasPrefix("token") }
            #expect(
                Array(told.prefix(3)) == ["release checkout on beta", "publish checkout@1.0.0", "metadata targets"])
            #expect(try await registry.auditLog(limit: 1).count == 1)

            func found(limit: Int = 10, _ choose: (inout AuditQuery) -> Void) async throws -> [AuditEntry] {
                var query = AuditQuery(limit: limit)
                choose(&query)
                return try await registry.auditLog(query)
            }
            #expect(try await found { $0.subject = ["beta", "checkout"] } == [log[0]])
            #expect(try await found { $0.subject = ["checkout on beta"] } == [log[0]])
            #expect(try await found { $0.subject = ["checkout@1.0.0"] }.map(\.action) == ["publish"])
            #expect(try await found { $0.subject = ["check"] }.isEmpty)
            #expect(try await found(limit: 1) { $0.subject = ["checkout"] } == [log[0]])
            #expect(try await found { $0.action = "metadata" }.allSatisfy { $0.action == "metadata" })
            #expect(try await found { $0.action = "meta" }.isEmpty)
            #expect(try await found { $0.actor = log[0].actor }.contains(log[0]))
            #expect(try await found { $0.actor = "nobody & co" }.isEmpty)
            // The clock of these registries stands, so this is all that was done since it was set, or nothing.
            let recent = log.filter { $0.time == log[0].time }
            #expect(recent.count > 2 && recent.count < log.count)
            #expect(try await found { $0.since = log[0].time } == recent)
            #expect(try await found { $0.since = log[0].time + 1 }.isEmpty)
        }
    }
}
