import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Limits what one connection can hold: a body that arrives slowly, an answer that nobody reads, a body that
/// continues after it was refused. The framework's own idle timeout covers the time between requests.
///
/// Without these a few hundred sockets, each sending a byte every ten seconds, keep everybody else out for ever.
final class SlowConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limiter: ConnectionLimiter
    private var limits: ServerLimits { limiter.limits }
    /// Requests whose answers have not been written to their end.
    private var underWayCount = 0
    private var lastAnswer = NIODeadline.now()
    private var idleCheck: Scheduled<Void>?
    private var isReadingBody = false
    private var isClosing = false
    private var bodyStart = NIODeadline.uptimeNanoseconds(0)
    private var bodyByteCount = 0
    private var bodyCheck: Scheduled<Void>?
    private let drainCheck: DrainCheck
    private var linger: Scheduled<Void>?

    init(limiter: ConnectionLimiter) {
        self.limiter = limiter
        drainCheck = DrainCheck(limits: limiter.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // A stream of HTTP/2 is no connection.
        if context.channel.parent?.parent == nil { scheduleIdleCheck(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        cancelAll()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelAll()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            underWayCount += 1
            begin(head, context: context)
        case .body(let bytes): bodyByteCount += bytes.readableBytes
        case .end:
            isReadingBody = false
            bodyCheck?.cancel()
            bodyCheck = nil
            if isClosing, linger != nil { context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { (underWayCount, lastAnswer) = (underWayCount - 1, .now()) }
        switch unwrapOutboundIn(data) {
        case .head(var head) where isReadingBody:
            // The answer comes before the body's end, so the rest of the body is of no use to anybody.
            isClosing = true
            // HTTP/2 has no such field: there only the stream ends.
            if context.channel.parent?.parent == nil { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isClosing:
            context.write(data, promise: promise)
            closeSoon(context)
        default:
            context.write(data, promise: promise)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        drainCheck.writabilityChanged(context)
        context.fireChannelWritabilityChanged()
    }

    private func begin(_ head: HTTPRequest, context: ChannelHandlerContext) {
        let length = head.headerFields[.contentLength].flatMap { Int($0) }
        // A stream of HTTP/2 may have a body that nothing announces; where it has none, its end comes at once.
        let isStream = context.channel.parent?.parent != nil
        guard head.headerFields[.transferEncoding] != nil || (length ?? (isStream ? 1 : 0)) > 0 else { return }
        isReadingBody = true
        bodyByteCount = 0
        bodyStart = .now()
        scheduleBodyCheck(context)
        if head.headerFields[.expect]?.lowercased() == "100-continue", (length ?? 0) <= limits.maximumUploadByteCount {
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
    }

    private func scheduleBodyCheck(_ context: ChannelHandlerContext) {
        let interval = min(TimeAmount(limits.bodyGrace), TimeAmount(limits.bodyTimeout), .seconds(5))
        bodyCheck = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            self.bodyCheck = nil
            guard self.isReadingBody, !self.isClosing else { return }
            if self.isTooSlow {
                // The handler that reads the body gets the error and answers 408; if none does, the connection closes.
                self.isClosing = true
                context.fireErrorCaught(SlowBodyError())
                self.closeSoon(context)
            } else {
                self.scheduleBodyCheck(context)
            }
        }
    }

    private var isTooSlow: Bool {
        let elapsed = NIODeadline.now() - bodyStart
        if elapsed >= TimeAmount(limits.bodyTimeout) { return true }
        guard elapsed >= TimeAmount(limits.bodyGrace) else { return false }
        return bodyByteCount < limits.minimumBodyRate * Int(elapsed.nanoseconds / 1_000_000_000)
    }

    /// The framework's own idle timeout knows nothing of a crowd.
    private func scheduleIdleCheck(_ context: ChannelHandlerContext) {
        idleCheck = context.eventLoop.assumeIsolated().scheduleTask(in: limiter.idleCheckInterval) {
            if self.underWayCount <= 0, context.channel.isWritable, self.lastAnswer + self.limiter.idleTimeout <= .now()
            {
                context.close(promise: nil)
            } else {
                self.scheduleIdleCheck(context)
            }
        }
    }

    private func closeSoon(_ context: ChannelHandlerContext) {
        guard linger == nil else { return }
        linger = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.lingerTimeout)) {
            context.close(promise: nil)
        }
    }

    private func cancelAll() {
        for task in [bodyCheck, linger, idleCheck] { task?.cancel() }
        (bodyCheck, linger, idleCheck) = (nil, nil, nil)
        drainCheck.stop()
    }
}
