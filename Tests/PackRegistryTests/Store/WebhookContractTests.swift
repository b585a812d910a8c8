import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistrySQL

/// What every store of webhooks does, the twin in memory included.
@Suite("WebhookContractTests") struct WebhookContractTests {
    private struct Bench {
        let store: StoreBench
        let webhooks: any WebhookStore & WebhookQueue
        var now: Date { store.now }
        var ann: Identity { store.ann }

        init(_ kind: StoreKind) async throws {
            store = try await StoreBench(kind)
            if let database = store.database {
                webhooks = SQLWebhooks(database: database, app: "shop")
            } else {
                webhooks = try #require(store.store as? MemoryRegistryStore)
            }
        }

        @discardableResult
        func add(_ id: String, _ kinds: Set<Webhook.Kind> = Set(Webhook.Kind.allCases)) async throws -> Webhook {
            let webhook = Webhook(
                id: id, url: "https://hooks.example/\(id)?a=%20", format: .json, kinds: kinds, created: now,
                createdBy: ann.name)
            try await webhooks.add(webhook, Self.secret, by: ann)
            return webhook
        }

        /// Two packages that are offered: two events.
        func offerBoth() async throws {
            for package in StoreBench.packages {
                try await store.publish(package, "1.0.0")
                _ = try await store.committer.commit(
                    store.release(.offer(SemanticVersion("1.0.0")), package), as: ann)
            }
        }

        func claim(at time: Date, limit: Int = 100) async throws -> [WebhookDelivery] {
            try await webhooks.claim(now: time, until: time + 60, limit: limit)
        }

        static let secret = try! WebhookSecret("whsec_" + Data(repeating: 7, count: 32).base64EncodedString())
    }

    private static func subjects(_ deliveries: [WebhookDelivery]) throws -> [String] {
        try deliveries.map { try JSONValue(parsing: $0.body).object().string("subject") }
    }

    @Test(arguments: StoreKind.allCases)
    func `a webhook hears of what comes after it, of its kinds, once and in order`(kind: StoreKind) async throws {
        let bench = try await Bench(kind)
        try await bench.store.publish("alpha", "0.9.0")
        _ = try await bench.store.committer.commit(
            bench.store.release(.offer(SemanticVersion("0.9.0")), "alpha"), as: bench.ann)
        let webhook = try await bench.add("all")
        try await bench.add("halts", [.halt])
        #expect(try await bench.webhooks.all().map(\.id) == ["all", "halts"])
        #expect(try await bench.webhooks.all().first == webhook)
        try await bench.offerBoth()
        for _ in 0..<2 { try await bench.webhooks.collect(now: bench.now, looksAtSignatures: false) }
        #expect(try await bench.webhooks.all().map(\.waitingCount) == [2, 0])
        let claimed = try await bench.claim(at: bench.now)
        #expect(try Self.subjects(claimed) == ["alpha on beta", "beta on beta"])
        #expect(claimed.allSatisfy { $0.url == webhook.url && $0.secret == Bench.secret && $0.attempts == 0 })
        #expect(Set(claimed.map(\.id)).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `what one has claimed nobody else gets until its time is over, and what was taken is gone`(
        kind: StoreKind
    ) async throws {
        let bench = try await Bench(kind)
        try await bench.add("all")
        try await bench.offerBoth()
        try await bench.webhooks.collect(now: bench.now, looksAtSignatures: false)
        let first = try await bench.claim(at: bench.now, limit: 1)
        #expect(try Self.subjects(first) == ["alpha on beta"])
        let second = try await bench.claim(at: bench.now)
        #expect(try Self.subjects(second) == ["beta on beta"])
        #expect(try await bench.claim(at: bench.now + 59).isEmpty)
        try await bench.webhooks.settle(second[0].id, error: nil, next: nil)
        // Whoever claimed the first has ended.
        let again = try await bench.claim(at: bench.now + 60)
        #expect(again.map(\.id) == first.map(\.id))
        try await bench.webhooks.settle(again[0].id, error: nil, next: nil)
        #expect(try await bench.claim(at: bench.now + 86_400).isEmpty)
        #expect(try await bench.webhooks.all().map(\.waitingCount) == [0])
    }

