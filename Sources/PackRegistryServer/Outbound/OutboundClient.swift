import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PackFormat
import PackRegistry

/// Sends one request to somebody else's server, on a connection of its own, to the very address that was checked.
///
/// No redirect is followed and no proxy of the environment is asked. The host's name is resolved once, and the connection goes to
/// what came of it: a name that means another address a moment later changes nothing. Whoever names the URL need not be who runs
/// this server, so addresses of its own network are refused unless the operator allows them (``InternalAddress``).
struct OutboundClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Answer: Sendable {
        let status: Int
        /// Empty where nobody asked for it.
        let body: [UInt8]
    }

    private static let connectTimeout: TimeAmount = .seconds(5)
    private static let answerTimeout: TimeAmount = .seconds(10)

    /// The option of `packtool serve` with which the operator allows addresses of this machine and its networks, and plain HTTP.
    let option: String
    let allowsInternal: Bool
    /// Certificates in PEM form that are trusted besides the system's; empty: none.
    let authorities: String

    /// - Parameter limit: bytes of the answer's body that are wanted; a longer one is a failure. nil: only the status counts.
    /// - Throws: ``Failure`` where no answer came.
    func send(
        _ method: HTTPMethod, _ text: String, fields: [(String, String)] = [], body: [UInt8]? = nil, limit: Int? = nil
    ) async throws -> Answer {
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty else {
            throw Failure(description: "the URL is not valid")
        }
        let isSecure = url.scheme?.lowercased() == "https"
        guard isSecure || allowsInternal else {
            throw Failure(description: "it is not https: packtool serve \(option) allows it")
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let address = try await resolve(name, port: url.port ?? (isSecure ? 443 : 80))
        let tls = isSecure ? try tlsContext() : nil
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: Self.target(url))
        head.headers.add(name: "Host", value: url.port.map { "\(host):\($0)" } ?? host)
        head.headers.add(name: "User-Agent", value: ProductVersion.userAgent("packtool"))
        if let body { head.headers.add(name: "Content-Length", value: "\(body.count)") }
        head.headers.add(name: "Connection", value: "close")
        for (name, value) in fields { head.headers.add(name: name, value: value) }
        return try await send(head, body ?? [], to: address, name, tls, limit)
    }

    private func tlsContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        do {
            if !authorities.isEmpty {
                let certificates = try NIOSSLCertificate.fromPEMBytes(Array(authorities.utf8))
                configuration.additionalTrustRoots = [.certificates(certificates)]
            }
            return try NIOSSLContext(configuration: configuration)
        } catch { throw Failure(description: "the trusted authorities cannot be used: \(error)") }
    }

    private func resolve(_ name: String, port: Int) async throws -> SocketAddress {
        let address: SocketAddress
        do {
            address = try await BlockingWork.run { try SocketAddress.makeAddressResolvingHost(name, port: port) }
        } catch { throw Failure(description: "the host \(name) has no address") }
        guard allowsInternal || !InternalAddress.isOne(address) else {
            throw Failure(
                description: "\(name) is an address of this machine or its network: packtool serve \(option) allows it")
        }
        return address
    }

    private func send(
        _ head: HTTPRequestHead, _ body: [UInt8], to address: SocketAddress, _ name: String, _ tls: NIOSSLContext?,
        _ limit: Int?
    ) async throws -> Answer {
        let answer = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Answer.self)
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
                        try pipeline.addHandler(AnswerHandler(answer: answer, limit: limit))
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
            throw Failure(description: Self.text(error))
        }
    }

    /// BoringSSL has one name for an unknown authority and for a date that is over.
    private static func text(_ error: any Error) -> String {
        let text = "\(error)"
        guard text.contains("CERTIFICATE_VERIFY_FAILED") else { return "no answer: \(text)" }
        return "its certificate is not accepted: \(CertificateRefusal.unknownAuthority.advice)"
    }

    /// The path with the query, as it is sent.
    private static func target(_ url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}

/// Takes the status of an answer, and its body where somebody wants it.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let answer: EventLoopPromise<OutboundClient.Answer>
    private let limit: Int?
    private var status = 0
    private var body: [UInt8] = []

    init(answer: EventLoopPromise<OutboundClient.Answer>, limit: Int?) {
        self.answer = answer
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // 1xx comes before the answer.
            guard head.status.code >= 200 else { return }
            status = Int(head.status.code)
            if limit == nil { finish(context) }
        case .body(let buffer):
            guard let limit, status > 0 else { return }
            guard body.count + buffer.readableBytes <= limit else {
                answer.fail(OutboundClient.Failure(description: "the answer has more than \(limit) bytes"))
                context.close(promise: nil)
                return
            }
            body += buffer.readableBytesView
        case .end: if status > 0 { finish(context) }
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        answer.succeed(OutboundClient.Answer(status: status, body: body))
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(OutboundClient.Failure(description: "the other side closed the connection without an answer"))
    }
}
