import Crypto
import Foundation
import Logging
import NIOCore
import PackFormat
import PackJSON
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// What happens in a registry, as a receiver on a real socket gets it.
@Suite("WebhookTests") struct WebhookTests {
    private static var silent: Logger {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return logger
    }

    private static func service(_ shop: Shop, allowsInternal: Bool = true) -> WebhookService {
        WebhookService(
            shop.local.webhookQueue, allowsInternal: allowsInternal, logger: silent, clock: { shop.clock.now })
    }

    private static func request(
        _ receiver: WebhookReceiver, _ format: Webhook.Format = .json, _ kinds: Set<Webhook.Kind>? = nil
    ) -> WebhookRequest {
        WebhookRequest(
            url: "http://127.0.0.1:\(receiver.port)/hook?team=a%20b", format: format,
            kinds: kinds ?? Set(Webhook.Kind.allCases))
    }

    private static func events(_ receiver: WebhookReceiver) throws -> [String] {
        try receiver.all.map { received in
            let json = try JSONValue(parsing: received.body).object()
            return try "\(json.string("event")) \(json.string("subject"))"
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `releases, steps, the end and a rollback arrive, in order, signed, each once`(kind: RegistryKind) async throws
    {
        let shop = try await kind.shop()
        let receiver = try await WebhookReceiver()
        try await shop.publisher().publish(["1.0.0", "1.1.0"].map { try shop.page($0).zip })
        let shown = Locked<String?>(nil)
        try await kind.using(shop) { (registry) async throws in
            let created = try await registry.addWebhook(Self.request(receiver))
            shown.withLock { $0 = created.secret }
        }
        let secret = try WebhookSecret(#require(shown.withLock { $0 }))
        let service = Self.service(shop)
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        let plan = "{\"steps\": [{\"share\": 1, \"for\": \"1h\"}, {\"share\": 100}]}"
        _ = try await shop.registry.rollout(
            RolloutRequest(.plan(RolloutPlan(parsing: Array(plan.utf8), named: "plan")), of: version("1.1.0")),
            of: package(), on: channel())
        shop.clock.advance(seconds: 3601)
        _ = try await shop.registry.runRollouts()
        _ = try await shop.registry.change(.rollBack(to: nil), of: package(), on: channel())
        try await service.pass(looksAtSignatures: true)
        try await service.pass(looksAtSignatures: true)
        let name = "checkout@1.1.0 on beta"
        #expect(
            try Set(Self.events(receiver)) == [
                "release checkout on beta", "release \(name)", "advance \(name)", "complete \(name)",
                "rollback checkout on beta",
            ])
        #expect(receiver.all.count == 5 && Set(receiver.all.compactMap { $0.fields["webhook-id"] }).count == 5)
        for received in receiver.all {
            let id = try #require(received.fields["webhook-id"])
            let time = try #require(received.fields["webhook-timestamp"])
            #expect(abs((Int(time) ?? 0) - Int(shop.clock.now.timeIntervalSince1970)) <= 1)
            let code = HMAC<SHA256>.authenticationCode(
                for: Array("\(id).\(time).".utf8) + received.body, using: SymmetricKey(data: secret.bytes))
            #expect(received.fields["webhook-signature"] == "v1,\(Data(code).base64EncodedString())")
            #expect(received.target == "/hook?team=a%20b" && received.fields["content-type"] == "application/json")
            let json = try JSONValue(parsing: received.body).object()
            #expect(try json.string("id") == id && json.string("app") == "shop" && json.integer("format") == 1)
        }
        #expect(try await shop.registry.webhooks().first?.waitingCount == 0)
    }

    @Test(arguments: RegistryKind.allCases)
    func `several servers of one registry send each delivery once`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        let receiver = try await WebhookReceiver()
        let hook = try await shop.registry.addWebhook(Self.request(receiver, .json, [.test])).webhook
        for _ in 0..<40 {
            _ = try await shop.registry.testWebhook(id: hook.id)
            shop.clock.advance(seconds: 1)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { try await Self.service(shop).pass(looksAtSignatures: false) }
            }
            try await group.waitForAll()
        }
        #expect(receiver.all.count == 40)
        #expect(Set(receiver.all.compactMap { $0.fields["webhook-id"] }).count == 40)
        // A server takes one and ends before it has sent it.
        let lost = try #require(try await shop.registry.testWebhook(id: hook.id))
        let now = shop.clock.now
        let taken = try await shop.local.webhookQueue.claim(now: now, until: now.addingTimeInterval(60), limit: 8)
        #expect(taken.map(\.id) == [lost])
        try await Self.service(shop).pass(looksAtSignatures: false)
        #expect(receiver.all.count == 40, "it is another's")
        shop.clock.advance(seconds: 60)
        try await Self.service(shop).pass(looksAtSignatures: false)
        #expect(receiver.all.last?.fields["webhook-id"] == lost)
    }