    @Test(arguments: StoreKind.allCases)
    func `what fails is tried again, then is a dead letter, and may be revived`(kind: StoreKind) async throws {
        let bench = try await Bench(kind)
        try await bench.add("all")
        let id = try #require(try await bench.webhooks.test("all", by: bench.ann, now: bench.now))
        #expect(try await bench.webhooks.test("none", by: bench.ann, now: bench.now) == nil)
        #expect(try await bench.claim(at: bench.now).map(\.id) == [id])
        let long = "500 " + String(repeating: "x", count: 1_000)
        try await bench.webhooks.settle(id, error: long, next: bench.now + 10)
        #expect(try await bench.claim(at: bench.now + 9).isEmpty)
        #expect(try await bench.claim(at: bench.now + 10).map(\.attempts) == [1])
        #expect(try await bench.webhooks.deadLetters().isEmpty)
        try await bench.webhooks.settle(id, error: "gone", next: nil)
        #expect(try await bench.claim(at: bench.now + 86_400).isEmpty)
        let dead = DeadLetter(id: id, webhook: "all", kind: .test, created: bench.now, attempts: 2, error: "gone")
        #expect(try await bench.webhooks.deadLetters() == [dead])
        let told = try #require(try await bench.webhooks.all().first)
        #expect(told.waitingCount == 0 && told.deadCount == 1 && told.lastError == "gone")
        #expect(try await bench.webhooks.revive(now: bench.now + 100) == 1)
        #expect(try await bench.claim(at: bench.now + 100).map(\.attempts) == [0])
        #expect(try await bench.webhooks.deadLetters().isEmpty)
        try await bench.webhooks.settle(id, error: long, next: nil)
        #expect(try await bench.webhooks.deadLetters().map(\.error.count) == [500])
    }

    @Test(arguments: StoreKind.allCases)
    func `a webhook that is removed gets nothing more`(kind: StoreKind) async throws {
        let bench = try await Bench(kind)
        try await bench.add("one")
        try await bench.add("other")
        try await bench.offerBoth()
        try await bench.webhooks.collect(now: bench.now, looksAtSignatures: false)
        #expect(try await bench.webhooks.remove("one", by: bench.ann, now: bench.now))
        #expect(try await !bench.webhooks.remove("one", by: bench.ann, now: bench.now))
        #expect(try await bench.webhooks.all().map(\.id) == ["other"])
        let left = try await bench.claim(at: bench.now)
        #expect(left.count == 2 && left.allSatisfy { $0.url.contains("/other") })
    }

    @Test(arguments: StoreKind.allCases)
    func `a signature that ends is told once, where somebody looks`(kind: StoreKind) async throws {
        let bench = try await Bench(kind)
        try await bench.add("all", [.expiry])
        try await bench.webhooks.collect(now: bench.now, looksAtSignatures: true)
        #expect(try await bench.claim(at: bench.now).isEmpty)
        let late = bench.now + 100 * 365 * 86_400
        try await bench.webhooks.collect(now: late, looksAtSignatures: false)
        #expect(try await bench.claim(at: late).isEmpty)
        for _ in 0..<2 { try await bench.webhooks.collect(now: late, looksAtSignatures: true) }
        let told = try Self.subjects(try await bench.claim(at: late))
        #expect(
            Set(told).isSuperset(of: ["root", "targets", "snapshot", "timestamp"].map { "the signature of \($0)" }))
        #expect(Set(told).count == told.count)
    }

    @Test(arguments: StoreKind.allCases)
    func `there are no more webhooks than a registry may have`(kind: StoreKind) async throws {
        let bench = try await Bench(kind)
        for number in 0..<Webhook.maximumCount { try await bench.add("hook-\(number)") }
        let error = await #expect(throws: RegistryError.self) { try await bench.add("one-more") }
        #expect(error?.kind == .tooLarge)
        #expect(try await bench.webhooks.all().count == Webhook.maximumCount)
    }
}
