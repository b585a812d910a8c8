import Foundation
import TestSupport
import Testing

@testable import PackWeb

@testable import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which cookies a request gets that an engine has made, where the app performs it.
struct SameSiteTests {
    private let server: EchoServer
    private let online: NetworkLoader
    private let page: PageSession

    init() throws {
        server = try EchoServer()
        let keeper = CookieKeeper(native: MemoryCookieStore())
        online = NetworkLoader(cookies: keeper)
        page = PageSession(TestCatalog())
        let address = try #require(URL(string: server.address))
        for policy in ["Strict", "Lax"] {
            keeper.store(setCookie: "\(policy.lowercased())=1; SameSite=\(policy); Path=/", from: address)
        }
    }

    /// - Returns: the cookies that the server got.
    private func cookies(_ headers: [String: String], method: String = "GET", path: String = "/cookies") async throws
        -> String
    {
        var request = URLRequest(url: try #require(URL(string: server.address + path)))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let data = try await ResourceLoad.load(request, on: page, online: online, at: .inPlace).data
        return String(decoding: data, as: UTF8.self).split(separator: "; ").sorted().joined(separator: " ")
    }

    @Test(arguments: [
        ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty", "Accept": "*/*"],
        ["Sec-Fetch-Site": "cross-site", "Accept": "text/html", "Sec-Fetch-Dest": "image"],
        ["Sec-Fetch-Site": "cross-site", "Origin": "null", "Accept": "*/*", "Sec-Fetch-Dest": "empty"],
        ["Origin": "https://evil.test", "Accept": "*/*"], ["Origin": "null", "Accept": "*/*"],
        ["Origin": "https://127.0.0.1.evil.test", "Accept": "*/*"],
    ])
    func `a foreign page that hides its referrer gets no cookie of another site's`(headers: [String: String])
        async throws
    {
        #expect(try await cookies(headers) == "")
    }

    @Test(arguments: ["iframe", "frame", "embed", "object"])
    func `a frame of a foreign page is no navigation (RFC 6265bis 5.2)`(destination: String) async throws {
        let headers = ["Sec-Fetch-Dest": destination, "Accept": "text/html"]
        #expect(try await cookies(headers.merging(["Referer": "https://evil.test/"]) { $1 }) == "")
        #expect(try await cookies(headers.merging(["Sec-Fetch-Site": "cross-site"]) { $1 }) == "")
        // Its own pages' frames have them all.
        #expect(try await cookies(headers.merging(["Sec-Fetch-Site": "same-origin"]) { $1 }) == "lax=1 strict=1")
    }

    @Test func `a link of a foreign page brings what is Lax, and a form by POST nothing`() async throws {
        let link = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document", "Accept": "text/html"]
        #expect(try await cookies(link) == "lax=1")
        #expect(try await cookies(link, method: "POST") == "")
        #expect(try await cookies(["Referer": "https://evil.test/", "Accept": "text/html"]) == "lax=1")
    }

    @Test func `what is nobody's or of the page's own site has all cookies`() async throws {
        for site in ["none", "same-origin", "same-site"] {
            let headers = ["Sec-Fetch-Site": site, "Origin": "null", "Accept": "*/*"]
            #expect(try await cookies(headers) == "lax=1 strict=1", "\(site)")
        }
        #expect(try await cookies(["Accept": "*/*"]) == "lax=1 strict=1")
        #expect(try await cookies(["Origin": server.address, "Accept": "*/*"]) == "lax=1 strict=1")
    }

    @Test(arguments: ["Origin", "Referer"])
    func `a package's page and its web site are of one site`(field: String) async throws {
        let store = try TestStore()
        let catalog = TestCatalog(try store.content("shop", "1.0.0", ["index.html": "one"]))
        let copy = server.address + "/"
        catalog.change {
            for id in $0.packages.keys {
                $0.packages[id] = WebSettings.Package(isEnabled: false, origins: [copy])
            }
        }
        for (said, expected) in [("https://shop.package", "lax=1 strict=1"), ("https://evil.test", "")] {
            var request = URLRequest(url: try #require(URL(string: "https://shop.package/cookies")))
            request.setValue(field == "Origin" ? said : said + "/", forHTTPHeaderField: field)
            request.setValue("*/*", forHTTPHeaderField: "Accept")
            let answer = try await ResourceLoad.load(request, on: PageSession(catalog), online: online, at: .inPlace)
            let got = String(decoding: answer.data, as: UTF8.self).split(separator: "; ").sorted()
            #expect(got.joined(separator: " ") == expected, "\(said)")
        }
    }
}
