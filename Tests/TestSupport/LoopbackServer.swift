import NIOCore
package import NIOHTTP1
import NIOPosix
import Synchronization

/// A small HTTP server of a test: a closure gives the answers, broken ones too.
///
///     let server = try await LoopbackServer { request in .answer(200, body: Array("one".utf8)) }
///     defer { server.stop() }
package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        package let head: HTTPRequestHead
        package let body: [UInt8]

        package var method: String { head.method.rawValue }
        package var path: String { String(head.uri.prefix { $0 != "?" }) }
        package var query: String { String(head.uri.drop { $0 != "?" }.dropFirst()) }

        /// The path with the query, as it was sent.
        package var target: String { head.uri }
        /// By lower-case name; of several the last.
        package var fields: [String: String] {
            Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        }

        package func field(_ name: String) -> String? { head.headers.first(name: name) }
    }

    package enum Reply: Sendable {
        case answer(Int, fields: [(String, String)] = [], body: [UInt8] = [])
        /// The connection ends without an answer.
        case close
        /// The answer ends too early.
        case cut(Int, fields: [(String, String)], body: [UInt8], after: Int)
    }

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// The tasks that serve the open connections. Each begins with its connection: one that waited in a sequence for somebody to
    /// take it would trap where the server stops first (apple/swift-nio issue 2637).
    private final class Serving: Sendable {
        private let tasks = Mutex<[ObjectIdentifier: Task<Void, Never>]?>([:])

        func begin(_ connection: Connection, _ reply: @escaping @Sendable (Request) async -> Reply) {
            let name = ObjectIdentifier(connection.channel)
            let task = Task { await LoopbackServer.serve(connection, reply) }
            connection.channel.closeFuture.whenComplete { [self] _ in tasks.withLock { $0?[name] = nil } }
            let isOpen = tasks.withLock { tasks in
                tasks?[name] = task
                return tasks != nil
            }
            if !isOpen { task.cancel() }
        }

        func stop() {
            let left = tasks.withLock { tasks in
                defer { tasks = nil }
                return tasks ?? [:]
            }
            for task in left.values { task.cancel() }
        }
    }

    package let port: Int
    private let channel: any Channel
    private let serving: Serving

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    package init(_ reply: @escaping @Sendable (Request) async -> Reply) async throws {
        let serving = Serving()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    serving.begin(try Connection(wrappingChannelSynchronously: channel), reply)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.serving = serving
        port = channel.localAddress?.port ?? 0
    }

    deinit { stop() }

    package func stop() {
        channel.close(promise: nil)
        serving.stop()
    }

    private static func serve(_ connection: Connection, _ reply: @Sendable (Request) async -> Reply) async {
        do {
            try await connection.executeThenClose { input, output in
                var head: HTTPRequestHead?
                var body: [UInt8] = []
                for try await part in input {
                    switch part {
                    case .head(let new): (head, body) = (new, [])
                    case .body(let buffer): body += buffer.readableBytesView
                    case .end:
                        guard let request = head else { return }
                        switch await reply(Request(head: request, body: body)) {
                        case .close: return
                        case .answer(let status, let fields, let bytes):
                            let isHead = request.method == .HEAD
                            try await send(
                                status, fields, bytes, count: isHead ? 0 : bytes.count, isHead: isHead, to: output)
                        case .cut(let status, let fields, let bytes, let count):
                            try await send(status, fields, bytes, count: count, isHead: false, to: output)
                            return
                        }
                    }
                }
            }
        } catch {}
    }

    private static func send(
        _ status: Int, _ fields: [(String, String)], _ bytes: [UInt8], count: Int, isHead: Bool,
        to output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
        for (name, value) in fields { head.headers.add(name: name, value: value) }
        if !isHead || !head.headers.contains(name: "Content-Length") {
            head.headers.replaceOrAdd(name: "Content-Length", value: "\(bytes.count)")
        }
        try await output.write(.head(head))
        if count > 0 { try await output.write(.body(.byteBuffer(ByteBuffer(bytes: bytes.prefix(count))))) }
        // Without the end the connection closes in the middle of the body.
        if count >= bytes.count || isHead { try await output.write(.end(nil)) }
    }
}
