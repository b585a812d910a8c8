import Foundation
import PackWeb
import PackWebOnline
import Testing

struct SentAddressTests {
    @Test(arguments: [
        ("https://shop.package/a|b%20c.js", "https://shop.package/a%7Cb%20c.js"),
        ("https://h.example/?x={%22a%22:1}", "https://h.example/?x=%7B%22a%22:1%7D"),
        ("https://h.example/?discount=10%", "https://h.example/?discount=10%25"),
        ("https://h.example/%zz%4", "https://h.example/%25zz%254"),
        ("https://h.example/%C3%a4%25?a=%2B", "https://h.example/%C3%a4%25?a=%2B"),
        ("http://[::1]:80/[a]", "http://[::1]:80/%5Ba%5D"),
    ])
    func `what a browser sends is kept, and only what no address can hold is escaped`(sent: String, kept: String) {
        #expect(SentAddress.url(sent)?.absoluteString == kept)
    }
}
