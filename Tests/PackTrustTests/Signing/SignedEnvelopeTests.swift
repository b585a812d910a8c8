import Foundation
import Testing

@testable import PackTrust

/// Dead Simple Signing Envelopes.
struct SignedEnvelopeTests {
    private static let type = "http://example.com/HelloWorld"
    private let key: PrivateKey
    private let other: PrivateKey

    init() throws {
        key = try PrivateKey.generate(.ecdsa)
        other = try PrivateKey.generate(.ecdsa)
    }

    @Test func `what was signed as one type does not count as another, or with other bytes`() throws {
        let envelope = try SignedEnvelope(Array("hello world".utf8), type: Self.type, by: [key])
        // The text that DSSE's own document gives for this payload.
        let signed = Array("DSSEv1 29 http://example.com/HelloWorld 11 hello world".utf8)
        #expect(key.publicKey.isValid(try #require(envelope.signatures.first).bytes, for: signed))
        #expect(envelope.isSigned(by: key.publicKey) && !envelope.isSigned(by: other.publicKey))
        let again = try SignedEnvelope(parsing: envelope.bytes)
        #expect(again == envelope && again.isSigned(by: key.publicKey))
        let text = String(decoding: envelope.bytes, as: UTF8.self)
        for (old, new) in [(Self.type, "http://example.com/HelloWorlds"), ("aGVsbG8gd29ybGQ=", "aGVsbG8gd29ybGE=")] {
            let changed = try SignedEnvelope(parsing: Array(text.replacing(old, with: new).utf8))
            #expect(changed != envelope)
            #expect(!changed.isSigned(by: key.publicKey), "\(new)")
        }
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"payloadType\":\"a\",\"payload\":\"%\",\"signatures\":[]}",
        "{\"payloadType\":\"a\",\"payload\":\"\",\"signatures\":{}}",
        "{\"payloadType\":\"a\",\"payload\":\"\",\"signatures\":[{\"keyid\":\"x\"}]}",
    ])
    func `what is no envelope is refused`(text: String) {
        #expect(throws: TrustError.self) { try SignedEnvelope(parsing: Array(text.utf8)) }
    }

    @Test func `fields that nobody signed are ignored`() throws {
        let envelope = try SignedEnvelope(Array("hello world".utf8), type: Self.type, by: [key])
        let text = String(decoding: envelope.bytes, as: UTF8.self)
        let more = text.replacing("{\"keyid\"", with: "{\"cert\":\"x\",\"keyid\"").replacing(
            "{\"payload\"", with: "{\"more\":{},\"payload\"")
        #expect(more.contains("cert") && more.contains("more"))
        #expect(try SignedEnvelope(parsing: Array(more.utf8)) == envelope)
    }

    @Test func `an envelope without signatures is signed by nobody`() throws {
        let envelope = try SignedEnvelope(
            parsing: Array("{\"payloadType\":\"a\",\"payload\":\"\",\"signatures\":[]}".utf8))
        #expect(!envelope.isSigned(by: key.publicKey))
    }
}
