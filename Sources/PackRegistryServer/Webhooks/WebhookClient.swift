import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PackFormat
import PackRegistry

/// Sends one delivery: one request on a connection of its own, to the very address that was checked.
///
/// No redirect is followed, no proxy of the environment is asked, and of the answer only the status counts. The host's name is
/// resolved once, and the connection goes to what came of it: a name that means another address a moment later changes nothing.
struct WebhookClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let connectTimeout: TimeAmount = .seconds(5)
    private static let answerTimeout: TimeAmount = .seconds(10)
    private static let maximumHeaderByteCount = 16 << 10

    /// Whether addresses of this machine and its networks are sent to.
    let allowsInternal: Bool

    /// - Throws: ``Failure`` for any answer but 200 to 299, and where none came.
    func post(_ body: [UInt8], to text: String, fields: [(String, String)]) async throws {
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty else {
            throw Failure(description: "the URL is not valid")
        }
        let isSecure = url.scheme?.lowercased() == "https"
        guard isSecure || allowsInternal else {
            throw Failure(description: "it is not https: packtool serve --internal-webhooks allows it")
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let address = try await resolve(name, port: url.port ?? (isSecure ? 443 : 80))
        let tls = isSecure ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: Self.target(url))
        head.headers.add(name: "Host", value: url.port.map { "\(host):\($0)" } ?? host)
        head.headers.add(name: "User-Agent", value: ProductVersion.userAgent("packtool"))
        head.headers.add(name: "Content-Type", value: "application/json")
        head.headers.add(name: "Content-Length", value: "\(body.count)")
        head.headers.add(name: "Connection", value: "close")
        for (name, value) in fields { head.headers.add(name: name, value: value) }
        let status = try await send(head, body, to: address, name, tls)
        guard (200...299).contains(status) else {
            let hint = (300...399).contains(status) ? ": a webhook's redirects are not followed" : ""
            throw Failure(description: "the receiver answered \(status)\(hint)")
        }
    }

    private func resolve(_ name: String, port: Int) async throws -> SocketAddress {
        let address: SocketAddress
        do {
            address = try await BlockingWork.run { try SocketAddress.makeAddressResolvingHost(name, port: port) }
        } catch { throw Failure(description: "the host \(name) has no address") }
        guard allowsInternal || !InternalAddress.isOne(address) else {
            throw Failure(
                description:
                    "\(name) is an address of this machine or its network: packtool serve --internal-webhooks allows it"
            )
        }
        return address
    }

    private func send(
        _ head: HTTPRequestHead, _ body: [UInt8], to address: SocketAddress, _ name: String, _ tls: NIOSSLContext?
    ) async throws -> Int {
        let answer = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Int.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: answer.futureResult.eventLoop)
                .connectTimeout(Self.connectTimeout)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let tls {
                            // An address has no name to be asked for (RFC 6066 section 3).
                            let isName = ClientAddress(name) == nil
                            try pipeline.addHandler(
                                NIOSSLClientHandler(context: tls, serverHostname: isName ? name : nil))
                        }
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(StatusHandler(answer: answer))
                    }
                }.connect(to: address).get()
        } catch {
            answer.fail(error)
            throw Failure(description: "no connection: \(error)")
        }
        let timeout = channel.eventLoop.scheduleTask(in: Self.answerTimeout) {
            answer.fail(Failure(description: "no answer within 10 seconds"))
        }
        defer {
            timeout.cancel()
            channel.close(promise: nil)
        }
        let buffer = channel.allocator.buffer(bytes: body)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(buffer)), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        do {
            return try await answer.futureResult.get()
        } catch let failure as Failure { throw failure } catch {
            throw Failure(description: "no answer: \(error)")
        }
    }

    /// The path with the query, as it is sent.
    private static func target(_ url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}

/// Takes the status of an answer, and nothing of the rest.
private final class StatusHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let answer: EventLoopPromise<Int>

    init(answer: EventLoopPromise<Int>) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        // 1xx comes before the answer.
        guard head.status.code >= 200 else { return }
        answer.succeed(Int(head.status.code))
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(WebhookClient.Failure(description: "the receiver closed the connection without an answer"))
    }
}
