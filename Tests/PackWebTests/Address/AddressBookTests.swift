import PackFormat
import Testing

@testable import PackWeb

@testable import PackWebOnline

struct AddressBookTests {
    private let book: AddressBook

    init() throws {
        book = AddressBook(
            packages: [try PackageID("checkout"), try PackageID("shop")], schemes: ["h5pack"],
            origins: [
                try PackageID("checkout"): ["https://m.example.com/checkout/", "https://pay.example.com:8443/"],
                try PackageID("shop"): ["https://m.example.com/", "https://m.example.com/checkout/shop/"],
            ])
    }

    private func site(_ url: String) -> String? {
        if case .site(let address) = book.lookup(url) { "\(address.package)\(address.path)" } else { nil }
    }

    @Test(arguments: [
        ("https://checkout.package/", "checkout/"), ("https://checkout.package", "checkout/"),
        ("HTTPS://CheckOut.PACKAGE/A?b#c", "checkout/A"), ("https://checkout.package:443/a", "checkout/a"),
        ("https://checkout.package?x=1", "checkout/"), ("https://checkout.package#x", "checkout/"),
        ("h5pack://shop/a/b", "shop/a/b"), ("H5PACK://SHOP", "shop/"),
        ("https://m.example.com/checkout/pay", "checkout/pay"), ("https://m.example.com/checkout/", "checkout/"),
        ("https://m.example.com/checkout", "shop/checkout"), ("https://m.example.com/checkouts/x", "shop/checkouts/x"),
        ("https://m.example.com/checkout/shop/x", "shop/x"), ("https://M.example.com:443/x", "shop/x"),
        ("https://pay.example.com:8443/x", "checkout/x"),
    ])
    func `a URL of ours leads to its package`(url: String, expected: String) {
        #expect(site(url) == expected)
    }

    @Test(arguments: [
        "https://evil.package.attacker.com/", "https://checkout.package.attacker.com/",
        "https://checkoutpackage/", "https://m.example.com.evil.com/checkout/", "http://m.example.com/checkout/",
        "https://m.example.com:444/checkout/", "https://pay.example.com/x", "https://user@m.example.com/checkout/",
        "https://m.example.com/checkout/../secret", "https://m.example.com/checkout/%2e%2e/secret",
        "ftp://checkout.package/", "about:blank", "data:text/html,x", "blob:https://checkout.package/1-2", "", "/",
        "checkout.package/", "https:checkout.package", "https:/checkout.package/", "https://evil.com/checkout.package/",
        "https://evil.com/?https://checkout.package/", "https://evil.com#@checkout.package/",
        "https://evil.com\\.checkout.package/", "https://checkout.package:99999/",
    ])
    func `a URL that only resembles ours is foreign`(url: String) {
        #expect(book.lookup(url) == .foreign)
    }

    @Test(arguments: [
        "https://a.b.package/", "https://unknown.package/", "https://.package/", "https://a.checkout.package/",
        "https://checkout.package./", "http://checkout.package/", "https://checkout.package:8443/",
        "https://u@checkout.package/", "https://u:p@checkout.package/", "https://evil.com@checkout.package/",
        "h5pack://unknown/", "h5pack://a.b/", "h5pack:///x", "h5pack://shop:80/", "h5pack:shop",
        "https://check%6Fut.package/", "https://-a.package/", "https://package/", "https://PACKAGE./a?b",
        "http://package/",
        "https://package:8443/", "https://u@package/",
    ])
    func `a URL that names us without a registered package is refused`(url: String) {
        guard case .refused = book.lookup(url) else {
            Issue.record("\(url) gives \(book.lookup(url))")
            return
        }
    }

    @Test func `a deep link keeps its path, query and fragment`() throws {
        let link = "https://checkout.package/pay/42?from=a%20b&x=#top?y"
        guard case .site(let address) = book.lookup(link) else {
            Issue.record("not ours")
            return
        }
        #expect(address.virtualURL == link)
        #expect(address.url(scheme: "h5pack") == "h5pack://checkout/pay/42?from=a%20b&x=#top?y")
        #expect(
            address.url(under: "https://cdn.example/site/1.0.0/")
                == "https://cdn.example/site/1.0.0/pay/42?from=a%20b&x=#top?y")
        #expect(SiteAddress(package: address.package, path: "pay").virtualURL == "https://checkout.package/pay")
    }
}
