import Foundation
import PackWeb
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Pages by a custom scheme, the older way.
struct LegacyPageTests {
    private let rewriter = HTMLRewriter(base: "https://shop.package/a/") { url in
        url.hasPrefix("https://shop.package/") ? "h5pack://shop/" + url.dropFirst(21) : nil
    }

    @Test(arguments: [
        ("<img src=\"https://shop.package/a.png\">", "<img src=\"h5pack://shop/a.png\">"),
        ("<IMG  SRC = https://shop.package/a.png alt=x/>", "<IMG  SRC=\"h5pack://shop/a.png\" alt=x/>"),
        ("<script src='//shop.package/a.js?b&amp;c'></script>", "<script src=\"h5pack://shop/a.js?b&amp;c\"></script>"),
        ("<link rel=stylesheet href=https://shop.package/s.css>", "<link rel=stylesheet href=\"h5pack://shop/s.css\">"),
        ("<base href=\"https://shop.package/\">", "<base href=\"h5pack://shop/\">"),
        (
            "<img srcset=\"https://shop.package/1.png 1x, https://other.org/2.png 2x\">",
            "<img srcset=\"h5pack://shop/1.png 1x, https://other.org/2.png 2x\">"
        ),
        (
            "<p style=\"background: url('https://shop.package/b.png')\">",
            "<p style=\"background: url('h5pack://shop/b.png')\">"
        ),
        (
            "<style>@import \"https://shop.package/c.css\"; a { b: URL(https://shop.package/d.png) } /* url(https://shop.package/) */</style>",
            "<style>@import \"h5pack://shop/c.css\"; a { b: URL(h5pack://shop/d.png) } /* url(https://shop.package/) */</style>"
        ),
        (
            "<style>a { font: 1px /\n2px x; src: url(https://shop.package/e.ttf) }</style>",
            "<style>a { font: 1px /\n2px x; src: url(h5pack://shop/e.ttf) }</style>"
        ),
        ("<form action=\"https://shop.package/q\">", "<form action=\"h5pack://shop/q\">"),
        // The value is what the engine reads: each reference is undone, once.
        ("<img src=\"https://shop.package/a?v&#x3D;3\">", "<img src=\"h5pack://shop/a?v=3\">"),
        ("<img src=\"https:&#47;&#x2F;shop.package/a?b&#38;c\">", "<img src=\"h5pack://shop/a?b&amp;c\">"),
        ("<img src='https://shop.package/a?&amp;quot;'>", "<img src=\"h5pack://shop/a?&amp;quot;\">"),
        ("<img src='https://shop.package/&quot;&apos;&lt;&gt;'>", "<img src=\"h5pack://shop/&quot;'<>\">"),
        ("<img src='https://shop.package/&#233;&#x1F600;'>", "<img src=\"h5pack://shop/é😀\">"),
        // What is not known stays: a name, a number that is no character, and what only looks like a reference.
        (
            "<img src=\"https://shop.package/&eacute;?a&b=1&copy=2\">",
            "<img src=\"h5pack://shop/&eacute;?a&amp;b=1&amp;copy=2\">"
        ),
        (
            "<img src=\"https://shop.package/&#0;&#xD800;&#99999999999;\">",
            "<img src=\"h5pack://shop/&#0;&#xD800;&#99999999999;\">"
        ),
        ("<img src=\"https://shop.package/&;&#;&#x;&\">", "<img src=\"h5pack://shop/&amp;;&#;&#x;&amp;\">"),
    ])
    func `what a page loads goes to the scheme`(html: String, expected: String) {
        #expect(rewriter.rewrite(html) == expected)
    }

    @Test(arguments: [
        "<a href=\"https://shop.package/\">x</a>", "<form method=POST action=\"https://shop.package/q\">",
        "<!-- <img src=\"https://shop.package/a.png\"> -->",
        "<script>x = '<img src=\"https://shop.package/a.png\">'</script>",
        "<textarea><img src=\"https://shop.package/a.png\"></textarea>", "<img src=\"a.png\"> https://shop.package/ <",
        "<img src=\"https://shop.package.evil.com/a.png\">", "<img src=\"data:image/png;base64,AA\">",
        "a < b > c <3 </ <!-- x",
        "<img src='https://shop.package/a.png", "<!--><p>", "<style>@import", "<p =x y= z>",
    ])
    func `everything else stays as it is, byte for byte`(html: String) {
        if html == "<img src='https://shop.package/a.png" {
            // A tag that does not end is no tag to an engine; it must only not crash.
            #expect(!rewriter.rewrite(html).isEmpty)
        } else {
            #expect(rewriter.rewrite(html) == html)
        }
    }

    @Test
    func `random pages without our host stay as they are`() {
        let pieces = [
            "<", ">", "</", "/", "=", "\"", "'", " ", "\n", "img", "src", "style", "script", "<!--", "-->", "url(", ")",
            "é", "&amp;", "&#x41;", "&", ";", "&eacute;",
            "https://other.org/", "@import", "/*", "*/", "<style>", "</style>", "srcset", ",",
        ]
        for _ in 0..<20_000 {
            let html = (0..<Int.random(in: 0...12)).compactMap { _ in pieces.randomElement() }.joined()
            #expect(rewriter.rewrite(html) == html)
        }
    }

    @Test
    func `a page that is opened by POST keeps scheme, method, fields and body, once`() throws {
        let swap = PostSwap()
        for address in ["http://h.example:8080/pay?a=1&b", "https://h.example/pay"] {
            var request = URLRequest(url: try #require(URL(string: address)))
            request.httpMethod = "POST"
            request.setValue("a/b", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data([0, 1, 255])
            let url = try #require(swap.begin(request))
            #expect(url.scheme == "post")
            let restored = try #require(swap.restore(URLRequest(url: url)))
            #expect(restored.url?.absoluteString == address)
            #expect(restored.httpMethod == "POST")
            #expect(restored.value(forHTTPHeaderField: "Content-Type") == "a/b")
            #expect(restored.httpBody == Data([0, 1, 255]))
            #expect(swap.restore(URLRequest(url: url)) == nil)
            let part = try #require(URL(string: "img.png", relativeTo: url))
            let asked = try #require(swap.restore(URLRequest(url: part.absoluteURL)))
            #expect(asked.url == URL(string: "img.png", relativeTo: restored.url)?.absoluteURL)
        }
        #expect(swap.waitingCount == 0)
    }

    @Test
    func `bodies that wait are bounded, and what is not ours is not touched`() throws {
        let swap = PostSwap(maximumByteCount: 100)
        var request = URLRequest(url: try #require(URL(string: "https://h.example/")))
        request.httpMethod = "POST"
        request.httpBody = Data(count: 60)
        let first = try #require(swap.begin(request))
        let second = try #require(swap.begin(request))
        #expect(swap.waitingCount == 1)
        #expect(swap.restore(URLRequest(url: first)) == nil)
        #expect(swap.restore(URLRequest(url: second)) != nil)
        request.httpBody = Data(count: 101)
        #expect(swap.begin(request) == nil)
        #expect(swap.restore(URLRequest(url: try #require(URL(string: "post://nobody/x")))) == nil)
        #expect(swap.restore(request) == nil)
    }
}
