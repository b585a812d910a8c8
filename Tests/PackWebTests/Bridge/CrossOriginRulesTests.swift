import Foundation
import Testing

@testable import PackWeb

@testable import PackWebOnline

/// What a browser asks of another origin's server, by sections of the Fetch standard.
struct CrossOriginRulesTests {
    private typealias Request = HookMessage.Request
    private static let own = "https://shop.package"

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func rules(_ mode: Request.Mode = .cors, _ credentials: Request.Credentials = .sameOrigin)
        -> CrossOriginRules
    {
        CrossOriginRules(origin: Self.own, mode: mode, credentials: credentials)
    }

    private func request(_ method: String, to address: String, _ headers: [(String, String)] = []) throws -> Request {
        Request(
            method: method, url: try url(address), address: address, headers: headers.map { (name: $0.0, value: $0.1) },
            mode: .cors, credentials: .sameOrigin, redirect: .follow, referrer: "", isUnread: false,
            isKeptAlive: false)
    }

    @Test(arguments: [
        ("https://shop.package/a?b#c", "https://shop.package"), ("HTTPS://Shop.Package:443/", "https://shop.package"),
        ("http://a.test:80", "http://a.test"), ("http://a.test:443/", "http://a.test:443"),
        ("https://user:word@a.test:8443/", "https://a.test:8443"), ("h5pack://shop/x", "h5pack://shop"),
    ])
    func `an origin is scheme, host and a port that is not the scheme's own`(address: String, origin: String) throws {
        #expect(CrossOriginRules.origin(of: try url(address)) == origin)
    }

    @Test func `another scheme, host or port is another origin`() throws {
        #expect(try !rules().isCross(url("https://shop.package/deep/path")))
        for address in ["http://shop.package/", "https://shop.package:444/", "https://a.shop.package/", "h5://shop/"] {
            #expect(try rules().isCross(url(address)), "\(address)")
        }
    }

    @Test func `cookies go where the credentials mode lets them (2.2.5)`() throws {
        let (own, other) = (try url(Self.own + "/x"), try url("https://api.test/x"))
        for (credentials, toOwn, toOther) in [
            (Request.Credentials.omit, false, false), (.sameOrigin, true, false), (.include, true, true),
        ] {
            #expect(rules(.cors, credentials).sendsCredentials(to: own) == toOwn, "\(credentials)")
            #expect(rules(.cors, credentials).sendsCredentials(to: other) == toOther, "\(credentials)")
        }
    }

    @Test func `an answer is read only where the server names this origin or everybody (CORS check, 4.10)`() throws {
        let other = try url("https://api.test/x")
        func isReadable(_ headers: [String: String], _ credentials: Request.Credentials = .sameOrigin) -> Bool {
            rules(.cors, credentials).fault(url: other, headers: headers) == nil
        }
        let name = "access-control-allow-origin"
        #expect(!isReadable([:]))
        #expect(isReadable([name: "*"]))
        #expect(isReadable([name: Self.own]))
        for wrong in ["https://shop.package/", "http://shop.package", "null", "https://shop.package, *", "** "] {
            #expect(!isReadable([name: wrong]), "\(wrong)")
        }
        #expect(!isReadable([name: "*"], .include))
        #expect(!isReadable([name: Self.own], .include))
        let allow = "access-control-allow-credentials"
        #expect(!isReadable([name: "*", allow: "true"], .include))
        #expect(!isReadable([name: Self.own, allow: "True"], .include))
        #expect(isReadable([name: Self.own, allow: "true"], .include))
    }

    @Test func `the own origin and opaque answers need no consent`() throws {
        #expect(try rules().fault(url: url(Self.own + "/x"), headers: [:]) == nil)
        #expect(try rules(.noCORS).fault(url: url("https://api.test/"), headers: [:]) == nil)
    }

