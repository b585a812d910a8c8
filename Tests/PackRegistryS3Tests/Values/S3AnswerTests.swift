import Foundation
import NIOHTTP1
import PackFormat
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryS3

/// What is believed of a store's answers.
@Suite("S3AnswerTests") struct S3AnswerTests {
    private static func answer(_ status: Int, _ fields: [(String, String)] = [], _ body: String = "") -> HTTPAnswer {
        HTTPAnswer(status: status, fields: HTTPHeaders(fields), body: Array(body.utf8))
    }

    @Test func `a document is read into its elements`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <List xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>a &lt;b&gt; &#233;&#xe9;&amp;</Name><Empty/>
              <Contents><Key>one</Key><Size>3</Size></Contents><Contents><Key>two</Key></Contents></List>
            """
        let root = try S3Element(parsing: Array(text.utf8))
        #expect(root.name == "List")
        #expect(root["Name"] == "a <b> \u{e9}\u{e9}&")
        #expect(root["Empty"] == "")
        #expect(root.children.filter { $0.name == "Contents" }.map { $0["Key"] } == ["one", "two"])
        #expect(S3Element.escaped("\"a\"&<>") == "&quot;a&quot;&amp;&lt;&gt;")
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "<a><b></a></b>", "<a>&nbsp;</a>", "<a>&#xd800;</a>", "<a>&lt</a>", "<>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a", "</a>", String(repeating: "<a>", count: 40),
    ])
    func `what is no plain document is refused`(text: String) {
        #expect(throws: S3Element.Malformed.self) { try S3Element(parsing: Array(text.utf8)) }
    }

    @Test func `an error is a sentence with the store's own word`() {
        let body = "<Error><Code>NoSuchBucket</Code><Message>The bucket\nis not there</Message></Error>"
        let fault = S3Fault(Self.answer(404, [], body))
        #expect(fault.code == "NoSuchBucket")
        #expect(fault.error("s3://packages", origin: "x").kind == .notFound)
        let elsewhere = S3Fault(Self.answer(301, [("x-amz-bucket-region", "eu-west-3")]))
        #expect(elsewhere.error("s3://packages", origin: "x").message.contains("write region=eu-west-3"))
        let refused = S3Fault(Self.answer(403, [], "<Error><Code>AccessDenied</Code><Message>No</Message></Error>"))
        #expect(refused.error("s3://packages", origin: "the variable Y").message.contains("(from the variable Y)"))
    }

    @Test func `what passes by itself is asked for again`() {
        func isPassing(_ status: Int, _ code: String) -> Bool {
            S3Fault(Self.answer(status, [], "<Error><Code>\(code)</Code></Error>")).isPassing
        }
        #expect(isPassing(500, "InternalError") && isPassing(503, "SlowDown") && isPassing(400, "RequestTimeout"))
        #expect(isPassing(409, "ConditionalRequestConflict") && isPassing(429, "") && isPassing(502, ""))
        #expect(
            !isPassing(403, "AccessDenied") && !isPassing(400, "BadDigest") && !isPassing(409, "BucketAlreadyExists"))
        #expect(S3Fault(HTTPFailure(description: "no")).isPassing)
        #expect(S3Fault(HTTPFailure(description: "no")).error("s3://x", origin: "").kind == .unreachable)
    }

    @Test func `only the very part that was asked for is believed`() {
        let wanted = WantedRange(start: 2, maximumByteCount: 3)
        #expect(wanted.field == "bytes=2-4")
        func isSound(_ range: String, _ body: String) -> Bool {
            wanted.fault(of: Self.answer(206, [("Content-Range", range)], body)) == nil
        }
        #expect(isSound("bytes 2-4/9", "abc") && isSound("bytes 2-3/4", "ab"))
        #expect(!isSound("bytes 2-4/9", "ab") && !isSound("bytes 2-3/9", "ab") && !isSound("bytes 0-2/9", "abc"))
        #expect(!isSound("bytes 2-5/9", "abcd") && !isSound("bytes 2-4/*", "abc") && !isSound("bytes 2-4/4", "abc"))
        #expect(!isSound("", "abc"))
        let all = Self.answer(200, [], "0123456789")
        #expect(wanted.fault(of: all) == nil)
        #expect(wanted.part(of: all)?.bytes == Array("234".utf8))
        #expect(wanted.part(of: all)?.size == 10)
        #expect(wanted.fault(of: Self.answer(200, [("Content-Length", "11")], "0123456789")) != nil)
        #expect(WantedRange(start: 7, maximumByteCount: .max).field == "bytes=7-")
        #expect(WantedRange(start: .max, maximumByteCount: 10).field == "bytes=\(Int.max)-")
    }

    @Test func `a whole object must have its checksum`() {
        let wanted = WantedRange(start: 0, maximumByteCount: 100)
        let checksum = S3Checksum.text(Digest(of: Array("abc".utf8)))
        #expect(checksum == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        func isSound(_ body: String, _ checksum: String) -> Bool {
            wanted.fault(of: Self.answer(200, [("x-amz-checksum-sha256", checksum)], body)) == nil
        }
        #expect(isSound("abc", checksum))
        #expect(!isSound("abd", checksum))
        // One of parts says nothing about all bytes.
        #expect(isSound("abd", checksum + "-2"))
    }
}
