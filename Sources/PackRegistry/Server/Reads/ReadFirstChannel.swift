import HummingbirdCore
import Logging
import NIOCore

/// A connection on which reads of the view are answered from its bytes; the first request of another kind hands it over,
/// with all that follows, to the HTTP server (docs/decisions/0010).
struct ReadFirstChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// What the connection becomes; nil where it ends as it was.
        let next: EventLoopFuture<HTTP1Channel.Value?>
    }

    let base: HTTP1Channel
    let cache: FileCache
    let log: RequestLog
    let limits: ServerLimits
    /// Bytes are encrypted on their way, so no file goes to the socket by itself.
    let isSecure: Bool
    let budget: FileTransfer.Budget

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let promise = channel.eventLoop.makePromise(of: HTTP1Channel.Value?.self)
            let connection = ReadConnection(
                cache: cache, log: log, limits: limits, isSecure: isSecure, budget: budget, promise: promise
            ) { channel in
                base.setup(channel: channel, logger: logger)
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
