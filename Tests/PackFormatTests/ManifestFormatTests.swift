import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// Format 2 beside format 1: what has no new field is the same bytes as before, and nothing unknown is read.
struct ManifestFormatTests {
    private func manifest(
        _ paths: [String] = ["index.html"], base: String? = nil, worker: Bool = false, api: [String: String] = [:],
        entry: String? = "index.html"
    ) throws -> Manifest {
        var files: [PackagePath: Manifest.File] = [:]
        for path in paths {
            files[try PackagePath(path)] = Manifest.File(digest: Digest(of: Array(path.utf8)), size: path.utf8.count)
        }
        return try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: entry.map { try PackagePath($0) },
            files: files, base: base.map { try BasePath($0) }, wantsServiceWorker: worker, api: APIRoutes(api))
    }

    private func parse(_ text: String) throws -> Manifest { try Manifest(parsing: Array(text.utf8)) }

    private func message(_ body: () throws -> Manifest) -> String {
        do {
            return String(decoding: try body().bytes, as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }

    private let file = """
        "files":{"index.html":{"sha256":"\(Digest(of: Array("index.html".utf8)).hex)","size":10}}
        """

    @Test func `a manifest without a new field is format 1, byte for byte as before`() throws {
        let text = #"{"entry":"index.html",\#(file),"format":1,"package":"shop","version":"1.0.0"}"#
        #expect(String(decoding: try manifest().bytes, as: UTF8.self) == text)
        #expect(try parse(text).format == 1)
    }

    @Test func `each new field alone makes format 2, and all survive their bytes`() throws {
        #expect(
            String(decoding: try manifest(base: "/static-files/").bytes, as: UTF8.self)
                == #"{"base":"/static-files/","entry":"index.html",\#(file),"#
                + #""format":2,"package":"shop","version":"1.0.0"}"#)
        #expect(try manifest(worker: true).format == 2)
        #expect(try manifest(api: ["/api/": "https://api.example.com/"]).format == 2)
        let full = try manifest(
            base: "/a/", worker: true, api: ["/api/": "https://api.example.com/", "/print/": "http://127.0.0.1:9100/"])
        let again = try Manifest(parsing: full.bytes)
        #expect(again == full)
        #expect(again.bytes == full.bytes)
        #expect(again.wantsServiceWorker)
        #expect(again.base?.text == "/a/")
        #expect(again.api.targets.count == 2)
    }

    @Test func `format 1 with a new field, format 2 without one, and format 4 are refused`() throws {
        func text(_ format: Int, _ field: String) -> String {
            #"{\#(field)"entry":"index.html",\#(file),"format":\#(format),"package":"shop","version":"1.0.0"}"#
        }
        // What an older device reads is format 1 with the known fields; these are its two ways to refuse.
        for field in [#""base":"/a/","#, #""serviceWorker":true,"#, #""api":{"/api/":"https://a.example/"},"#] {
            #expect(message { try parse(text(1, field)) }.contains("is not valid"), "\(field)")
            #expect(throws: Never.self) { try parse(text(2, field)) }
        }
        for field in ["", #""serviceWorker":false,"#, #""api":{},"#] {
            #expect(
                message { try parse(text(2, field)) }
                    == "the manifest is not valid: it has format 2 and needs format 1")
        }
        #expect(
            message { try parse(text(4, "")) }
                == "the manifest has format 4 and this program reads up to 3: update the program")
        #expect(message { try parse(text(2, #""basis":"/a/","serviceWorker":true,"#)) }.contains("basis"))
    }

    @Test func `a state makes format 3, and is refused where it contradicts itself`() throws {
        func text(_ format: Int, _ state: String, _ entry: String = #""entry":"index.html","#) -> String {
            #"{\#(entry)\#(file),"format":\#(format),"package":"shop","state":\#(state),"version":"1.0.0"}"#
        }
        let manifest = try parse(text(3, #"{"reads":[1,2],"version":2}"#))
        #expect(manifest.state == (try Manifest.State(version: 2, reads: 1...2)) && manifest.format == 3)
        #expect(try Manifest(parsing: manifest.bytes) == manifest)
        // A device of format 2 refuses the field, and this program a format that does not need it.
        #expect(message { try parse(text(2, #"{"reads":[1,2],"version":2}"#)) }.contains("state"))
        #expect(
            message { try parse(#"{"entry":"index.html",\#(file),"format":3,"package":"shop","version":"1.0.0"}"#) }
                .contains("it has format 3 and needs format 1"))
        for (state, reason) in [
            (#"{"reads":[1,1],"version":2}"#, "it must read what it writes itself"),
            (#"{"reads":[2,1],"version":2}"#, "the lowest and the highest"),
            (#"{"reads":[1],"version":1}"#, "the lowest and the highest"),
            (#"{"reads":[0,1],"version":1}"#, "1 to 1000000"),
            (#"{"reads":[1,2000000],"version":1}"#, "1 to 1000000"), (#"{"version":1}"#, "reads"),
            (#"{"reads":[1,1],"version":1,"writes":1}"#, "writes"), (#"{"reads":[1,"2"],"version":1}"#, "reads"),
            ("7", "state"),
        ] {
            #expect(message { try parse(text(3, state)) }.contains(reason), "\(state)")
        }
        #expect(
            message { try parse(text(3, #"{"reads":[1,1],"version":1}"#, "")) }.contains("a shared bundle has no pages")
        )
    }

    @Test(arguments: [
        ("a/", "does not begin with /"), ("/", "every package is at / already"), ("/a//b/", "empty"),
        ("/../", "\"..\""), ("/a%20b/", "contains \"%\""), ("/a?b/", "contains \"?\""), ("/a\\b/", "backslash"),
    ])
    func `a base that is no path prefix is refused`(base: String, reason: String) {
        #expect(message { try manifest(base: base) }.contains(reason))
        #expect(message { try manifest(base: base) }.contains("use the path that the build is made for"))
    }

    @Test(arguments: [
        ("/api", "https://a.example/", "a prefix begins and ends with /"),
        ("/", "https://a.example/", "a prefix begins and ends with /"),
        ("/a//b/", "https://a.example/", "no empty component"), ("/../", "https://a.example/", "no empty component"),
        ("/a%20/", "https://a.example/", "letters, digits"), ("/é/", "https://a.example/", "letters, digits"),
        ("/api/", "http://a.example/", "http is for a host on this device only"),
        ("/api/", "http://127.0.0.1.a.example/", "http is for a host on this device only"),
        ("/api/", "https://127.1/", "127.1 may be this device"),
        ("/api/", "https://2130706433/", "2130706433 may be this device"),
        ("/api/", "https://0x7f.0.0.1/", "0x7f.0.0.1 may be this device"),
        ("/api/", "https://a.example.0x1/", "may be this device"),
        ("/api/", "https://0.0.0.0/", "0.0.0.0 may be this device"),
        ("/api/", "https://localhost./", "localhost. may be this device"),
        ("/api/", "https://[::ffff:127.0.0.1]/", "may be this device"),
        ("/api/", "https://[::]/", "may be this device"),
        ("/api/", "ftp://a.example/", "it is no https URL"), ("/api/", "https://a.example", "ends with /"),
        ("/api/", "https:///", "no valid host"), ("/api/", "https://a.example:0/", "no valid host"),
        ("/api/", "https://a.example:99999/", "no valid host"), ("/api/", "https://u@a.example/", "no user name"),
        ("/api/", "https://a.example/?q/", "no ? and no #"), ("/api/", "https://a.example/../", "\"..\""),
        ("/api/", "https://a b.example/", "a space"),
    ])
    func `a service that is no safe URL prefix is refused`(prefix: String, target: String, reason: String) {
        #expect(message { try manifest(api: [prefix: target]) }.contains(reason))
    }

    @Test func `a file below a service's prefix, and a bundle with pages' fields, contradict themselves`() {
        #expect(
            message {
                try manifest(["index.html", "api/a.json"], api: ["/api/": "https://a.example/"])
            } == "the manifest of shop 1.0.0 is not valid: \"api/a.json\" lies below \"/api/\", "
                + "which leads to a service"
        )
        #expect(message { try manifest(worker: true, entry: nil) }.contains("a shared bundle has no pages"))
    }

    @Test func `a request below a prefix has its service's URL, the longest prefix first`() throws {
        let routes = try APIRoutes([
            "/api/": "https://a.example/", "/api/v2/": "https://b.example/x/", "/p/": "http://[::1]:9100/",
        ])
        #expect(routes.target(of: "/api/orders?open=%2F1") == "https://a.example/orders?open=%2F1")
        #expect(routes.target(of: "/api/v2/orders") == "https://b.example/x/orders")
        #expect(routes.target(of: "/p/") == "http://[::1]:9100/")
        for path in ["/api", "/apis/a", "/", "/x/api/"] { #expect(routes.target(of: path) == nil, "\(path)") }
    }
}
