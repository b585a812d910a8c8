import HummingbirdCore
import NIOCore
import PackFormat

/// Answers reads of the view from a connection's bytes. There is no task, parser or header table for each request,
/// only a cache lookup, and one write for all requests that arrived together.
///
/// Limits: unanswered requests stop the reading, an answer that nobody reads stops the answering, and the time from
/// the connection's start or last answer to the end of the next header is limited, however slowly the bytes arrive.
final class FastPathHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Bytes of answered requests that may stay before those of the next.
    private static let keptByteCount = 16 << 10

    private let cache: FileCache
    private let log: RequestLog
    private let limiter: ConnectionLimiter
    private let isSecure: Bool
    private let redirectsReads: Bool
    private let budget: FileTransfer.Budget
    private let next: @Sendable (any Channel) -> EventLoopFuture<HTTP1Channel.Value>
    private var promise: EventLoopPromise<HTTP1Channel.Value?>?

    private var input = ByteBuffer()
    /// A file is being read for the request at the start of the input, or sent for the one before.
    private var isWaiting = false
    private var isAnswering = false
    private var transfer: FileTransfer?
    private var isHandedOver = false
    private var isInputClosed = false
    private var isQuiescing = false
    private var hasWritten = false
    private var isReadHeld = false
    private var lastAnswer = NIODeadline.now()
    private var idleCheck: Scheduled<Void>?
    private let drainCheck: DrainCheck
    private var date = HTTPDate()

    init(
        cache: FileCache, log: RequestLog, limiter: ConnectionLimiter, isSecure: Bool, redirectsReads: Bool,
        budget: FileTransfer.Budget,
        promise: EventLoopPromise<HTTP1Channel.Value?>,
        next: @escaping @Sendable (any Channel) -> EventLoopFuture<HTTP1Channel.Value>
    ) {
        self.cache = cache
        self.log = log
        self.limiter = limiter
        self.isSecure = isSecure
        self.redirectsReads = redirectsReads
        self.budget = budget
        drainCheck = DrainCheck(limits: limiter.limits)
        self.promise = promise
        self.next = next
    }

    func handlerAdded(context: ChannelHandlerContext) {
        scheduleIdleCheck(context, in: limiter.idleCheckInterval)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isHandedOver { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        if input.readableBytes == 0 {
            input = bytes
        } else {
            // Otherwise a client that always leaves a part of its next request behind makes all that it sent stay.
            if input.readerIndex > Self.keptByteCount { input.discardReadBytes() }
            input.writeBuffer(&bytes)
        }
        answerAll(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isHandedOver { return context.fireChannelReadComplete() }
        flush(context)
    }

    func read(context: ChannelHandlerContext) {
        if !isHandedOver, input.readableBytes > 0, isWaiting || !context.channel.isWritable {
            isReadHeld = true
        } else {
            context.read()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isHandedOver { return context.fireChannelWritabilityChanged() }
        drainCheck.writabilityChanged(context)
        if context.channel.isWritable {
            // The client has read; what is left in the channel takes it some time more.
            lastAnswer = .now()
            answerAll(context)
            flush(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isHandedOver { return context.fireUserInboundEventTriggered(event) }
        switch event {
        case ChannelEvent.inputClosed:
            isInputClosed = true
            if !isWaiting, context.channel.isWritable || input.readableBytes == 0 { closeAfterWriting(context) }
        case is ChannelShouldQuiesceEvent:
            isQuiescing = true
            if !isWaiting, input.readableBytes == 0 { closeAfterWriting(context) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Requests

    /// Answers what is there, in order, while the client reads the answers.
    private func answerAll(_ context: ChannelHandlerContext) {
        guard !isAnswering else { return }
        isAnswering = true
        defer { isAnswering = false }
        while !isWaiting, !isHandedOver, input.readableBytes > 0, context.channel.isWritable {
            switch input.withUnsafeReadableBytes(ReadRequest.parse) {
            case .incomplete:
                if isInputClosed { closeAfterWriting(context) } else { resumeReading(context) }
                return
            case .other: return handOver(context)
            case .read(let request, let byteCount):
                if redirectsReads, ViewPath(request.path).map(ReadRedirects.concern) ?? true {
                    return handOver(context)
                }
                if let file = cache.known(request.path, trusting: FileCache.sharedLookAge) {
                    guard answer(request, with: file, context) else { return handOver(context) }
                    input.moveReaderIndex(forwardBy: byteCount)
                    if transfer != nil { sendPiece(context) }
                } else {
                    wait(for: request, context)
                }
            }
        }
        guard !isWaiting, !isHandedOver else { return }
        // What is left waits until the client has read: nothing more is taken in before.
        guard input.readableBytes == 0 else { return }
        // Let go of: who reads the socket, or decrypts, uses the memory again, and would else copy it before the next request.
        input = ByteBuffer()
        if isInputClosed || isQuiescing { closeAfterWriting(context) }
        resumeReading(context)
    }

    /// Reads the file that the first request asks for into the cache. What is not there, or cannot be read, is the other
    /// server's to explain.
    private func wait(for request: ReadRequest, _ context: ChannelHandlerContext) {
        let path = request.path
        guard let digest = ViewPath(path).map(\.digest) else { return handOver(context) }
        isWaiting = true
        flush(context)
        let cache = cache
        let found = context.eventLoop.makeFutureWithTask { try await cache.file(path, digest: digest) != nil }
        found.assumeIsolated().whenComplete { result in
            self.isWaiting = false
            guard context.channel.isActive, !self.isHandedOver else { return }
            if case .success(true) = result, cache.known(path) != nil {
                self.answerAll(context)
                self.flush(context)
            } else {
                self.handOver(context)
            }
        }
    }

    /// - Returns: false if the answer is an error, which is the other server's.
    private func answer(_ request: ReadRequest, with file: ServedFile, _ context: ChannelHandlerContext) -> Bool {
        let outcome: ConditionalRequest.Outcome
        if request.ifMatch == nil, request.range == nil {
            // What nearly every request is, without taking its fields apart.
            if let tag = request.ifNoneMatch {
                outcome =
                    tag == file.heads.tagText
                    ? .notModified : request.conditions.outcome(for: file.heads.tag, size: file.size)
            } else {
                outcome = .whole
            }
        } else {
            outcome = request.conditions.outcome(for: file.heads.tag, size: file.size)
        }
        var status = 200
        var byteCount = 0
        switch outcome {
        case .preconditionFailed, .unsatisfiable: return false
        case .notModified:
            status = 304
            write(file.heads.notModified, nil, context)
        case .whole:
            byteCount = request.isHead ? 0 : file.size
            guard write(file.heads.whole, request.isHead ? nil : (file, 0..<file.size), context) else { return false }
        case .part(let range):
            status = 206
            byteCount = range.bounds.count
            guard write(file.heads.part(range, of: file.size), (file, range.bounds), context) else { return false }
        }
        lastAnswer = .now()
        log.add(method: request.isHead ? "HEAD" : "GET", path: request.path, status: status, byteCount: byteCount)
        return true
    }

    @discardableResult
    private func write(
        _ head: ByteBuffer, _ body: (file: ServedFile, bounds: Range<Int>)?, _ context: ChannelHandlerContext
    ) -> Bool {
        var head = head
        switch body?.file.content {
        case .memory(let bytes)?:
            let bounds = body?.bounds ?? 0..<0
            guard var slice = bytes.getSlice(at: bytes.readerIndex + bounds.lowerBound, length: bounds.count) else {
                return false
            }
            date.writeField(to: &head)
            if slice.readableBytes <= 16 << 10 {
                head.writeBuffer(&slice)
                context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
            } else {
                context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
                context.write(wrapOutboundOut(.byteBuffer(slice)), promise: nil)
            }
        case .disk(let open)?:
            transfer = FileTransfer(of: open, in: body?.bounds ?? 0..<0, budget: budget, isSecure: isSecure)
            isWaiting = true
            date.writeField(to: &head)
            context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        case nil:
            date.writeField(to: &head)
            context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        }
        hasWritten = true
        return true
    }

    /// Writes a piece of the file under way, and the next when it has left; after the last, the next answers.
    private func sendPiece(_ context: ChannelHandlerContext) {
        do {
            let piece = try transfer?.next()
            drainCheck.fileHasLeft(piece == nil ? nil : transfer?.rest.count, context)
            guard let piece else {
                transfer = nil
                isWaiting = false
                lastAnswer = .now()
                answerAll(context)
                return flush(context)
            }
            // Not the piece, whose memory is to be free for the next.
            var handle: NIOFileHandle?
            if case .fileRegion(let region) = piece { handle = region.fileHandle }
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { [handle] result in
                try? handle?.close()
                switch result {
                // The other connections have their turn first: one that reads fast could go on for its whole file.
                case .success: context.eventLoop.assumeIsolated().execute { self.sendPiece(context) }
                case .failure: self.transfer = nil
                }
            }
            hasWritten = false
            context.writeAndFlush(wrapOutboundOut(piece), promise: written)
        } catch {
            transfer = nil
            context.close(promise: nil)
        }
    }

    // MARK: The connection

    private func flush(_ context: ChannelHandlerContext) {
        guard hasWritten else { return }
        hasWritten = false
        context.flush()
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadHeld else { return }
        isReadHeld = false
        context.read()
    }

    /// Makes the pipeline of the HTTP server, gives it what was not answered, and goes.
    private func handOver(_ context: ChannelHandlerContext) {
        guard !isHandedOver, let promise else { return }
        flush(context)
        isHandedOver = true
        self.promise = nil
        cancelChecks()
        let rest = input
        input = ByteBuffer()
        next(context.channel).assumeIsolated().whenComplete { result in
            promise.completeWith(result.map { $0 })
            guard case .success = result else { return context.close(promise: nil) }
            context.fireChannelRead(self.wrapInboundOut(rest))
            context.fireChannelReadComplete()
            if self.isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
            if self.isQuiescing { context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
            context.fireChannelWritabilityChanged()
            self.resumeReading(context)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    private func closeAfterWriting(_ context: ChannelHandlerContext) {
        hasWritten = false
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
    }

    private func scheduleIdleCheck(_ context: ChannelHandlerContext, in time: TimeAmount) {
        idleCheck = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            let left = self.lastAnswer + self.limiter.idleTimeout - .now()
            if self.isWaiting || !context.channel.isWritable {
                self.scheduleIdleCheck(context, in: self.limiter.idleCheckInterval)
            } else if left.nanoseconds > 0 {
                self.scheduleIdleCheck(context, in: min(left, self.limiter.idleCheckInterval))
            } else {
                context.close(promise: nil)
            }
        }
    }

    private func cancelChecks() {
        idleCheck?.cancel()
        idleCheck = nil
        drainCheck.stop()
    }

    private func end() {
        cancelChecks()
        promise?.succeed(nil)
        promise = nil
    }
}
