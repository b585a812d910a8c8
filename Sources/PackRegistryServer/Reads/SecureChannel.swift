import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A connection under TLS. The handshake selects HTTP/2, which the framework serves, or HTTP/1.1, where reads of the
/// view are answered from the connection's bytes as without TLS.
struct SecureChannel: ServerChildChannel {
    enum Agreed: Sendable {
        case http1(FastPathChannel.Value)
        case http2(HTTP2Channel.Value)
    }

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let agreed: EventLoopFuture<Agreed>
    }

    private let context: NIOSSLContext
    private let http1: FastPathChannel
    private let http2: HTTP2Channel
    private let limiter: ConnectionLimiter

    init(_ files: TLSFiles, http1: FastPathChannel, http2: HTTP2Channel, limiter: ConnectionLimiter) throws {
        var configuration = try files.configuration()
        configuration.applicationProtocols = ["h2", "http/1.1"]
        context = try NIOSSLContext(configuration: configuration)
        self.http1 = http1
        self.http2 = http2
        self.limiter = limiter
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard limiter.admits(channel) else {
                let promise = channel.eventLoop.makePromise(of: Agreed.self)
                try channel.pipeline.syncOperations.addHandler(
                    RefusedConnection(isSecure: true) { promise.fail(ChannelError.eof) })
                return Value(channel: channel, agreed: promise.futureResult)
            }
            let (http1, http2) = (http1, http2)
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Agreed> { result in
                switch result {
                case .negotiated("h2"): http2.setup(channel: channel, logger: logger).map { .http2($0) }
                case .negotiated("http/1.1"), .fallback:
                    http1.setup(channel: channel, logger: logger).map { .http1($0) }
                case .negotiated:
                    channel.close().flatMapThrowing { throw ChannelError.eof }
                }
            }
            try channel.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: context), negotiation])
            let agreed = negotiation.protocolNegotiationResult
            // A client that never ends the handshake holds nothing longer than one that never sends a header.
            let check = channel.eventLoop.scheduleTask(in: TimeAmount(limiter.limits.idleTimeout)) {
                channel.close(promise: nil)
            }
            agreed.whenComplete { _ in check.cancel() }
            return Value(channel: channel, agreed: agreed)
        }
    }

    func handle(value: Value, logger: Logger) async {
        let agreed = await withTaskCancellationHandler {
            try? await value.agreed.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
        switch agreed {
        case .http1(let connection): await http1.handle(value: connection, logger: logger)
        case .http2(let connection): await http2.handle(value: connection, logger: logger)
        case nil: break
        }
    }
}
