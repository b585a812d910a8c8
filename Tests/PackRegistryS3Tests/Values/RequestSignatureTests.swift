import Foundation
import PackFormat
import Testing

@testable import PackRegistryS3

/// The examples of Amazon S3's API Reference, "Signature Calculations for the Authorization Header".
@Suite("RequestSignatureTests") struct RequestSignatureTests {
    private static let credentials = S3Credentials(
        keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    /// 2013-05-24 00:00:00 UTC
    private static let time = Date(timeIntervalSince1970: 1_369_353_600)
    private static let nothing = Digest(of: [UInt8]()).hex

    private static func content(
        _ method: String, _ path: String, query: [(String, String)] = [], fields: [(name: String, value: String)] = []
    ) -> RequestSignature.Content {
        RequestSignature.Content(
            method: method, host: "examplebucket.s3.amazonaws.com", path: S3Encoding.path(path), query: query,
            fields: fields)
    }

    private static func signature(_ content: RequestSignature.Content, payload: String = nothing) throws -> String {
        let fields = RequestSignature(credentials, region: "us-east-1").fields(
            for: content, payload: payload, at: time)
        let value = try #require(fields.first { $0.name == "Authorization" }).value
        #expect(
            value.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="))
        return String(value.split(separator: "Signature=")[1])
    }

    @Test func `an object is read with the signature of the documentation`() throws {
        let content = Self.content("GET", "/test.txt", fields: [("Range", "bytes=0-9")])
        #expect(
            try Self.signature(content) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func `an object is written with the signature of the documentation`() throws {
        let payload = Digest(of: Array("Welcome to Amazon S3.".utf8)).hex
        #expect(payload == "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        let content = Self.content(
            "PUT", "/test$file.text",
            fields: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ])
        #expect(content.path == "/test%24file.text")
        #expect(
            try Self.signature(content, payload: payload)
                == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func `a name without a value is signed as in the documentation`() throws {
        let content = Self.content("GET", "/", query: [("lifecycle", "")])
        #expect(
            try Self.signature(content) == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    }

    /// "Authenticating Requests: Using Query Parameters"
    @Test func `a URL that anybody may use for a day has the signature of the documentation`() throws {
        let query = RequestSignature(Self.credentials, region: "us-east-1").query(
            for: Self.content("GET", "/test.txt"), seconds: 86_400, at: Self.time)
        let values = Dictionary(uniqueKeysWithValues: query)
        #expect(
            values["X-Amz-Signature"] == "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
        #expect(values["X-Amz-Credential"] == "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request")
        #expect(values["X-Amz-Expires"] == "86400")
    }

    @Test func `objects are listed with the signature of the documentation`() throws {
        let content = Self.content("GET", "/", query: [("prefix", "J"), ("max-keys", "2")])
        let (request, names) = RequestSignature.canonical(
            {
                var signed = content
                signed.fields = [("x-amz-content-sha256", Self.nothing), ("x-amz-date", "20130524T000000Z")]
                return signed
            }(), payload: Self.nothing)
        #expect(names == "host;x-amz-content-sha256;x-amz-date")
        #expect(
            request == """
                GET
                /
                max-keys=2&prefix=J
                host:examplebucket.s3.amazonaws.com
                x-amz-content-sha256:\(Self.nothing)
                x-amz-date:20130524T000000Z

                host;x-amz-content-sha256;x-amz-date
                \(Self.nothing)
                """)
        #expect(
            try Self.signature(content) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    @Test func `the token of credentials that end is sent and signed`() throws {
        let credentials = S3Credentials(keyID: "A", secret: "B", sessionToken: "T/+=")
        let fields = RequestSignature(credentials, region: "eu-central-1").fields(
            for: Self.content("GET", "/a"), payload: Self.nothing, at: Self.time)
        #expect(fields.first { $0.name == "x-amz-security-token" }?.value == "T/+=")
        #expect(
            fields.first { $0.name == "Authorization" }?.value.contains(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,") == true)
        #expect(!"\(credentials)".contains("B"))
    }

    @Test func `names are encoded as S3 does`() {
        #expect(S3Encoding.path("a/b c+d~e.json") == "a/b%20c%2Bd~e.json")
        #expect(S3Encoding.component("a/b=c&\u{e9}") == "a%2Fb%3Dc%26%C3%A9")
        #expect(S3Encoding.query([("b", "2"), ("a", "x y"), ("a", "+")]) == "a=%2B&a=x%20y&b=2")
        #expect(S3Encoding.decoded("a+b%2Bc%2F") == "a b+c/")
        #expect(S3Encoding.decoded("%zz") == nil)
    }

    @Test func `the time of an answer is read`() {
        #expect(HTTPTime.parse("Fri, 24 May 2013 00:00:00 GMT") == Self.time)
        #expect(HTTPTime.parse("Friday, 24-May-13 00:00:00 GMT") == nil)
        #expect(RequestSignature.stamp(Self.time.addingTimeInterval(3_661)) == "20130524T010101Z")
    }
}
