import Foundation
import PackArchive
import PackFormat
import PackJSON
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI

/// What a registry takes as a version's provenance, whoever sends it.
struct ProvenanceRuleTests {
    private struct Scene {
        let sealed: SealedManifest
        let publisher: PrivateKey
        let thief: PrivateKey
        let check: ProvenanceCheck

        init(isRequired: Bool = true) async throws {
            let shop = try await Shop()
            sealed = try PackageArchive.open(shop.page("1.0.0").zip).sealed
            publisher = try PrivateKey.generate(.ecdsa)
            thief = try PrivateKey.generate(.ecdsa)
            var targets = TargetsMetadata(expires: Date().addingTimeInterval(1_000))
            try targets.delegate("x", to: [publisher.publicKey], paths: ["x/*"])
            let authority = try #require(targets.authority(for: "x"))
            check = ProvenanceCheck(sealed: sealed, authority: authority, isRequired: isRequired)
        }

        func statement(
            _ change: (inout JSONObject) -> Void = { _ in }, version: String = "1.0.0",
            source: String? = "git+https://a", commit: String? = "c"
        ) throws -> [UInt8] {
            let provenance = try BuildProvenance(
                version: VersionName(sealed.name.package, SemanticVersion(version)), manifest: sealed.digest,
                source: source, commit: commit, ref: nil, workflow: nil, builder: "b", invocation: nil, inputs: [])
            var json = provenance.json
            change(&json)
            return JSONValue.object(json).canonicalBytes
        }
    }

    private static func refusal(_ scene: Scene, _ bytes: [UInt8]?, _ kind: RegistryError.Kind) -> String {
        let error = #expect(throws: RegistryError.self) { try scene.check.check(bytes) }
        #expect(error?.kind == kind, "\(String(describing: error))")
        return error?.message ?? ""
    }

