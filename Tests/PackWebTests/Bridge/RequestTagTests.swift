import PackWeb
import PackWebOnline
import Testing

struct RequestTagTests {
    private let id = "0123456789abcdef0123456789abcdef.42"

    @Test func `a tag is taken out and the rest of the address stays as it was`() throws {
        for (text, url) in [
            ("https://a.test/x?packtool-body=\(id)", "https://a.test/x"),
            ("https://a.test/x?q=1&packtool-body=\(id)", "https://a.test/x?q=1"),
            ("https://a.test/x?&packtool-body=\(id)#part?a&b", "https://a.test/x?#part?a&b"),
            ("h5pack://shop/%C3%BC?a=%26&packtool-body=\(id)", "h5pack://shop/%C3%BC?a=%26"),
        ] {
            let tag = try #require(RequestTag(text))
            #expect(tag.url == url)
            #expect(tag.id.description == id)
        }
    }

    @Test func `what only looks like a tag is the page's own`() {
        for text in [
            "https://a.test/", "https://a.test/?packtool-body=", "https://a.test/?packtool-body=\(id)&more=1",
            "https://a.test/?xpacktool-body=\(id)", "https://a.test/?packtool-body=\(id.dropFirst())",
            "https://a.test/?packtool-body=\(id.uppercased())", "https://a.test/packtool-body=\(id)",
            "https://a.test/?packtool-body=\(id).1", "https://a.test/#?packtool-body=\(id)",
            "https://a.test/?packtool-body=\(id)0123456789012345",
        ] {
            #expect(RequestTag(text) == nil, "\(text)")
        }
    }
}
