import Foundation
import PackFormat
import Testing

struct ViewServingTests {
    static let content = Array("0123456789".utf8)
    static let path = ViewPath.object(Digest(of: content)).description
    static let empty = ViewPath.patch(from: nil, to: Digest(of: [])).description
    static let tag = "\"\(Digest(of: content).hex)\""

    static func host() throws -> FolderHost {
        try FolderHost([
            path: content, "metadata/timestamp.json": Array("{}".utf8), "metadata/1.root.json": Array("{\"a\":1}".utf8),
            "packages/checkout-1.0.0+a.zip": Array("PK".utf8),
            "metadata/.writing": [1], empty: [],
        ])
    }

    @Test(
        arguments: [
            ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=4-", 206, "456789", "bytes 4-9/10"),
            ("bytes=-3", 206, "789", "bytes 7-9/10"), ("bytes=-100", 206, "0123456789", "bytes 0-9/10"),
            ("bytes=0-0", 206, "0", "bytes 0-0/10"), ("bytes=9-9", 206, "9", "bytes 9-9/10"),
            ("bytes=5-100", 206, "56789", "bytes 5-9/10"), ("BYTES=0-1", 206, "01", "bytes 0-1/10"),
            ("bytes= 2-3 ", 206, "23", "bytes 2-3/10"), ("bytes=1-2,", 206, "12", "bytes 1-2/10"),
            ("bytes=10-", 416, nil, "bytes */10"), ("bytes=10-20", 416, nil, "bytes */10"),
            ("bytes=-0", 416, nil, "bytes */10"),
            ("bytes=99999999999999999999-", 416, nil, "bytes */10"),
            ("bytes=0-99999999999999999999", 206, "0123456789", "bytes 0-9/10"),
            ("bytes=3-1", 200, "0123456789", nil), ("bytes=a-b", 200, "0123456789", nil),
            ("bytes=-", 200, "0123456789", nil), ("bytes", 200, "0123456789", nil),
            ("items=0-3", 200, "0123456789", nil), ("bytes=0-1,4-5", 200, "0123456789", nil),
            ("bytes=--1", 200, "0123456789", nil), ("bytes=+1-2", 200, "0123456789", nil),
            ("bytes=0-1,x", 200, "0123456789", nil), ("bytes=20-30,40-50", 416, nil, "bytes */10"),
        ] as [(String, Int, String?, String?)])
    func `a range is answered as RFC 9110 has it`(
        range: String, status: Int, body: String?, contentRange: String?
    ) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask("GET", "/" + Self.path, ["Range": range])
            #expect(answer.status == status)
            #expect(answer["content-range"] == contentRange)
            if let body { #expect(answer.text == body) }
            if status != 416 { #expect(answer["accept-ranges"] == "bytes") }
        }
    }

