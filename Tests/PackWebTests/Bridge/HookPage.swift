import Foundation
import Synchronization
import TestSupport

@testable import PackWeb

@testable import PackWebOnline

/// A page with the hook, as the app hears it.
struct HookPage: Sendable {
    let nonce: String
    var origin = "https://shop.package"

    init(nonce: Character = "a") {
        self.nonce = String(repeating: nonce, count: 32)
    }

    static func bridge(
        bodies: BodyStore = BodyStore(), online: NetworkLoader = NetworkLoader(),
        catalog: TestCatalog = TestCatalog(), _ change: (inout PageBridge.Configuration) -> Void = { _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) -> PageBridge {
        var configuration = PageBridge.Configuration()
        change(&configuration)
        let page = PageSession(catalog)
        return PageBridge(
            pages: { _ in page }, online: online, bodies: bodies, configuration: configuration, now: now)
    }

    func id(_ number: Int) -> String { "\(nonce).\(number)" }

    func send(_ bridge: PageBridge, _ text: String) async -> String {
        await bridge.reply(
            to: text, from: PageBridge.Sender(origin: origin, page: URL(string: origin + "/pay/index.html")))
    }

    /// The code of the error that the message gets; empty where it gets none.
    func code(_ bridge: PageBridge, _ text: String) async -> String {
        struct Reply: Decodable { let error: [String: String]? }
        let reply = await send(bridge, text)
        return (try? JSONDecoder().decode(Reply.self, from: Data(reply.utf8)))?.error?["code"] ?? ""
    }

    func body(_ id: String, size: Int) -> String {
        #"{"v":1,"type":"body","id":"\#(id)","purpose":"request","body":{"kind":"bytes","size":\#(size)}}"#
    }

    func body(_ id: String, _ data: Data, purpose: String = "request") -> String {
        let base64 = data.base64EncodedString()
        return #"{"v":1,"type":"body","id":"\#(id)","purpose":"\#(purpose)","#
            + #""body":{"kind":"bytes","size":\#(data.count),"data":"\#(base64)"}}"#
    }

    func chunk(_ id: String, _ number: Int, _ data: Data) -> String {
        #"{"v":1,"type":"chunk","id":"\#(id)","number":\#(number),"data":"\#(data.base64EncodedString())"}"#
    }

    func request(_ id: String, _ url: String, method: String = "GET", _ more: [String: String] = [:]) -> String {
        var fields = [
            "v": "1", "type": #""request""#, "id": #""\#(id)""#, "method": #""\#(method)""#, "url": #""\#(url)""#,
            "headers": #"[["accept","*/*"]]"#, "mode": #""cors""#, "credentials": #""same-origin""#,
            "redirect": #""follow""#, "referrer": #""https://shop.package/pay/""#,
        ]
        fields.merge(more) { $1 }
        return "{" + fields.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
    }

    /// What the page hears of a request until its end.
    func events(
        _ bridge: PageBridge, _ id: String, afterEach: () -> Void = {}
    ) async throws -> HeardEvents {
        struct Reply: Decodable {
            let events: [HeardEvent]?
            let error: [String: String]?
        }
        var heard = HeardEvents()
        while true {
            let text = await send(bridge, #"{"v":1,"type":"read","id":"\#(id)"}"#)
            afterEach()
            let reply = try JSONDecoder().decode(Reply.self, from: Data(text.utf8))
            if let error = reply.error {
                heard.fault = error["code"]
                return heard
            }
            for event in reply.events ?? [] {
                if let response = event.response { heard.response = response }
                if let data = event.data { heard.data += data }
                if let sent = event.sent { heard.sent = sent }
                if event.end == true {
                    heard.hasEnded = true
                    return heard
                }
                if let error = event.error {
                    heard.error = error["name"]
                    return heard
                }
            }
        }
    }
}

struct HeardEvent: Decodable {
    struct Response: Decodable {
        let status: Int
        let statusText: String
        let url: String
        let redirected: Bool
        let type: String
        let headers: [[String]]
    }
    let sent: Int?
    let response: Response?
    let data: Data?
    let end: Bool?
    let error: [String: String]?
}

struct HeardEvents {
    var response: HeardEvent.Response?
    var data = Data()
    var sent: Int?
    var hasEnded = false
    var error: String?
    var fault: String?
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
