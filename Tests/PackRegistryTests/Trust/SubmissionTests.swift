import Foundation
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Metadata that a registry must not take, however it got signed.
struct SubmissionTests {
    /// A shop with checkout 1.0.0 published and 1.1.0 uploaded, and its publisher's key.
    private func uploaded() async throws -> (shop: Shop, site: Site, key: any Signer) {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        let site = try shop.page("1.1.0")
        _ = try await shop.registry.upload(archive: site.zip)
        return (shop, site, try #require(try shop.keys().publisher.first))
    }

    private func role(_ shop: Shop) async throws -> SignedDocument<TargetsMetadata> {
        let trust = try shop.trust(over: shop.registry)
        _ = try await trust.refresh()
        return try #require(try await trust.role(of: package()))
    }

    private func refusal(
        _ shop: Shop, _ site: Site, _ document: SignedDocument<TargetsMetadata>
    ) async throws -> RegistryError.Kind? {
        let before = try shop.viewListing
        var kind: RegistryError.Kind?
        do {
            _ = try await shop.registry.publish(manifest: site.digest, role: document.bytes, note: .none)
        } catch let error as RegistryError {
            kind = error.kind
        }
        if kind != nil { #expect(try shop.viewListing == before) }
        return kind
    }

    @Test func `a role that skips, repeats or lowers the version loses against the one that came first`() async throws {
        let (shop, site, key) = try await uploaded()
        let current = try await role(shop)
        for step in [-1, 0, 2] {
            var body = current.body
            body.targets["manifests/checkout/1.1.0.json"] = TargetInfo(of: site.manifest.bytes)
            body.version += step
            guard body.version > 0 else { continue }
            let document = try SignedDocument(unsigned: body).signed(by: key)
            #expect(try await refusal(shop, site, document) == .conflict, "\(step)")
        }
    }

    @Test
    func `a conflict is told when the view has what came first, although its process never showed it`() async throws {
        let (shop, site, key) = try await uploaded()
        let current = try await role(shop)
        let (view, old) = (shop.local.viewFolder, shop.folder.url.appending(path: "old"))
        try FileManager.default.copyItem(at: view, to: old)
        var body = current.body
        body.version += 1
        let first = try SignedDocument(unsigned: body).signed(by: key)
        try await shop.registry.submit(metadata: first.bytes, role: "package.checkout")
        // As after a kill between the commit and the view.
        for name in ["metadata", "targets"] {
            try FileManager.default.removeItem(at: view.appending(path: name))
            try FileManager.default.copyItem(at: old.appending(path: name), to: view.appending(path: name))
        }
        #expect(try await role(shop).body.version == current.body.version)
        body.targets["manifests/checkout/1.1.0.json"] = TargetInfo(of: site.manifest.bytes)
        let second = try SignedDocument(unsigned: body).signed(by: key)
        await #expect(throws: RegistryError.self) {
            try await shop.registry.publish(manifest: site.digest, role: second.bytes, note: .none)
        }
        #expect(try await role(shop).body.version == current.body.version + 1)
    }

    @Test func `a role signed by another key is refused`() async throws {
        let (shop, site, _) = try await uploaded()
        let stranger = try PrivateKey.generate(.ed25519)
        let document = try await role(shop).revised(signers: [stranger]) {
            $0.targets["manifests/checkout/1.1.0.json"] = TargetInfo(of: site.manifest.bytes)
        }
        #expect(try await refusal(shop, site, document) == .forbidden)
        let unsigned = try await role(shop).revised(signers: []) {
            $0.targets["manifests/checkout/1.1.0.json"] = TargetInfo(of: site.manifest.bytes)
        }
        #expect(try await refusal(shop, site, unsigned) == .forbidden)
    }

    @Test func `a role that drops, alters or adds another version is refused`() async throws {
        let (shop, site, key) = try await uploaded()
        let info = TargetInfo(of: site.manifest.bytes)
        let path = "manifests/checkout/1.1.0.json"
        let changes: [(String, (inout TargetsMetadata) -> Void)] = [
            ("drops", { $0.targets = [path: info] }),
            (
                "alters",
                {
                    $0.targets[path] = info
                    $0.targets["manifests/checkout/1.0.0.json"] = info
                }
            ),
            (
                "adds",
                {
                    $0.targets[path] = info
                    $0.targets["manifests/checkout/9.0.0.json"] = info
                }
            ),
            (
                "speaks for another package",
                {
                    $0.targets[path] = info
                    $0.targets["manifests/help/1.0.0.json"] = info
                }
            ),
            ("lists another content", { $0.targets[path] = TargetInfo(of: Array("x".utf8)) }),
            ("lists nothing new", { _ in }),
            (
                "has expired",
                {
                    $0.targets[path] = info
                    $0.expires = Date(timeIntervalSince1970: 0)
                }
            ),
        ]
        for (name, change) in changes {
            let document = try await role(shop).revised(signers: [key]) { change(&$0) }
            #expect(try await refusal(shop, site, document) == .invalid, "\(name)")
        }
        let good = try await role(shop).revised(signers: [key]) { $0.targets[path] = info }
        #expect(try await refusal(shop, site, good) == nil)
    }

    @Test func `a package that its owner has not delegated cannot be published`() async throws {
        let shop = try await Shop()
        let site = try shop.page("1.0.0")
        _ = try await shop.registry.upload(archive: site.zip)
        let key = try #require(try shop.keys().publisher.first)
        var body = TargetsMetadata(expires: shop.clock.now.addingTimeInterval(86_400))
        body.targets["manifests/checkout/1.0.0.json"] = TargetInfo(of: site.manifest.bytes)
        let document = try SignedDocument(unsigned: body).signed(by: key)
        #expect(try await refusal(shop, site, document) == .forbidden)
        let keys = SigningKeys(publisher: [key])
        let publisher = try Publisher(registry: shop.registry, trust: shop.trust(over: shop.registry), keys: keys)
        let error = await #expect(throws: RegistryError.self) { try await publisher.publish([site.zip]) }
        #expect(error?.kind == .forbidden && error?.message.contains("keys delegate checkout") == true)
    }

    @Test func `many new packages get one signature of the owner, and each is published`() async throws {
        let shop = try await Shop()
        let zips = try ["checkout", "help", "news"].map { try shop.page("1.0.0", package: $0).zip }
        let before = try await shop.trust(over: shop.registry).refresh().targets.body.version
        #expect(try await shop.publisher().publish(zips).map(\.outcome) == [.published, .published, .published])
        #expect(try await shop.trust(over: shop.registry).refresh().targets.body.version == before + 1)
        let device = try shop.device()
        for package in ["checkout", "help", "news"] {
            _ = try await device.target("manifests/\(package)/1.0.0.json", maximumByteCount: 1 << 20)
        }
    }

    @Test func `targets that widens a path, lists files or drops a package in use is refused`() async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        let owner = try #require(try shop.keys().owner.first)
        let key = try #require(try shop.keys().publisher.first).publicKey
        let trust = try shop.trust(over: shop.registry)
        let targets = try await trust.refresh().targets
        let changes: [(String, (inout TargetsMetadata) throws -> Void)] = [
            ("widens", { try $0.delegate("package.checkout", to: [key], paths: ["manifests/*/*"]) }),
            ("adds a path", { try $0.delegate("package.help", to: [key], paths: ["manifests/help/*", "channels/*"]) }),
            ("unknown role", { try $0.delegate("other", to: [key], paths: ["manifests/help/*"]) }),
            ("lists a file", { $0.targets["manifests/checkout/2.0.0.json"] = TargetInfo(of: [1]) }),
            ("drops a package in use", { $0.revokeDelegation(to: "package.checkout") }),
            ("drops the channels", { $0.revokeDelegation(to: "channels") }),
        ]
        let before = try shop.viewListing
        for (name, change) in changes {
            let document = try targets.revised(signers: [owner], change)
            await #expect(throws: RegistryError.self, "\(name)") {
                try await shop.registry.submit(metadata: document.bytes, role: "targets")
            }
        }
        for role in ["channels", "snapshot", "timestamp", "package.../x", "package.", "x"] {
            await #expect(throws: RegistryError.self, "\(role)") {
                try await shop.registry.submit(metadata: targets.bytes, role: role)
            }
        }
        #expect(try shop.viewListing == before)
    }
}