    @Test(arguments: [
        (tag, 304), ("\"x\", \(tag)", 304), ("W/\(tag)", 304), ("*", 304), (" \"x\" ,\(tag),, ", 304),
        ("\"a,b\", \(tag)", 304), ("\"x\"", 200), ("", 200), ("x", 200), ("\"*\"", 200), ("*, \"x\"", 200),
    ])
    func `If-None-Match is compared weakly, as a list and as a star`(field: String, status: Int) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            for method in ["GET", "HEAD"] {
                let answer = try await server.ask(method, "/" + Self.path, ["If-None-Match": field])
                #expect(answer.status == status)
                #expect(answer["etag"] == Self.tag)
                #expect(answer["cache-control"] == "public, max-age=31536000, immutable")
                if status == 304 { #expect(answer["content-length"] == nil) }
            }
        }
    }

    @Test func `If-Range needs the strong tag, If-Match any of its list, and a 304 comes before a range`() async throws
    {
        try await RunningServer.with(Self.host()) { (server) async throws in
            func ask(_ fields: [String: String]) async throws -> Int {
                try await server.ask("GET", "/" + Self.path, fields).status
            }
            #expect(try await ask(["Range": "bytes=0-1", "If-Range": Self.tag]) == 206)
            #expect(try await ask(["Range": "bytes=0-1", "If-Range": "W/" + Self.tag]) == 200)
            #expect(try await ask(["Range": "bytes=0-1", "If-Range": "\"x\""]) == 200)
            #expect(try await ask(["Range": "bytes=0-1", "If-Range": "Sat, 21 Nov 2026 14:37:54 GMT"]) == 200)
            #expect(try await ask(["Range": "bytes=90-", "If-Range": "\"x\""]) == 200)
            #expect(try await ask(["Range": "bytes=90-", "If-None-Match": Self.tag]) == 304)
            #expect(try await ask(["If-Match": "\"x\", " + Self.tag]) == 200)
            #expect(try await ask(["If-Match": "*"]) == 200)
            #expect(try await ask(["If-Match": "\"x\""]) == 412)
            #expect(try await ask(["If-Match": "W/" + Self.tag]) == 412)
            #expect(try await ask(["If-Modified-Since": "Sat, 21 Nov 2099 14:37:54 GMT"]) == 200)
        }
    }

    @Test func `HEAD has the fields of GET and no content, also on a connection that goes on`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let connection = try server.connection()
            await connection.send(RunningServer.request("HEAD", "/" + Self.path, ["Range": "bytes=0-1"]))
            await connection.send(RunningServer.request("HEAD", "/patches/none.zst"))
            await connection.send(RunningServer.request("GET", "/" + Self.path))
            let head = try await connection.answer(toHead: true)
            let missing = try await connection.answer(toHead: true)
            let get = try await connection.answer()
            #expect((head.status, missing.status, get.status) == (200, 404, 200))
            for name in ["content-length", "content-type", "etag", "cache-control", "accept-ranges"] {
                #expect(head[name] == get[name])
            }
            #expect(get.body == Self.content)
        }
    }

    @Test func `each kind of file has its type and its caching`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let timestamp = try await server.ask("GET", "/metadata/timestamp.json")
            #expect(timestamp["cache-control"] == "no-cache")
            #expect(timestamp["content-type"] == "application/json; charset=utf-8")
            #expect(timestamp["etag"] == "\"\(Digest(of: Array("{}".utf8)))\"")
            #expect(timestamp["x-content-type-options"] == "nosniff")
            let root = try await server.ask("GET", "/metadata/1.root.json")
            #expect(root["cache-control"] == "public, max-age=31536000, immutable")
            let zip = try await server.ask("GET", "/packages/checkout-1.0.0%2Ba.zip")
            #expect(zip["content-type"] == "application/zip")
            #expect(try await server.ask("GET", "/packages/checkout-1.0.0+a.zip").body == zip.body)
            let empty = try await server.ask("GET", "/" + Self.empty, ["Range": "bytes=-5"])
            #expect((empty.status, empty["content-length"]) == (200, "0"))
        }
    }

    @Test func `a file that is replaced is served anew at once`() async throws {
        let host = try Self.host()
        try await RunningServer.with(host) { (server) async throws in
            let old = try await server.ask("GET", "/metadata/timestamp.json")
            try host.write(Array("{\"version\":2}".utf8), to: "metadata/timestamp.json")
            let new = try await server.ask(
                "GET", "/metadata/timestamp.json", ["If-None-Match": old["etag"] ?? ""])
            #expect(new.status == 200)
            #expect(new.text == "{\"version\":2}")
            try FileManager.default.removeItem(at: host.viewFolder.appending(path: "metadata/timestamp.json"))
            #expect(try await server.ask("GET", "/metadata/timestamp.json").status == 404)
        }
    }

    @Test(arguments: [
        "/metadata/../metadata/timestamp.json", "/metadata/%2e%2e/metadata/timestamp.json",
        "/metadata/%2E%2E/%2E%2E/secret", "/metadata/..%2f..%2fsecret", "/metadata/..%5c..%5csecret",
        "/metadata/%252e%252e/secret", "/metadata//timestamp.json", "//metadata/timestamp.json",
        "/metadata/./timestamp.json",
        "/metadata/timestamp.json%00.txt", "/metadata/timestamp.json/", "/metadata/", "/metadata", "/", "/secret",
        "/../secret", "/%2e%2e/secret", "/..;/secret", "/metadata/.writing", "/metadata/%2ewriting",
        "/keys/online.json",
        "/view/metadata/timestamp.json", "/METADATA/timestamp.json", "/metadata/%zz", "/metadata/%",
        "/metadata/%c0%ae%c0%ae/x",
        "/metadata/link.json", "/metadata/folder", "/objects/../../secret", "/metadata/\u{2024}\u{2024}/x", "*",
    ])
    func `a path that is not a file of the view leads nowhere`(target: String) async throws {
        let host = try Self.host()
        try Data("secret".utf8).write(to: host.folder.appending(path: "secret"))
        try FileManager.default.createSymbolicLink(
            at: host.viewFolder.appending(path: "metadata/link.json"),
            withDestinationURL: host.folder.appending(path: "secret"))
        try FileManager.default.createDirectory(
            at: host.viewFolder.appending(path: "metadata/folder"), withIntermediateDirectories: true)
        try await RunningServer.with(host) { (server) async throws in
            let answer = try await server.ask("GET", target)
            // The dashboard is at "/", and wants a token first.
            #expect((target == "/" ? [401] : [400, 404]).contains(answer.status))
            #expect(!answer.text.contains("secret\""))
            #expect(answer["cache-control"] == "no-store" || answer.body.isEmpty)
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func `another method than GET and HEAD is told which there are`(method: String) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask(method, "/" + Self.path, body: method == "OPTIONS" ? nil : [1])
            #expect((answer.status, answer["allow"]) == (405, "GET, HEAD"))
            #expect(answer["content-type"] == "application/problem+json")
        }
    }

    @Test func `a large file comes whole, in parts, and survives its removal while it is read`() async throws {
        var large = [UInt8](repeating: 0, count: 9 << 20)
        for index in stride(from: 0, to: large.count, by: 997) { large[index] = UInt8(truncatingIfNeeded: index / 997) }
        let bytes = large
        let host = try FolderHost(["packages/big-1.0.0.zip": bytes])
        try await RunningServer.with(host) { (server) async throws in
            let connection = try server.connection()
            await connection.send(RunningServer.request("GET", "/packages/big-1.0.0.zip"))
            #expect(await connection.hasAnswer())
            try? FileManager.default.removeItem(at: host.viewFolder.appending(path: "packages/big-1.0.0.zip"))
            // Compared outside the expectation, which would look for the difference of two large arrays for hours.
            let isWhole = try await connection.answer().body == bytes
            #expect(isWhole)
            try host.write(bytes, to: "packages/big-1.0.0.zip")
            let part = try await server.ask("GET", "/packages/big-1.0.0.zip", ["Range": "bytes=1000000-5000000"])
            let isPart = part.body.elementsEqual(bytes[1_000_000...5_000_000])
            #expect(part.status == 206 && isPart)
            #expect(part["etag"] == "\"\(Digest(of: bytes))\"")
        }
    }

    @Test func `requests sent at once are answered in order`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let connection = try server.connection()
            let ranges = (0..<50).map { $0 % 10 }
            await connection.send(
                ranges.flatMap { RunningServer.request("GET", "/" + Self.path, ["Range": "bytes=\($0)-\($0)"]) })
            for range in ranges {
                #expect(try await connection.answer().text == String(range))
            }
        }
    }
}
