import PackFormat
import TestSupport

/// A receiver of webhooks on a free port of the loopback, which answers what a test says.
final class WebhookReceiver: Sendable {
    struct Received: Sendable {
        /// By lower-case name.
        let fields: [String: String]
        let body: [UInt8]
        let target: String

        fileprivate init(_ request: LoopbackServer.Request) {
            fields = request.fields
            body = request.body
            target = request.target
        }
    }

    private struct State: Sendable {
        var received: [Received] = []
        var answers: [Int] = []
    }

    private let server: LoopbackServer
    private let state: Locked<State>

    var port: Int { server.port }

    /// What is answered, one after the other; then 204.
    func answer(_ statuses: Int...) { state.withLock { $0.answers = statuses } }

    var all: [Received] { state.withLock { $0.received } }

    init() async throws {
        let state = Locked(State())
        self.state = state
        server = try await LoopbackServer { request in
            state.withLock { state in
                state.received.append(Received(request))
                return .answer(state.answers.isEmpty ? 204 : state.answers.removeFirst())
            }
        }
    }
}