    @Test func `a publisher's statement about these bytes counts, and nothing else`() async throws {
        let scene = try await Scene()
        let type = BuildProvenance.payloadType
        func envelope(_ payload: [UInt8], type: String = type, by key: PrivateKey? = nil) throws -> [UInt8] {
            try SignedEnvelope(payload, type: type, by: [key ?? scene.publisher]).bytes
        }
        try scene.check.check(envelope(scene.statement()))
        #expect(Self.refusal(scene, nil, .invalid).contains("--provenance"))
        #expect(try Self.refusal(scene, envelope(scene.statement(), by: scene.thief), .forbidden).contains("no key"))
        #expect(
            try Self.refusal(scene, envelope(scene.statement(), type: "text/plain"), .invalid).contains("text/plain"))
        #expect(try Self.refusal(scene, envelope(scene.statement(version: "1.0.1")), .invalid).contains("1.0.1"))
        let other = try scene.statement { json in
            json["subject"] = .array([
                .object(["name": "checkout@1.0.0", "digest": .object(["sha256": .string(Digest(of: [1]).hex)])])
            ])
        }
        #expect(try Self.refusal(scene, envelope(other), .invalid).contains("not of checkout 1.0.0"))
        let changes: [(inout JSONObject) -> Void] = [
            { $0["predicateType"] = "https://slsa.dev/provenance/v2" },
            { $0["_type"] = "https://in-toto.io/Statement/v0.1" },
            { $0["subject"] = [] },
            { $0["subject"] = .array([.object(["name": "checkout", "digest": .object(["sha256": ""])])]) },
            { $0["predicate"] = nil },
        ]
        for change in changes {
            #expect(try Self.refusal(scene, envelope(scene.statement(change)), .invalid).contains("cannot be used"))
        }
        #expect(Self.refusal(scene, [UInt8]("{}".utf8), .invalid).contains("cannot be used"))
        #expect(Self.refusal(scene, [UInt8](repeating: 32, count: 70_000), .tooLarge).contains("at most"))
        // Where it is not required it still has to be right.
        let relaxed = try await Scene(isRequired: false)
        try relaxed.check.check(nil)
        #expect(Self.refusal(relaxed, [UInt8]("{}".utf8), .invalid).contains("cannot be used"))
    }

    @Test(
        arguments: [
            (nil, nil), (nil, "c"), ("git+https://a", nil), ("", "c"), ("git+https://a", ""),
        ] as [(String?, String?)])
    func `a statement without repository or commit counts only where none is required`(
        source: String?, commit: String?
    ) async throws {
        let scene = try await Scene()
        let bytes = try SignedEnvelope(
            scene.statement(source: source, commit: commit), type: BuildProvenance.payloadType, by: [scene.publisher]
        ).bytes
        let message = Self.refusal(scene, bytes, .invalid)
        for word in ["\(scene.sealed.name)", "repository and the commit", "--source URL", "--commit COMMIT"] {
            #expect(message.contains(word), "\(message)")
        }
        let relaxed = try await Scene(isRequired: false)
        let known = try SignedEnvelope(
            relaxed.statement(source: source, commit: commit), type: BuildProvenance.payloadType,
            by: [relaxed.publisher]
        ).bytes
        try relaxed.check.check(known)
    }

    @Test func `a source is a repository's URL, without a password`() async throws {
        let folder = try await Shop().folder.url
        func source(_ text: String, _ environment: [String: String] = [:]) throws -> String? {
            try BuildOrigin(environment, source: text, commit: "abc", folder: folder).source
        }
        #expect(try source("https://git.example.com/acme/shop") == "git+https://git.example.com/acme/shop")
        #expect(try source("ssh://git@git.example.com/acme/shop") == "git+ssh://git@git.example.com/acme/shop")
        #expect(try source("git@git.example.com:acme/shop.git") == "git+ssh://git@git.example.com/acme/shop.git")
        #expect(try source("git+https://git.example.com/shop") == "git+https://git.example.com/shop")
        for text in [
            "", "acme/shop", "https://", "https://ann:secret@git.example.com/shop",
            "https://secret@git.example.com/shop",
            "https://git.example.com/" + String(repeating: "a", count: 500),
        ] {
            let error = #expect(throws: RegistryError.self) { try source(text) }
            #expect(error?.kind == .invalid && error?.message.contains("repository's URL") == true)
            #expect(error?.message.contains("secret") == false)
        }
        // What the CI system says of itself comes first.
        let job = ["GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop"]
        #expect(try source("https://git.example.com/other", job) == "git+https://github.com/acme/shop")
    }

    @Test(arguments: RegistryKind.allCases)
    func `every registry keeps it with the version, refuses without it where it is required, and devices go on`(
        kind: RegistryKind
    ) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let trust = try shop.trust(over: registry)
            let maintenance = KeyMaintenance(registry: registry, trust: trust, now: { shop.clock.now })
            // A version of before stays, and is no new one when it is published again.
            let old = try shop.page("0.9.0")
            try await shop.publisher(over: registry).publish([old.zip])
            #expect(try await maintenance.requireProvenance(true, owner: shop.keys().owner))
            let site = try shop.page("1.0.0")
            let sealed = try PackageArchive.open(site.zip).sealed
            let refused = await #expect(throws: RegistryError.self) {
                try await shop.publisher(over: registry).publish([site.zip])
            }
            #expect(refused?.message.contains("--provenance") == true)
            func publisher(source: String?) throws -> Publisher {
                let origin = try BuildOrigin([:], source: source, commit: "abc", folder: shop.folder.url)
                return try Publisher(
                    registry: registry, trust: trust, keys: shop.keys(), origin: origin, now: { shop.clock.now })
            }
            let nameless = await #expect(throws: RegistryError.self) {
                try await publisher(source: nil).publish([site.zip])
            }
            #expect(nameless?.message.contains("repository and the commit") == true)
            #expect(try await publisher(source: nil).publish([old.zip]).map(\.outcome) == [.unchanged])
            try await publisher(source: "https://git.example.com/shop").publish([site.zip])
            let bytes = try #require(try await registry.provenance(of: sealed.name))
            let provenance = try BuildProvenance(payload: SignedEnvelope(parsing: bytes).payload)
            #expect(provenance.commit == "abc" && provenance.manifest == sealed.digest)
            #expect(try await registry.provenance(of: VersionName(package(), version("9.9.9"))) == nil)
        }
    }
}
