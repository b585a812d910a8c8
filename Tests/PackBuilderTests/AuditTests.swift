import Foundation
import PackFormat
import Testing

@testable import PackBuilder

struct AuditTests {
    /// Builds a dist and gives its findings as `file:line kind`.
    private func findings(
        _ files: [String: String], configuration: String? = nil, isStrict: Bool = false
    ) throws -> [String] {
        let project = try Project(Dictionary(uniqueKeysWithValues: files.map { ("dist/\($0.key)", $0.value) }))
        if let configuration { try project.write(configuration, to: "packtool.json") }
        let found: [Finding]
        do {
            found = try project.build("dist") { $0.isStrict = isStrict }.findings
        } catch BuildError.refused(let findings) {
            found = findings
        }
        // Few of these sites confirm; ContentAuditTests have that one.
        return found.filter { $0.kind != .noConfirm }.map { finding in
            let file = (finding.file ?? "").split(separator: "/dist/").last.map(String.init) ?? ""
            return "\(file):\(finding.line ?? 0) \(finding.severity.rawValue) \(finding.kind.rawValue)"
        }
    }

    @Test func `references that work are no findings`() throws {
        let page = """
            <link rel="stylesheet" href="/css/a.css"><img src="img/b%20c.png?v=1#x"><a href="about">about</a>
            <a href="#top">top</a><a href="mailto:a@b.c">mail</a><a href="https://example.com/">out</a>
            <img src="data:image/png;base64,xx"><a href="">self</a><a href="/">home</a><a href="sub/">sub</a>
            <link rel="canonical" href="https://example.com/x"><script src="{{ url }}"></script><a href="tel:1">t</a>
            """
        #expect(
            try findings([
                "index.html": page, "about.html": "", "sub/index.html": "<a href='../about.html'>a</a>",
                "css/a.css": "@import './b.css'; .x { background: url(../img/b%20c.png) }", "css/b.css": "",
                "img/b c.png": "",
            ]) == [])
    }

    @Test func `a reference to a file that is not there has its file and line`() throws {
        #expect(
            try findings([
                "index.html": "<p>\n<img src='none.png'>\n<a href='gone.html'>", "a.css": "\n\n.x{src:url(f.woff2)}",
            ]) == [
                "a.css:3 warning missing-file", "index.html:2 warning missing-file",
                "index.html:3 warning missing-file",
            ])
    }

    @Test func `what a page loads from the network is a finding, what a person may open is not`() throws {
        #expect(
            try findings([
                "index.html": """
                <script src="https://cdn.example.com/a.js"></script>
                <link rel=stylesheet href="//cdn.example.com/a.css"><a href="https://example.com">x</a>
                <img src="HTTP://example.com/a.png">
                """
            ]) == ["index.html:1 warning online", "index.html:2 warning online", "index.html:3 warning online"])
    }

    @Test func `a URL under an own origin is the package's own file`() throws {
        let page =
            "<script src='https://m.example.com/shop/a.js'></script><img src='https://m.example.com/shop/no.png'>"
        #expect(
            try findings(
                ["index.html": page, "a.js": ""], configuration: #"{"origins": ["https://m.example.com/shop/"]}"#)
                == ["index.html:1 warning missing-file"])
    }

    @Test func `below the base a reference finds the package's file, and below a service it needs none`() throws {
        let page = "<script src='/static-files/a.js'></script><img src='/static-files/no.png'><img src='/api/me.png'>"
        #expect(
            try findings(
                ["index.html": page, "a.js": ""],
                configuration: #"{"base": "/static-files/", "api": {"/api/": "https://api.example.com/"}}"#)
                == ["index.html:1 warning missing-file"])
    }

    @Test(arguments: [
        "/static-files/js/a.js", "static-files/js/a.js", "./static-files/js/a.js?v=1", "/p/static-files/js/a.js",
    ])
    func `a base that the entry page tells is guessed`(source: String) throws {
        let page = "<script src='\(source)'></script>"
        #expect(try findings(["index.html": page, "js/a.js": ""]) == [])
    }

    @Test(arguments: [
        "https:/static-files/js/a.js", "../static-files/js/a.js", "static-files/js/b.js", "js/../js/c.js",
    ])
    func `what tells no base is missing`(source: String) throws {
        let page = "<script src='\(source)'></script>"
        #expect(try findings(["index.html": page, "js/a.js": ""]) != [])
    }

    @Test func `a name that differs in case or Unicode form is found under its own kind`() throws {
        #expect(
            try findings([
                "index.html": "<img src='Logo.PNG'><img src='u\u{308}.png'>", "logo.png": "", "ü.png": "",
            ]) == ["index.html:1 warning name-differs", "index.html:1 warning name-differs"])
    }

    @Test func `a reference out of the package, and one relative to a base, are judged so`() throws {
        #expect(
            try findings([
                "index.html": "<img src='../a.png'>", "b.html": "<base href='/x/'><img src='c.png'>", "x/c.png": "",
            ]) == ["index.html:1 warning outside"])
        #expect(
            try findings(["index.html": "<base href='https://cdn.example.com/x/'><a href='c'>"])
                == ["index.html:1 warning online"])
    }

    @Test func `links of a single-page application need no file, resources do`() throws {
        #expect(
            try findings(
                ["index.html": "<a href='/orders/7'>o</a><img src='/orders/7'>"], configuration: #"{"spa": true}"#)
                == ["index.html:1 warning missing-file"])
    }

    @Test func `strict makes warnings errors, and nothing is written`() throws {
        #expect(
            try findings(["index.html": "<img src='none.png'>"], isStrict: true)
                == ["index.html:1 error missing-file"])
        let project = try Project(["dist/index.html": "<img src='none.png'>"])
        #expect(throws: BuildError.self) { try project.build("dist") { $0.isStrict = true } }
        #expect(try !project.listing().contains("packages"))
    }
}
