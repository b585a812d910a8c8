import Foundation
import Testing

@testable import PackWeb

@testable import PackWebOnline

/// What a service says of its own address, as the page's.
struct RelocationTests {
    @Test(arguments: [
        (
            "https://shop.package/api/a", "https://api.test/v1/a", "https://api.test/v1/b?x#y",
            "https://shop.package/api/b?x#y"
        ),
        ("https://shop.package/api/a", "https://api.test/api/a", "https://api.test/home", "https://shop.package/home"),
        ("https://shop.package/a", "https://api.test/copy/a", "https://api.test/copy/", "https://shop.package/"),
        ("https://shop.package/a", "https://api.test/copy/a", "https://api.test/home", "https://shop.package/home"),
        ("h5pack://shop/papi/x", "http://127.0.0.1:8080/api/x", "http://127.0.0.1:8080/api/y", "h5pack://shop/papi/y"),
        ("https://shop.package/api/", "https://api.test/", "https://api.test:443/x", "https://shop.package/api/x"),
    ])
    func `an address of the service is one of the page`(page: String, real: String, given: String, expected: String)
        throws
    {
        let relocation = try #require(Relocation(page: page, real: real))
        #expect(relocation.pageAddress(of: try #require(URL(string: given)))?.absoluteString == expected)
    }

    @Test func `another server's address stays its own`() throws {
        let relocation = try #require(Relocation(page: "https://shop.package/api/a", real: "https://api.test/api/a"))
        for other in ["https://api.test:8443/a", "http://api.test/a", "https://evil.test/api/a"] {
            #expect(relocation.pageAddress(of: try #require(URL(string: other))) == nil)
        }
        #expect(Relocation(page: "https://shop.test/a", real: "https://shop.test/a") == nil)
    }

    @Test(arguments: [
        (
            "a=1; Domain=api.test; Path=/v1/x; Secure; HttpOnly; SameSite=Strict",
            "a=1; Path=/api/x; Secure; HttpOnly; SameSite=Strict"
        ),
        ("a=1; Domain=.test", "a=1"), ("a=1; domain=evil.test", "a=1; domain=evil.test"),
        ("a=1; path=/v1", "a=1; Path=/api"),
        ("a=1; Path=/", "a=1; Path=/"), ("a=b=c; Max-Age=5", "a=b=c; Max-Age=5"), ("a=1", "a=1"), ("", ""),
    ])
    func `a cookie of the service is one of the page, with all that guards it`(field: String, expected: String) throws {
        let relocation = try #require(Relocation(page: "https://shop.package/api/a", real: "https://api.test/v1/a"))
        #expect(relocation.pageCookie(field) == expected)
    }
}
