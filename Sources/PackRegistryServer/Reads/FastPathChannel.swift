import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A connection whose reads of the view are answered directly from its bytes. The first request of another kind hands
/// the connection, with all that follows, over to the HTTP server (docs/decisions/0010).
struct FastPathChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// What the connection becomes; nil if it ends as it was.
        let next: EventLoopFuture<HTTP1Channel.Value?>
    }

    let base: HTTP1Channel
    let cache: FileCache
    let log: RequestLog
    let limiter: ConnectionLimiter
    /// Bytes are encrypted on their way, so no file goes to the socket by itself.
    let isSecure: Bool
    /// Large files are the other server's, which says where they are.
    let redirectsReads: Bool
    let budget: FileTransfer.Budget

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let promise = channel.eventLoop.makePromise(of: HTTP1Channel.Value?.self)
            // Under TLS it was asked before the handshake.
            guard isSecure || limiter.admits(channel) else {
                try channel.pipeline.syncOperations.addHandler(
                    RefusedConnection(isSecure: false) { promise.succeed(nil) })
                return Value(channel: channel, next: promise.futureResult)
            }
            let connection = FastPathHandler(
                cache: cache, log: log, limiter: limiter, isSecure: isSecure, redirectsReads: redirectsReads,
                budget: budget, promise: promise
            ) { channel in
                base.setup(channel: channel, logger: logger).flatMapThrowing { value in
                    let pipeline = channel.pipeline.syncOperations
                    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                    try pipeline.addHandler(HostCheck(), position: .after(decoder))
                    return value
                }
            }
            try channel.pipeline.syncOperations.addHandler(connection)
            return Value(channel: channel, next: promise.futureResult)
        }
    }

    func handle(value: Value, logger: Logger) async {
        let next = await withTaskCancellationHandler {
            try? await value.next.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
        guard let next else { return }
        await base.handle(value: next, logger: logger)
    }
}
