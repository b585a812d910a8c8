import Foundation
import PackJSON
import PackTrust
import Testing

struct DocumentFormatTests {
    private static let header = "\"spec_version\":\"1.0.0\",\"version\":1,\"expires\":\"2030-01-01T00:00:00Z\""
    private static let snapshot = "{\"_type\":\"snapshot\",\(header),\"meta\":{}}"

    private func parse<Body: RoleMetadata>(_ signed: String, as _: Body.Type) throws -> SignedDocument<Body> {
        try SignedDocument<Body>(parsing: Array("{\"signed\":\(signed),\"signatures\":[]}".utf8))
    }

    @Test(arguments: [
        "{}", "[]", "{\"signed\":{}}", "{\"signatures\":[]}", "{\"signed\":\(snapshot)}",
        "{\"signed\":\(snapshot),\"signatures\":{}}", "{\"signed\":\(snapshot),\"signatures\":[{\"sig\":\"ab\"}]}",
        "{\"signed\":\(snapshot),\"signatures\":[{\"keyid\":\"a\"}]}",
        "{\"signed\":\(snapshot),\"signatures\":[{\"keyid\":\"a\",\"sig\":\"\"},{\"keyid\":\"a\",\"sig\":\"ab\"}]}",
        "{\"signed\":\(snapshot),\"signed\":\(snapshot),\"signatures\":[]}",
    ])
    func `an envelope that is not one is refused`(text: String) {
        #expect(throws: TrustError.self) { try SignedDocument<SnapshotMetadata>(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("\"_type\":\"snapshot\"", "\"_type\":\"targets\""), ("\"_type\":\"snapshot\",", ""),
        ("\"version\":1", "\"version\":0"), ("\"version\":1", "\"version\":-1"), ("\"version\":1", "\"version\":\"1\""),
        ("\"version\":1", "\"version\":true"), ("\"version\":1", "\"version\":1.0"), ("\"version\":1,", ""),
        ("2030-01-01T00:00:00Z", "2030-01-01"), ("2030-01-01T00:00:00Z", "2030-01-01T00:00:00.5Z"),
        ("2030-01-01T00:00:00Z", "2030-13-01T00:00:00Z"), ("2030-01-01T00:00:00Z", "2030-02-30T00:00:00Z"),
        ("2030-01-01T00:00:00Z", "2030-01-01T00:00:00+00:00"), ("2030-01-01T00:00:00Z", "2030-01-01T24:00:00Z"),
        ("\"meta\":{}", "\"meta\":[]"), ("\"meta\":{}", "\"meta\":{\"a.json\":{\"version\":0}}"),
        ("\"meta\":{}", "\"meta\":{\"a.json\":{\"version\":1,\"length\":-1}}"),
        ("\"meta\":{}", "\"meta\":{\"a.json\":{\"version\":1,\"hashes\":{}}}"),
        ("\"meta\":{}", "\"meta\":{\"a.json\":{\"version\":1,\"hashes\":{\"sha256\":1}}}"),
        ("\"meta\":{}", "\"meta\":{\"a.json\":{\"version\":1},\"a.json\":{\"version\":2}}"),
    ])
    func `a signed part that breaks the format is refused`(part: String, replacement: String) {
        #expect(Self.snapshot.contains(part))
        let bent = Self.snapshot.replacingOccurrences(of: part, with: replacement)
        #expect(throws: TrustError.self) { try parse(bent, as: SnapshotMetadata.self) }
    }

    @Test func `the same text without the fault is accepted`() throws {
        #expect(try parse(Self.snapshot, as: SnapshotMetadata.self).body.version == 1)
    }

    @Test func `a root must have the four roles, each with a threshold and each key once`() throws {
        let roles = ["root", "timestamp", "snapshot", "targets"]
        func root(_ role: (String) -> String?) -> String {
            let list = roles.compactMap { name in role(name).map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            return "{\"_type\":\"root\",\(Self.header),\"keys\":{},\"roles\":{\(list)}}"
        }
        let sound = "{\"keyids\":[\"a\"],\"threshold\":1}"
        let document = try parse(root { _ in sound }, as: RootMetadata.self)
        #expect(document.body.consistentSnapshot == false)
        for missing in roles {
            #expect(throws: TrustError.self) { try parse(root { $0 == missing ? nil : sound }, as: RootMetadata.self) }
            for fault in [
                "{\"keyids\":[\"a\"],\"threshold\":0}", "{\"keyids\":[\"a\",\"a\"],\"threshold\":1}",
                "{\"keyids\":[\"a\"]}", "{\"threshold\":1}", "{\"keyids\":\"a\",\"threshold\":1}",
            ] {
                #expect(throws: TrustError.self) {
                    try parse(root { $0 == missing ? fault : sound }, as: RootMetadata.self)
                }
            }
        }
    }

    @Test func `a wrong key id is refused, one made before fields were added is not`() throws {
        let key = try PrivateKey.generate(.ed25519).publicKey
        func root(id: String, extra: String) -> String {
            let roles = ["root", "timestamp", "snapshot", "targets"].map {
                "\"\($0)\":{\"keyids\":[\"\(id)\"],\"threshold\":1}"
            }.joined(separator: ",")
            let value =
                "{\"keytype\":\"ed25519\",\"scheme\":\"ed25519\",\"keyval\":{\"public\":\"\(key.value)\"}\(extra)}"
            return "{\"_type\":\"root\",\(Self.header),\"keys\":{\"\(id)\":\(value)},\"roles\":{\(roles)}}"
        }
        let wrong = String(repeating: "0", count: 64)
        #expect(throws: TrustError.self) { try parse(root(id: wrong, extra: ""), as: RootMetadata.self) }
        #expect(throws: TrustError.self) { try parse(root(id: key.id.uppercased(), extra: ""), as: RootMetadata.self) }
        _ = try parse(root(id: key.id, extra: ""), as: RootMetadata.self)
        let extended = try parse(root(id: key.id, extra: ",\"x-owner\":\"@me\""), as: RootMetadata.self)
        #expect(extended.body.keys[key.id]?.value == key.value)
    }

    @Test func `a key of an unknown kind is kept and signs nothing`() throws {
        let object = "{\"keytype\":\"future\",\"scheme\":\"future-1\",\"keyval\":{\"public\":\"x\"}}"
        let value = try JSONValue(parsing: object)
        let id = FileHashes(of: value.canonicalBytes).sha256 ?? ""
        let roles = ["root", "timestamp", "snapshot", "targets"].map {
            "\"\($0)\":{\"keyids\":[\"\(id)\"],\"threshold\":1}"
        }.joined(separator: ",")
        let text = "{\"_type\":\"root\",\(Self.header),\"keys\":{\"\(id)\":\(object)},\"roles\":{\(roles)}}"
        let document = try parse(text, as: RootMetadata.self)
        #expect(document.body.keys[id]?.scheme == nil)
        #expect(document.body.keys[id]?.isValid([1], for: [2]) == false)
        #expect(try JSONValue(parsing: text).canonicalBytes == SignedDocument(unsigned: document.body).signedBytes)
    }

    @Test(arguments: [
        "{\"name\":\"a\",\"keyids\":[],\"threshold\":1,\"terminating\":false}",
        "{\"name\":\"a\",\"keyids\":[],\"threshold\":1,\"terminating\":false,\"paths\":[],\"path_hash_prefixes\":[]}",
        "{\"name\":\"a\",\"keyids\":[],\"threshold\":1,\"terminating\":0,\"paths\":[]}",
        "{\"name\":\"targets\",\"keyids\":[],\"threshold\":1,\"terminating\":false,\"paths\":[]}",
        "{\"name\":\"\",\"keyids\":[],\"threshold\":1,\"terminating\":false,\"paths\":[]}",
        "{\"name\":\"a\",\"keyids\":[],\"threshold\":1,\"terminating\":false,\"paths\":[1]}",
        "{\"keyids\":[],\"threshold\":1,\"terminating\":false,\"paths\":[]}",
    ])
    func `a delegation that breaks the format is refused`(role: String) throws {
        func targets(_ roles: String) -> String {
            "{\"_type\":\"targets\",\(Self.header),\"targets\":{},\"delegations\":{\"keys\":{},\"roles\":[\(roles)]}}"
        }
        let sound = "{\"name\":\"b\",\"keyids\":[],\"threshold\":1,\"terminating\":false,\"paths\":[]}"
        _ = try parse(targets(sound), as: TargetsMetadata.self)
        #expect(throws: TrustError.self) { try parse(targets(role), as: TargetsMetadata.self) }
        #expect(throws: TrustError.self) { try parse(targets("\(sound),\(sound)"), as: TargetsMetadata.self) }
    }

    @Test func `unknown fields everywhere are kept, and are part of what is signed`() throws {
        let key = try PrivateKey.generate(.ed25519)
        let hash = String(repeating: "a", count: 64)
        let text = """
            {"_type":"targets",\(Self.header),"x":[1,{"y":null}],
             "targets":{"a":{"length":1,"hashes":{"sha256":"\(hash)"},"custom":{"z":"\\u0007"},"w":true}},
             "delegations":{"v":1,"keys":{},"roles":[
               {"name":"r","keyids":[],"threshold":2,"terminating":true,"paths":["*"],"u":"\u{E9}"}]}}
            """
        let read = try parse(text, as: TargetsMetadata.self)
        #expect(read.signedBytes == (try JSONValue(parsing: text).canonicalBytes))
        #expect(SignedDocument(unsigned: read.body).signedBytes == read.signedBytes)
        let signed = try read.signed(by: key)
        let again = try SignedDocument<TargetsMetadata>(parsing: signed.bytes)
        #expect(again.signedBytes == read.signedBytes)
        #expect(key.publicKey.isValid(try #require(bytes(again.signatures.first?.hex)), for: read.signedBytes))
    }

    @Test func `unknown fields of an envelope and its signatures are kept when a signature is added`() throws {
        let text = "{\"signed\":\(Self.snapshot),\"x\":1,\"signatures\":[{\"keyid\":\"a\",\"sig\":\"\",\"y\":2}]}"
        let document = try SignedDocument<SnapshotMetadata>(parsing: Array(text.utf8))
        let signed = try document.signed(by: try PrivateKey.generate(.ed25519))
        let envelope = try JSONValue(parsing: signed.bytes).object()
        #expect(envelope["x"] == 1)
        #expect(try envelope.array("signatures").first?.object()["y"] == 2)
        #expect(signed.signatures.count == 2)
    }

    private func bytes(_ hex: String?) -> [UInt8]? {
        hex.flatMap { hex in
            stride(from: 0, to: hex.count, by: 2).map { offset in
                let start = hex.index(hex.startIndex, offsetBy: offset)
                return UInt8(hex[start...].prefix(2), radix: 16) ?? 0
            }
        }
    }
}