    @Test func `of another origin's headers the page sees the safe ones and those that are exposed (2.2.2)`() throws {
        let all = [
            "content-type": "a/b", "cache-control": "x", "x-one": "1", "x-two": "2", "set-cookie": "s=1", "etag": "e",
        ]
        func seen(_ expose: String?, at address: String, _ credentials: Request.Credentials = .omit) throws -> Set<
            String
        > {
            var headers = all
            headers["access-control-expose-headers"] = expose
            let found = try rules(.cors, credentials).exposed(url: url(address), headers: headers)
            return Set(found.keys).subtracting(["access-control-expose-headers"])
        }
        let other = "https://api.test/"
        #expect(try seen(nil, at: Self.own) == Set(all.keys).subtracting(["set-cookie"]))
        #expect(try seen(nil, at: other) == ["content-type", "cache-control"])
        #expect(try seen("X-One , etag", at: other) == ["content-type", "cache-control", "x-one", "etag"])
        #expect(try seen("*", at: other) == Set(all.keys).subtracting(["set-cookie"]))
        #expect(try seen("*", at: other, .include) == ["content-type", "cache-control"])
        #expect(try seen("set-cookie", at: other) == ["content-type", "cache-control"])
    }

    @Test(
        arguments: [
            ("GET", [], nil), ("POST", [("content-type", "text/plain;charset=UTF-8")], nil),
            ("POST", [("content-type", "multipart/form-data; boundary=x")], nil),
            ("HEAD", [("accept", "a/b"), ("accept-language", "de")], nil), ("GET", [("range", "bytes=0-9")], nil),
            ("GET", [("range", "bytes=-9")], ["range"]), ("PUT", [], []), ("post", [], []),
            ("POST", [("content-type", "application/json")], ["content-type"]),
            ("GET", [("x-b", "1"), ("x-a", "2"), ("accept", "x")], ["x-a", "x-b"]),
            ("GET", [("accept", String(repeating: "a", count: 129))], ["accept"]),
        ] as [(String, [(String, String)], [String]?)])
    func `a preflight asks for what is not safe, by name and sorted (3.2.2)`(
        method: String, headers: [(String, String)], names: [String]?
    ) throws {
        #expect(try rules().preflight(for: request(method, to: "https://api.test/", headers)) == names)
        #expect(try rules().preflight(for: request(method, to: Self.own, headers)) == nil)
        #expect(try rules(.noCORS).preflight(for: request(method, to: "https://api.test/", headers)) == nil)
    }

    @Test func `a preflight's answer must allow the origin, the method and each header (4.8)`() throws {
        let asked = try request("PUT", to: "https://api.test/", [("authorization", "b"), ("x-a", "1")])
        let names = ["authorization", "x-a"]
        let good = [
            "access-control-allow-origin": Self.own, "access-control-allow-methods": "GET, PUT",
            "access-control-allow-headers": "X-A,Authorization",
        ]
        func isAllowed(
            _ status: Int = 200, _ credentials: Request.Credentials = .sameOrigin, _ change: [String: String?] = [:]
        ) -> Bool {
            let headers = good.merging(change.compactMapValues { $0 }) { $1 }.filter { change[$0.key] != .some(nil) }
            return rules(.cors, credentials)
                .preflightFault(for: asked, names: names, status: status, headers: headers) == nil
        }
        #expect(isAllowed())
        #expect(isAllowed(204))
        #expect(!isAllowed(302))
        #expect(!isAllowed(403))
        #expect(!isAllowed(200, .sameOrigin, ["access-control-allow-origin": "https://other.test"]))
        #expect(!isAllowed(200, .sameOrigin, ["access-control-allow-methods": nil]))
        #expect(!isAllowed(200, .sameOrigin, ["access-control-allow-methods": "put"]))
        #expect(isAllowed(200, .sameOrigin, ["access-control-allow-methods": "*"]))
        #expect(!isAllowed(200, .sameOrigin, ["access-control-allow-headers": "x-a"]))
        // A wildcard speaks for every header but Authorization, and for none where credentials go along.
        #expect(!isAllowed(200, .sameOrigin, ["access-control-allow-headers": "*"]))
        #expect(isAllowed(200, .sameOrigin, ["access-control-allow-headers": "*, authorization"]))
        let credentials = ["access-control-allow-credentials": "true"]
        #expect(isAllowed(200, .include, credentials))
        #expect(!isAllowed(200, .include, credentials.merging(["access-control-allow-methods": "*"]) { $1 }))
        #expect(
            !isAllowed(
                200, .include, credentials.merging(["access-control-allow-headers": "*, authorization"]) { $1 }))
    }
}
