import Testing

@testable import PackBuilder

struct ReferenceScannerTests {
    private func html(_ text: String) -> [String] {
        Array(text.utf8).withUnsafeBytes { ReferenceFormat.html.references(in: $0) }.map { "\($0.line) \($0.url)" }
    }

    private func css(_ text: String) -> [String] {
        Array(text.utf8).withUnsafeBytes { ReferenceFormat.css.references(in: $0) }.map { "\($0.line) \($0.url)" }
    }

    @Test func `every way a page loads a file is found, with its line`() {
        let page = """
            <!doctype html>
            <link rel=stylesheet href=a.css><link rel="canonical" href="https://x.example/">
            <SCRIPT src='b.js'></SCRIPT>
            <img src="c.png" srcset="d.png 1x, e.png 2x"
                 alt="x > y">
            <video poster="f.png"><source src="g.mp4"></video>
            <style>body { background: url("h.png") } @import 'i.css';</style>
            <div style="background:url(j.png)"></div>
            <a href="k.html?x=1&amp;y=2#z">k</a>
            <object data="l.svg"></object><svg><use xlink:href="m.svg#a"/></svg>
            """
        #expect(
            html(page) == [
                "2 a.css", "3 b.js", "4 c.png", "4 d.png", "4 e.png", "6 f.png", "6 g.mp4", "7 h.png", "7 i.css",
                "8 j.png", "9 k.html?x=1&y=2#z", "10 l.svg", "10 m.svg#a",
            ])
    }

    @Test func `comments, scripts and text are no references`() {
        #expect(html("<!-- <img src=a> --><script>var a = '<img src=b>'</script><p>src=c</p>") == [])
        #expect(html("<textarea><img src=a></textarea><img src=b>") == ["1 b"])
        #expect(html("<script><!-- </script><img src=b>") == ["1 b"])
    }

    @Test func `style sheets: comments and strings are passed over, escapes are undone`() {
        #expect(css("/* url(a) */ .x { content: 'url(b)'; background: URL( c.png ) }") == ["1 c.png"])
        #expect(
            css("@import \"a.css\";\n@import url(b.css) screen;\n.x{src:url('c\\'d')}") == [
                "1 a.css", "2 b.css", "3 c'd",
            ])
        #expect(css(".x{background:myurl(a)}") == [])
    }

    @Test func `broken pages never trap and always end`() {
        let page =
            "<img src=\"a\" srcset='b 1x,, c' <style>url( <!-- </ <a href=&#x110000; =x= /><base href=\"/x\"><script"
        let bytes = Array(page.utf8)
        for start in bytes.indices {
            for end in start...bytes.count {
                let part = Array(bytes[start..<end])
                _ = part.withUnsafeBytes { ReferenceFormat.html.references(in: $0) }
                _ = part.withUnsafeBytes { ReferenceFormat.css.references(in: $0) }
            }
        }
    }
}