    @Test func `what is not taken is tried again under the same id, survives the server's end, and dies in the end`()
        async throws
    {
        let shop = try await Shop()
        let receiver = try await WebhookReceiver()
        let hook = try await shop.registry.addWebhook(Self.request(receiver, .json, [.test])).webhook
        let delivery = try #require(try await shop.registry.testWebhook(id: hook.id))
        receiver.answer(500, 302, 503)
        try await Self.service(shop).pass(looksAtSignatures: false)
        try await Self.service(shop).pass(looksAtSignatures: false)
        #expect(receiver.all.count == 1, "not at once")
        #expect(try await shop.registry.webhooks().first?.lastError?.contains("500") == true)
        shop.clock.advance(seconds: 13)
        try await Self.service(shop).pass(looksAtSignatures: false)
        // Another process that opens the folder goes on.
        let again = try await LocalRegistry.open(shop.local.folder, clock: { shop.clock.now })
        let other = WebhookService(
            again.webhookQueue, allowsInternal: true, logger: Self.silent, clock: { shop.clock.now })
        shop.clock.advance(seconds: 73)
        try await other.pass(looksAtSignatures: false)
        shop.clock.advance(seconds: 361)
        try await other.pass(looksAtSignatures: false)
        #expect(receiver.all.map { $0.fields["webhook-id"] } == Array(repeating: delivery, count: 4))
        #expect(Set(receiver.all.map(\.body)).count == 1)
        try await other.pass(looksAtSignatures: false)
        #expect(receiver.all.count == 4, "it was taken")

        // One that never takes anything.
        _ = try await shop.registry.testWebhook(id: hook.id)
        receiver.answer(302, 400, 400, 400, 400, 400, 400, 400, 410)
        for _ in 0..<12 {
            try await other.pass(looksAtSignatures: false)
            shop.clock.advance(days: 1.5)
        }
        let dead = try await shop.registry.deadLetters()
        #expect(dead.count == 1 && dead.first?.attempts == 9 && dead.first?.error.contains("410") == true, "\(dead)")
        #expect(try await shop.registry.webhooks().first?.deadCount == 1)
        #expect(try await shop.registry.retryDeadLetters() == 1)
        try await other.pass(looksAtSignatures: false)
        #expect(try await shop.registry.deadLetters().isEmpty && receiver.all.count == 14)
    }

