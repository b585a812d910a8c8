import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's end of the page hook in a preview: performs requests of pages, and says what goes online and who confirms.
///
/// A request to the preview's own address goes to the preview's port, by whichever name the page knows it: so a file of the
/// package and a path of `--proxy` are answered, and told to the overlay, once and as without the hook. Requests to other
/// origins are told, slowed and stopped here.
final class PreviewBridge: Sendable {
    /// A request of a page to another origin, whose answer it reads.
    private struct Call {
        let page: String?
        let method: String
        let url: String
        /// Whether its answer has begun.
        var isAnswered = false
    }

    /// What is read of a message of the hook.
    private struct Message: Decodable {
        let type: String
        var id: String?
        var nonce: String?
        var method: String?
        var url: String?
        var unread: Bool?
    }

    /// What is read of the reply to a `read`.
    private struct Reply: Decodable {
        struct Event: Decodable {
            struct Head: Decodable { let status: Int }
            struct Failure: Decodable {}

            var response: Head?
            var data: String?
            var end: Bool?
            var error: Failure?
        }

        var events: [Event]?
    }

    /// Beyond it requests are performed and not told.
    private static let maximumCallCount = 1000

    private let address: PreviewAddress
    private let network: PreviewNetwork
    private let log: PreviewLog?
    private let bridge: PageBridge
    private let calls = Mutex<[String: Call]>([:])

    init(_ address: PreviewAddress, console: Console, log: PreviewLog?, network: PreviewNetwork) {
        (self.address, self.network, self.log) = (address, network, log)
        let online = NetworkLoader { request in
            guard let url = request.url else { return nil }
            if let own = address.local(url) {
                var request = request
                request.url = own
                return request
            }
            console.note("online   \(request.httpMethod ?? "GET") \(url.absoluteString)")
            return network.mode == .offline ? nil : request
        }
        var configuration = PageBridge.Configuration()
        // A browser has six connections to a server: a question that waits must not hold one for long.
        configuration.patience = .seconds(1)
        configuration.confirm = { _, package, version, _ in
            console.note("confirmed  \(package) \(version)")
        }
        bridge = PageBridge(
            pages: { PageSession(address.catalog(referrer: $0.headers["referer"] ?? "")) }, online: online,
            configuration: configuration)
    }

    /// Answers a message of a page.
    /// - Parameter page: the key of the page's document, for the overlay.
    func reply(to text: String, from sender: PageBridge.Sender, page: String?) async -> String {
        let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8))
        if message?.type == "leave", let nonce = message?.nonce {
            calls.withLock { $0 = $0.filter { !$0.key.hasPrefix(nonce + ".") } }
        }
        guard let message, let id = message.id else { return await bridge.reply(to: text, from: sender) }
        switch message.type {
        case "request":
            // What the preview answers itself, it tells itself.
            if message.url.flatMap({ URL(string: $0) }).map(address.isOwn) != true {
                begin(Call(page: page, method: message.method ?? "GET", url: message.url ?? ""), id, message)
            }
        case "read":
            let reply = await bridge.reply(to: text, from: sender)
            await follow(reply, of: id)
            return reply
        case "cancel": calls.withLock { $0[id] = nil }
        default: break
        }
        return await bridge.reply(to: text, from: sender)
    }

    private func begin(_ call: Call, _ id: String, _ message: Message) {
        if network.mode == .offline {
            log?.add(.offline, call.method, call.url, status: 0, page: call.page)
        } else if message.unread == true {
            // A beacon: nobody reads its answer.
            log?.add(.online, call.method, call.url, status: 0, page: call.page)
        } else {
            calls.withLock { calls in
                if calls.count < Self.maximumCallCount { calls[id] = call }
            }
        }
    }

    /// Tells and slows a part of an answer before the page gets it.
    private func follow(_ reply: String, of id: String) async {
        guard let call = calls.withLock({ $0[id] }),
            let events = try? JSONDecoder().decode(Reply.self, from: Data(reply.utf8)).events
        else { return }
        let status = events.lazy.compactMap { $0.response?.status }.first
        let isOver = events.contains { $0.end == true || $0.error != nil }
        let isFirst = !call.isAnswered && (status != nil || isOver)
        calls.withLock { calls in
            if isOver { calls[id] = nil } else if isFirst { calls[id]?.isAnswered = true }
        }
        // Base64: four characters for three bytes.
        let byteCount = events.reduce(0) { $0 + ($1.data?.utf8.count ?? 0) } * 3 / 4
        if isFirst || byteCount > 0 { try? await network.wait(for: byteCount, isFirst: isFirst) }
        if isFirst { log?.add(.online, call.method, call.url, status: status ?? 0, page: call.page) }
    }
}
