import Testing

@testable import PackFormat

struct ConditionalRequestTests {
    private let tag = EntityTag(Digest(of: Array("a".utf8)))

    private func outcome(_ headers: [String: String], method: String = "GET") -> ConditionalRequest.Outcome {
        ConditionalRequest(method: method) { headers[$0] }.outcome(for: tag, size: 100)
    }

    @Test func `If-None-Match compares weakly, over lists and the star`() {
        for value in ["\(tag)", "W/\(tag)", "*", " * ", "\"x\", \(tag)", "\"a,b\",W/\(tag) ,", ",\(tag)"] {
            #expect(outcome(["if-none-match": value]) == .notModified, "\(value)")
            #expect(outcome(["if-none-match": value], method: "HEAD") == .notModified, "\(value)")
            #expect(outcome(["if-none-match": value], method: "PUT") == .preconditionFailed, "\(value)")
        }
        for value in ["\"x\"", tag.opaque, "", "w/\(tag)", "\(tag) \(tag)", "\(tag)x", "*, \"x\"", "\"x", "\"a\"b\""] {
            #expect(outcome(["if-none-match": value]) == .whole, "\(value)")
        }
    }

    @Test func `If-Match compares strongly and fails with 412`() {
        #expect(outcome(["if-match": "\(tag)"]) == .whole)
        #expect(outcome(["if-match": "*"]) == .whole)
        #expect(outcome(["if-match": "W/\(tag)"]) == .preconditionFailed)
        #expect(outcome(["if-match": "\"x\""]) == .preconditionFailed)
        #expect(outcome(["if-match": "\"x\"", "if-none-match": "\(tag)"]) == .preconditionFailed)
    }

    @Test func `If-Range keeps the range for the same strong tag only`() throws {
        let part = ConditionalRequest.Outcome.part(try #require(ByteRange(0..<10)))
        #expect(outcome(["range": "bytes=0-9"]) == part)
        #expect(outcome(["range": "bytes=0-9", "if-range": "\(tag)"]) == part)
        for value in ["W/\(tag)", "\"x\"", "Tue, 15 Nov 1994 12:45:26 GMT", "*", ""] {
            #expect(outcome(["range": "bytes=0-9", "if-range": value]) == .whole, "\(value)")
        }
    }

    @Test func `a validator that matches wins over the range, and HEAD has none`() {
        #expect(outcome(["range": "bytes=0-9", "if-none-match": "\(tag)"]) == .notModified)
        #expect(outcome(["range": "bytes=0-9"], method: "HEAD") == .whole)
        #expect(outcome(["range": "bytes=500-"]) == .unsatisfiable)
    }

    @Test func `dates are ignored: content has none`() {
        #expect(outcome(["if-modified-since": "Tue, 15 Nov 2094 12:45:26 GMT"]) == .whole)
        #expect(outcome(["if-unmodified-since": "Tue, 15 Nov 1994 12:45:26 GMT"]) == .whole)
    }
}

struct EntityTagTests {
    @Test func `a tag is read back as written`() throws {
        for text in ["\"\"", "\"a\"", "W/\"a b\"".replacing(" ", with: "!"), "\"ä\""] {
            #expect(try #require(EntityTag(text)).description == text)
        }
        for text in ["", "\"", "a", "W/a", "\"a b\"", "\"a\"\"", "w/\"a\"", " \"a\""] {
            #expect(EntityTag(text) == nil, "\(text)")
        }
    }
}

struct MediaTypeTests {
    @Test(arguments: [
        ("index.html", "text/html; charset=utf-8"), ("a/b.mjs", "text/javascript; charset=utf-8"),
        ("A.JS", "text/javascript; charset=utf-8"), ("x.css", "text/css; charset=utf-8"),
        ("x.wasm", "application/wasm"), ("x.woff2", "font/woff2"), ("x.svg", "image/svg+xml; charset=utf-8"),
        ("app.webmanifest", "application/manifest+json; charset=utf-8"), ("x.avif", "image/avif"),
        ("x.json", "application/json; charset=utf-8"), ("x.mp4", "video/mp4"), ("LICENSE", "application/octet-stream"),
        (".html", "application/octet-stream"), ("x.unknown", "application/octet-stream"),
    ])
    func `a file's type follows from its extension`(path: String, type: String) throws {
        #expect(MediaType(of: try PackagePath(path)).description == type)
    }
}
