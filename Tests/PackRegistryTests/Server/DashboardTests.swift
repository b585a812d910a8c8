import Foundation
import Logging
import PackFormat
import Testing

@testable import PackDashboard
@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryServer

/// The dashboard of a real registry behind a real socket: who gets a page, and who can make it do something.
struct DashboardTests {
    /// What a browser sends when somebody opens a page.
    static let navigation = ["Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"]

    /// What a browser sends with a form of a page of `http://localhost`.
    static let form = [
        "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin",
        "Origin": "http://localhost", "Content-Type": "application/x-www-form-urlencoded",
    ]

    /// A browser that is signed in.
    struct Visitor {
        let server: RunningServer
        let cookie: String
        let secret: String

        static func enter(_ server: RunningServer, _ secret: String) async throws -> Visitor {
            let answer = try await server.ask(
                "POST", "/dashboard/sign-in", DashboardTests.form, body: Array("token=\(secret)".utf8))
            #expect(answer.status == 303 && answer["location"] == "/", "\(answer)")
            let cookie = try #require(answer["set-cookie"])
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
            return Visitor(
                server: server, cookie: String(cookie.prefix { $0 != ";" }), secret: secret)
        }

        func open(_ path: String, _ fields: [String: String] = DashboardTests.navigation) async throws -> RawAnswer {
            try await server.ask("GET", path, fields.merging(["Cookie": cookie]) { $1 })
        }

