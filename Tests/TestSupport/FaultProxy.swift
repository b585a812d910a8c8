import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Stands between a client and a store and spoils what it is told to.
///
///     let proxy = try await FaultProxy(before: server.endpoint)
///     proxy.plan { request, number in number == 1 ? .loseAnswer : .none }
package final class FaultProxy: Sendable {
    package enum Fault: Sendable {
        case none
        /// The connection ends before the store hears anything.
        case drop
        /// The store does it, and its answer is lost.
        case loseAnswer
        /// The store is asked too late for the one who asked.
        case delay(Duration)
        /// The store is not asked.
        case refuse(status: Int, code: String)
        /// Half of the body of the answer.
        case cutAnswer
        /// The store gets half of the body of the request.
        case cutRequest
        /// Another byte in the body of the answer.
        case flip
        /// What the store answered to the same question the first time.
        case stale
    }

    package typealias Plan = @Sendable (_ request: LoopbackServer.Request, _ number: Int) -> Fault

    private struct State {
        var plan: Plan = { _, _ in .none }
        var count = 0
        var seen: [String] = []
        var first: [String: LoopbackServer.Reply] = [:]
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup)
        let store: String

        init(_ store: String) {
            self.store = store
        }

        deinit { client.shutdown { _ in } }

        func reply(to request: LoopbackServer.Request) async -> LoopbackServer.Reply {
            let (plan, number) = state.withLock { state in
                state.count += 1
                state.seen.append("\(request.method) \(request.path)")
                return (state.plan, state.count)
            }
            switch plan(request, number) {
            case .none: return await remember(forward(request), of: request)
            case .drop: return .close
            case .loseAnswer:
                _ = await forward(request)
                return .close
            case .delay(let time):
                try? await Task.sleep(for: time)
                return await forward(request)
            case .refuse(let status, let code):
                let body = "<Error><Code>\(code)</Code><Message>a test says so</Message></Error>"
                return .answer(status, fields: [("Content-Type", "application/xml")], body: Array(body.utf8))
            case .cutRequest:
                await sendHalf(of: request)
                return .close
            case .cutAnswer:
                guard case .answer(let status, let fields, let body) = await forward(request), body.count > 1 else {
                    return .close
                }
                return .cut(status, fields: fields, body: body, after: body.count / 2)
            case .flip:
                guard case .answer(let status, let fields, var body) = await forward(request) else { return .close }
                if !body.isEmpty { body[body.count / 2] ^= 1 }
                return .answer(status, fields: fields, body: body)
            case .stale:
                let old = state.withLock { $0.first["\(request.method) \(request.head.uri)"] }
                return if let old { old } else { await forward(request) }
            }
        }

        private func remember(
            _ reply: LoopbackServer.Reply, of request: LoopbackServer.Request
        ) -> LoopbackServer.Reply {
            let name = "\(request.method) \(request.head.uri)"
            state.withLock { $0.first[name] = $0.first[name] ?? reply }
            return reply
        }

        private func forward(_ request: LoopbackServer.Request) async -> LoopbackServer.Reply {
            var forwarded = HTTPClientRequest(url: store + request.head.uri)
            forwarded.method = request.head.method
            forwarded.headers = request.head.headers
            if !request.body.isEmpty || request.method == "PUT" {
                forwarded.body = .bytes(ByteBuffer(bytes: request.body))
                forwarded.headers.remove(name: "Content-Length")
            }
            do {
                let answer = try await client.execute(forwarded, timeout: .seconds(20))
                let body = try await answer.body.collect(upTo: 64 << 20)
                var fields = answer.headers.map { ($0.name, $0.value) }
                fields.removeAll { ["transfer-encoding", "connection"].contains($0.0.lowercased()) }
                return .answer(Int(answer.status.code), fields: fields, body: Array(body.readableBytesView))
            } catch { return .close }
        }

        /// The store waits for the other half until the connection ends.
        private func sendHalf(of request: LoopbackServer.Request) async {
            var forwarded = HTTPClientRequest(url: store + request.head.uri)
            forwarded.method = request.head.method
            forwarded.headers = request.head.headers
            forwarded.headers.remove(name: "Content-Length")
            let half = ByteBuffer(bytes: request.body.prefix(request.body.count / 2))
            let parts = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                continuation.yield(half)
                continuation.finish(throwing: CancellationError())
            }
            forwarded.body = .stream(parts, length: .known(Int64(request.body.count)))
            _ = try? await client.execute(forwarded, timeout: .seconds(5))
        }
    }

    private let shared: Shared
    private let server: LoopbackServer

    package var endpoint: String { server.endpoint }

    /// Method and path of all requests, in their order.
    package var seen: [String] { shared.state.withLock { $0.seen } }

    package init(before store: String) async throws {
        let shared = Shared(store)
        self.shared = shared
        server = try await LoopbackServer { await shared.reply(to: $0) }
    }

    /// Spoils requests at random from now on, in an order that the seed gives.
    /// - Parameter sides: each fault meets one request of so many.
    /// - Parameter delay: of those that are delayed.
    /// - Parameter answersStale: whether some answers are those of before.
    package func spoil(seed: UInt64, sides: Int, delay: Duration, answersStale: Bool = false) {
        let dice = Mutex(SeededGenerator(seed: seed))
        plan { request, _ in
            switch dice.withLock({ Int.random(in: 0..<sides, using: &$0) }) {
            case 0: .drop
            case 1: .loseAnswer
            case 2: .refuse(status: 503, code: "SlowDown")
            case 3: .refuse(status: 500, code: "InternalError")
            case 4: .cutAnswer
            case 5: .cutRequest
            case 6: .delay(delay)
            case 7: request.method == "GET" ? .flip : .none
            case 8: answersStale && request.method == "GET" ? .stale : .none
            default: .none
            }
        }
    }

    /// What to do from now on; requests are numbered from 1.
    package func plan(_ plan: @escaping Plan) {
        shared.state.withLock { state in
            state.plan = plan
            state.count = 0
            state.seen = []
        }
    }
}