    @Test func `an address of this machine or its network is not sent to, by whatever name`() async throws {
        let shop = try await Shop()
        let receiver = try await WebhookReceiver()
        let hook = try await shop.registry.addWebhook(Self.request(receiver)).webhook
        let secure = try await shop.registry.addWebhook(
            WebhookRequest(url: "https://localhost:\(receiver.port)/")
        ).webhook
        for id in [hook.id, secure.id] { _ = try await shop.registry.testWebhook(id: id) }
        let service = Self.service(shop, allowsInternal: false)
        for _ in 0..<9 {
            try await service.pass(looksAtSignatures: false)
            shop.clock.advance(days: 1.5)
        }
        #expect(receiver.all.isEmpty)
        let errors = try await shop.registry.deadLetters().map(\.error)
        #expect(errors.count == 2 && errors.allSatisfy { $0.contains("--internal-webhooks") }, "\(errors)")
        let inner = [
            "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
            "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1",
            "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
            "2001:db8::1", "::7f00:1", "2001::1",
        ]
        for text in inner {
            let address = try SocketAddress(ipAddress: text, port: 443)
            #expect(InternalAddress.isOne(address), "\(text)")
        }
        for text in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101", "11.0.0.1"] {
            let address = try SocketAddress(ipAddress: text, port: 443)
            #expect(!InternalAddress.isOne(address), "\(text)")
        }
    }

    @Test func `Slack gets a text in which nothing of others is markup`() async throws {
        let shop = try await Shop()
        let receiver = try await WebhookReceiver()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        _ = try await shop.registry.addWebhook(Self.request(receiver, .slack, [.withdraw]))
        let event = WebhookEvent(
            .withdraw, time: shop.clock.now, actor: "ann", subject: "checkout@1.0.0",
            detail: "<!channel> see <http://evil.example|here> & *run*")
        let text = try JSONValue(parsing: event.body(.slack, id: "1", app: "shop")).object().string("text")
        #expect(
            text
                == "*WITHDRAWN* shop: checkout@1.0.0: &lt;!channel&gt; see &lt;http://evil.example|here&gt; &amp; ∗run∗ (by ann)"
        )
        // Kinds that were not asked for are not sent.
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        try await Self.service(shop).pass(looksAtSignatures: false)
        #expect(receiver.all.isEmpty)
    }

    @Test func `a signature that nobody renews is told once`() async throws {
        let shop = try await Shop()
        let receiver = try await WebhookReceiver()
        _ = try await shop.registry.addWebhook(Self.request(receiver, .json, [.expiry]))
        let service = Self.service(shop)
        try await service.pass(looksAtSignatures: true)
        #expect(receiver.all.isEmpty)
        shop.clock.advance(days: 6)
        for _ in 0..<2 { try await service.pass(looksAtSignatures: true) }
        #expect(try Self.events(receiver) == ["expiry the signature of timestamp"])
    }

    @Test func `only an administrator sees and changes webhooks, and no secret comes back`() async throws {
        let shop = try await Shop()
        let receiver = try await WebhookReceiver()
        let own = WebhookSecret(using: &Self.generator).text
        let added = try await shop.registry.addWebhook(
            WebhookRequest(url: "https://hooks.example.com/x", secret: own))
        #expect(added.secret == nil)
        let scope = TokenScope(actions: [.release, .publish, .observe])
        try await RegistryKind.served.using(shop, scope: scope) { (registry) async throws in
            await #expect(throws: RegistryError.self) { try await registry.webhooks() }
            await #expect(throws: RegistryError.self) { try await registry.addWebhook(Self.request(receiver)) }
            await #expect(throws: RegistryError.self) { try await registry.removeWebhook(id: added.webhook.id) }
        }
        for url in ["ftp://example.com", "https://", "https://user:pass@example.com/", "hook", "https://a b/"] {
            let error = await #expect(throws: RegistryError.self, "\(url)") {
                try await shop.registry.addWebhook(WebhookRequest(url: url))
            }
            #expect(error?.kind == .invalid)
        }
        let weak = await #expect(throws: RegistryError.self) {
            try await shop.registry.addWebhook(WebhookRequest(url: "https://example.com", secret: "hunter2"))
        }
        #expect(weak?.message.contains("hunter2") == false)
        #expect(try await !shop.registry.removeWebhook(id: "wh0"))
        #expect(try await shop.registry.removeWebhook(id: added.webhook.id))
        #expect(try await shop.registry.webhooks().isEmpty)
        let log = try await shop.registry.auditLog(limit: 10)
        #expect(log.map(\.action).filter { $0.hasPrefix("webhook") } == ["webhook remove", "webhook add"])
        #expect(!log.contains { $0.detail.contains(own) })
    }

    private static var generator: SystemRandomNumberGenerator {
        get { SystemRandomNumberGenerator() }
        set {}
    }
}
