import NIOCore
package import NIOHTTP1
import NIOPosix

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

    package let port: Int
    private let channel: any Channel
    private let task: Task<Void, Never>

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    package init(_ reply: @escaping @Sendable (Request) async -> Reply) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        channel = server.channel
        port = server.channel.localAddress?.port ?? 0
        task = Task {
            await withDiscardingTaskGroup { group in
                do {
                    try await server.executeThenClose { connections in
                        for try await connection in connections {
                            group.addTask { await Self.serve(connection, reply) }
                        }
                    }
                } catch {}
            }
        }
    }

    deinit { stop() }

    package func stop() {
        task.cancel()
        channel.close(promise: nil)
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