        /// Opens the page of a verb and sends its form, with changes.
        func perform(
            _ verb: DashboardVerb, _ fields: [String: String] = DashboardTests.form,
            _ change: (inout [String: String]) -> Void = { _ in }
        ) async throws -> RawAnswer {
            let page = try await open(DashboardPath.verb(verb).text)
            #expect(page.status == 200, "\(page.text)")
            // The form for signing out has the same secret.
            var values = Dictionary(
                page.text.matches(of: /type="hidden" name="([a-z]+)" value="([^"]*)"/).map {
                    (String($0.1), String($0.2))
                }, uniquingKeysWith: { $1 })
            change(&values)
            let body = values.map {
                "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }
            return try await server.ask(
                "POST", "/dashboard/do", fields.merging(["Cookie": cookie]) { $1 },
                body: Array(body.joined(separator: "&").utf8))
        }
    }

    static func with(
        _ actions: Set<TokenAction> = [.admin],
        _ body: @escaping @Sendable (Shop, Visitor) async throws -> Void
    ) async throws {
        try await ServedRegistryTests.with { (shop, server) async throws in
            _ = try await shop.publisher().publish([shop.page("1.0.0").zip])
            _ = try await shop.publisher().publish([shop.page("1.1.0").zip])
            for text in ["1.0.0", "1.1.0"] {
                _ = try await shop.registry.change(.offer(version(text), .everyone), of: package(), on: channel())
            }
            let secret = try await MetricsTests.token(shop, actions)
            try await body(shop, Visitor.enter(server, secret))
        }
    }

    @Test func `a page may do nothing in a browser but be shown`() async throws {
        try await Self.with { (shop, visitor) async throws in
            for path in ["/", "/dashboard/tokens", "/dashboard/packages/checkout/versions/1.1.0", "/dashboard/nothing"]
            {
                let page = try await visitor.open(path)
                #expect(page.status == (path.hasSuffix("nothing") ? 404 : 200))
                #expect(page["content-type"] == "text/html; charset=utf-8")
                #expect(
                    page["content-security-policy"]
                        == "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
                )
                #expect(page["x-content-type-options"] == "nosniff" && page["x-frame-options"] == "DENY")
                #expect(page["cross-origin-opener-policy"] == "same-origin" && page["cache-control"] == "no-store")
                #expect(page["referrer-policy"] == "same-origin" && page["access-control-allow-origin"] == nil)
                #expect(!page.text.contains("<script") && !page.text.contains("style="))
                #expect(page.body.count < 100_000)
            }
            let style = try await visitor.server.ask("GET", DashboardPath.style.text)
            #expect(style.status == 200 && style["content-type"] == "text/css; charset=utf-8")
            #expect(!style.text.contains("url(") && !style.text.contains("@import"))
        }
    }

    @Test(arguments: [[], [AdapterKind.codepush], [.codepush, .capgo]])
    func `the home page says what the clients of other systems cannot promise, where some are answered`(
        kinds: [AdapterKind]
    ) async throws {
        let shop = try await Shop()
        let secret = try await MetricsTests.token(shop, [.observe])
        var adapters = try AdapterSettings(channel: channel())
        adapters.kinds = Set(kinds)
        try await RunningServer.with(shop.local, adapters: adapters) { (server) async throws in
            let page = try await Visitor.enter(server, secret).open("/").text
            #expect(page.contains("No signature of a publisher reaches these devices") == !kinds.isEmpty)
            #expect(page.contains("With PackHost in the app") == !kinds.isEmpty)
            for (kind, name) in [(AdapterKind.codepush, "CodePush"), (.capgo, "Capgo"), (.ionic, "Ionic Appflow")] {
                #expect(page.contains(">\(name)</th>") == kinds.contains(kind), "\(name)")
            }
        }
    }

    @Test func `nobody sees a page without a session, and no script, frame or other site gets one with it`()
        async throws
    {
        try await Self.with { (shop, visitor) async throws in
            for path in [
                "/", "/dashboard/tokens", "/dashboard/audit",
                "/dashboard/do?verb=gate-off&package=checkout&channel=beta",
            ] {
                let page = try await visitor.server.ask("GET", path, Self.navigation)
                #expect(page.status == 401 && page.text.contains("Access token") && !page.text.contains("checkout"))
            }
            for change in [
                ["Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"], ["Sec-Fetch-Dest": "iframe"],
                ["Sec-Fetch-Dest": "object"], ["Sec-Fetch-Mode": "no-cors"],
            ] {
                let page = try await visitor.open("/dashboard/tokens", Self.navigation.merging(change) { $1 })
                #expect(page.status == 403 && !page.text.contains("monitor"), "\(change)")
            }
            #expect(try await visitor.open("/dashboard/tokens", [:]).status == 403)
            #expect(try await visitor.open("/dashboard/tokens").text.contains("monitor"))
        }
    }

    @Test func `a form works only from a page of this session and this origin`() async throws {
        try await Self.with { (shop, visitor) async throws in
            let verb = DashboardVerb.gate(try package(), try channel(), isOn: false)
            for change in [
                ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": ""],
                ["Sec-Fetch-Site": "cross-site"],
                ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Dest": "empty"], ["Sec-Fetch-Mode": "cors"],
                ["Origin": "http://localhost:99"],
            ] {
                #expect(try await visitor.perform(verb, Self.form.merging(change) { $1 }).status == 403, "\(change)")
            }
            for value in ["", "0", String(repeating: "a", count: 64)] {
                #expect(try await visitor.perform(verb) { $0["form"] = value }.status == 403)
            }
            #expect(try await visitor.perform(verb) { $0["form"] = nil }.status == 403)
            let other = try await Visitor.enter(visitor.server, visitor.secret)
            let foreign = try await other.open("/dashboard/tokens")
            let token = try #require(foreign.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)?.1)
            #expect(try await visitor.perform(verb) { $0["form"] = String(token) }.status == 403)
            #expect(try await shop.registry.channelFile(channel(), at: nil)?.packages[package()]?.isEnabled == true)
            // What has no Fetch Metadata is no browser's form.
            let bare = try await visitor.server.ask(
                "POST", "/dashboard/sign-in", ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array("token=\(visitor.secret)".utf8))
            #expect(bare.status == 403)
            let done = try await visitor.perform(verb)
            #expect(
                done.status == 303 && done["location"] == "/dashboard/channels/beta/packages/checkout", "\(done.text)")
            #expect(try await shop.registry.channelFile(channel(), at: nil)?.packages[package()]?.isEnabled == false)
            let log = try await shop.registry.auditLog(limit: 5)
            #expect(log.contains { $0.actor.hasPrefix("monitor (") })
        }
    }

    @Test func `the gate's page says which versions have no pages on the web, and so does the offer's page`()
        async throws
    {
        try await Self.with { (shop, visitor) async throws in
            let verb = DashboardVerb.gate(try package(), try channel(), isOn: false)
            let page = try await visitor.open(DashboardPath.verb(verb).text)
            #expect(page.status == 200 && page.text.contains("devices show an error page"), "\(page.text)")
            #expect(page.text.contains("lists no origins") || page.text.contains("list no origins"), "\(page.text)")
            let place = DashboardPath.offer(try channel(), try package()).text
            #expect(try await !visitor.open(place).text.contains("no origins"))
            #expect(try await visitor.perform(verb).status == 303)
            let offer = try await visitor.open(place)
            #expect(offer.text.contains("The gate is off: devices show an error page"), "\(offer.text)")
        }
    }

    @Test func `what changed since the page was opened is shown again, and not done`() async throws {
        try await Self.with { (shop, visitor) async throws in
            let verb = DashboardVerb.rollBack(try package(), try channel(), to: nil)
            let stale = try await visitor.perform(verb) { $0["seen"] = "other" }
            #expect(stale.status == 409 && stale.text.contains("It changed since you looked"))
            #expect(try await shop.releases() == ["1.1.0@100"])
            let done = try await visitor.perform(verb)
            #expect(done.status == 303)
            #expect(try await shop.releases() == ["1.0.0@100"])
            let page = try await visitor.open("/dashboard/channels/beta/packages/checkout")
            #expect(page.text.contains("Done: beta offers checkout 1.0.0 to all devices"))
            #expect(try await !visitor.open("/dashboard/channels/beta/packages/checkout").text.contains("Done: "))
        }
    }

    @Test func `what the registry refuses is shown with its reason, and without a button`() async throws {
        try await Self.with { (shop, visitor) async throws in
            try await shop.publisher().publish([shop.page("1.2.0").zip])
            _ = try await shop.registry.change(.offer(version("1.2.0")), of: package(), on: channel())
            let verb = DashboardVerb.rollBack(try package(), try channel(), to: nil)
            let first = try await visitor.open(DashboardPath.verb(verb).text)
            #expect(first.text.contains("<button") && !first.text.contains("refuses"), "\(first.text)")
            #expect(try await visitor.perform(verb).status == 303)
            #expect(try await shop.releases() == ["1.1.0@100"])
            let second = try await visitor.open(DashboardPath.verb(verb).text)
            #expect(second.text.contains("The registry refuses it: "), "\(second.text)")
            #expect(second.text.contains("was rolled back from checkout 1.2.0"), "\(second.text)")
            #expect(!second.text.contains("name=\"seen\""), "\(second.text)")
        }
    }

    @Test func `a page shows and does what its token may`() async throws {
        try await Self.with([.observe]) { (shop, visitor) async throws in
            let offer = try await visitor.open("/dashboard/channels/beta/packages/checkout")
            #expect(offer.status == 200 && !offer.text.contains("Turn the gate off"))
            #expect(!offer.text.contains("/dashboard/tokens"))
            #expect(try await visitor.open("/dashboard/tokens").status == 403)
            #expect(try await visitor.open("/dashboard/audit").status == 403)
            let verb = DashboardVerb.gate(try package(), try channel(), isOn: false)
            let refused = try await visitor.perform(verb)
            #expect(refused.status == 403 && refused.text.contains("has no right to release"))
            #expect(try await shop.registry.channelFile(channel(), at: nil)?.packages[package()]?.isEnabled == true)
        }
        try await Self.with([.publish]) { (shop, visitor) async throws in
            let channel = try await visitor.open("/dashboard/channels/beta")
            #expect(channel.status == 200 && channel.text.contains("may not observe"))
        }
    }

    @Test func `a session ends with its token, and when somebody signs out`() async throws {
        try await Self.with { (shop, visitor) async throws in
            let token = try #require(try await shop.registry.tokens().first { $0.name == "monitor" })
            let page = try await visitor.open("/dashboard/tokens")
            let value = try #require(page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)?.1)
            #expect(!page.text.contains(visitor.secret) && !visitor.cookie.contains(visitor.secret))
            let second = try await Visitor.enter(visitor.server, visitor.secret)
            let out = try await visitor.server.ask(
                "POST", "/dashboard/sign-out", Self.form.merging(["Cookie": visitor.cookie]) { $1 },
                body: Array("form=\(value)".utf8))
            #expect(out.status == 303 && out["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await visitor.open("/dashboard/tokens").status == 401)
            #expect(try await second.open("/dashboard/tokens").status == 200)
            #expect(try await shop.registry.revokeToken(id: token.id))
            #expect(try await second.open("/dashboard/tokens").status == 401)
        }
    }

    @Test func `invalid tokens are counted, as those of the API are`() async throws {
        var limits = ServerLimits()
        limits.maximumFailedTokens = 3
        try await RunningServer.with(APIAnswerTests.host(), limits: limits) { (server) async throws in
            var statuses: [Int] = []
            for _ in 0..<5 {
                statuses.append(
                    try await server.ask("POST", "/dashboard/sign-in", Self.form, body: Array("token=ptk_no".utf8))
                        .status)
            }
            #expect(statuses == [401, 401, 401, 429, 429])
        }
    }

    @Test(arguments: ["a=%", "a=%zz", "a=1&a=2", "a=%ff", String(repeating: "a=1&", count: 20_000)])
    func `a form that is not understood is refused`(body: String) async throws {
        try await RunningServer.with(APIAnswerTests.host()) { (server) async throws in
            let answer = try await server.ask("POST", "/dashboard/sign-in", Self.form, body: Array(body.utf8))
            #expect([400, 413].contains(answer.status))
        }
    }

    @Test func `a cookie over TLS is for this host only, and sessions are bounded`() {
        #expect(
            DashboardCookie(isSecure: true).setting("x")
                == "__Host-packtool=x; Path=/; HttpOnly; SameSite=Strict; Secure")
        let sessions = DashboardSessions()
        let first = sessions.begin("ptk_a")
        #expect(sessions.session(first)?.secret == "ptk_a")
        for _ in 0..<DashboardSessions.maximumCount { _ = sessions.begin("ptk_b") }
        #expect(sessions.count == DashboardSessions.maximumCount && sessions.session(first) == nil)
        let late = DashboardSessions(lifetime: .zero)
        #expect(late.session(late.begin("ptk_a")) == nil)
    }

    @Test func `a server without a dashboard has no pages`() async throws {
        let server = RegistryServer(
            host: try APIAnswerTests.host(),
            configuration: {
                var configuration = RegistryServer.Configuration(port: 0)
                configuration.hasDashboard = false
                return configuration
            }(), logger: .init(label: "test"))
        #expect(server.buildResponder().dashboard == nil)
    }
}
