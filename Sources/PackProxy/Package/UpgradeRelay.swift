import Foundation
import NIOCore
import NIOHTTP1
import PackWeb
import PackWebOnline

/// Relays a WebSocket's handshake to a service (RFC 6455 section 4.1), and joins both ends once the service has
/// agreed. It waits only for the head of the answer; frames pass unchanged.
final class UpgradeRelay: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Of an answer's head.
    private static let maximumHeadSize = 64 << 10

    private let near: any Channel
    private let services: ServiceConnector
    private let relocation: Relocation?
    /// Told once: 101, or the status that the page's connection is answered with.
    private let ended: (Int) -> Void
    private var hasEnded = false
    private var far: (any Channel)?
    private var deadline: Scheduled<Void>?
    private var answer = ByteBuffer()

    init(near: any Channel, services: ServiceConnector, relocation: Relocation?, ended: @escaping (Int) -> Void) {
        self.near = near
        self.services = services
        self.relocation = relocation
        self.ended = ended
    }

    static func isDue(_ head: HTTPRequestHead) -> Bool {
        head.version.major < 2 && head.method == .GET
            && head.headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
    }

    func begin(_ head: HTTPRequestHead, _ fields: [(name: String, value: String)], to target: String) {
        guard let place = ServicePlace(target) else {
            end(502)
            return
        }
        let request = place.handshake(fields, origin: head.headers.first(name: "host").map { "https://\($0)" })
        let bound = NIOLoopBound(self, eventLoop: near.eventLoop)
        services.connect(to: place, on: near.eventLoop) { try $0.addHandler(bound.value) }
            .whenComplete { result in
                switch result {
                case .success(let far): bound.value.ask(far, request)
                case .failure: bound.value.end(502)
                }
            }
    }

    /// A service that says nothing must not hold its connection for ever, and neither must a page that is gone.
    private func ask(_ far: any Channel, _ request: String) {
        guard !hasEnded else {
            far.close(promise: nil)
            return
        }
        self.far = far
        let time = TimeAmount.seconds(Int64(services.limits.connectTimeout))
        deadline = near.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in cancel() }
        far.writeAndFlush(ByteBuffer(string: request), promise: nil)
    }

    /// Gives the service up where it has not agreed yet.
    func cancel() {
        guard !hasEnded else { return }
        end(504)
        far?.close(promise: nil)
        far = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        answer.writeBuffer(&bytes)
        guard !hasEnded, let size = headSize else {
            if answer.readableBytes > Self.maximumHeadSize { refuse(502, context) }
            return
        }
        guard let text = answer.readString(length: size) else { return }
        let lines = text.components(separatedBy: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
            (200..<600).contains(status) || status == 101
        else {
            refuse(502, context)
            return
        }
        guard status == 101 else {
            refuse(status < 300 ? 502 : status, context)
            return
        }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let (name, value) = (line[..<colon], line[line.index(after: colon)...])
            let field = value.trimmingCharacters(in: .whitespaces)
            let isCookie = name.lowercased() == "set-cookie"
            headers.add(name: String(name), value: isCookie ? relocation?.pageCookie(field) ?? field : field)
        }
        do { try join(context, headers) } catch { refuse(502, context) }
    }

    func channelInactive(context: ChannelHandlerContext) { end(502) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { refuse(502, context) }

    private var headSize: Int? {
        let end = Array("\r\n\r\n".utf8)
        let view = answer.readableBytesView
        guard view.count >= end.count else { return nil }
        for index in view.indices.dropLast(end.count - 1)
        where view[index] == end[0] && view[index..<(index + end.count)].elementsEqual(end) {
            return index + end.count - view.startIndex
        }
        return nil
    }

    /// Takes HTTP off both ends and lets them speak to each other.
    private func join(_ context: ChannelHandlerContext, _ headers: HTTPHeaders) throws {
        guard near.isActive else { throw ChannelError.ioOnClosedChannel }
        end(101)
        let (one, other) = TunnelHandler.pair(limit: .seconds(Int64(services.limits.halfClosedTimeout)))
        let pipeline = near.pipeline.syncOperations
        // As an answer in parts: the handler that keeps answers in their order leaves only when none is open.
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        near.write(HTTPServerResponsePart.head(head), promise: nil)
        near.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        _ = pipeline.removeHandler(try pipeline.handler(type: PackageHandler.self))
        _ = pipeline.removeHandler(try pipeline.handler(type: HTTPServerProtocolErrorHandler.self))
        _ = pipeline.removeHandler(try pipeline.handler(type: NIOHTTPResponseHeadersValidator.self))
        _ = pipeline.removeHandler(try pipeline.handler(type: HTTPServerPipelineHandler.self))
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        _ = pipeline.removeHandler(try pipeline.handler(type: HTTPResponseEncoder.self))
        try pipeline.addHandler(one)
        _ = pipeline.removeHandler(decoder)
        if answer.readableBytes > 0 { near.writeAndFlush(answer, promise: nil) }
        try context.pipeline.syncOperations.addHandler(other)
        _ = context.pipeline.syncOperations.removeHandler(self)
        near.read()
    }

    private func refuse(_ status: Int, _ context: ChannelHandlerContext) {
        end(status)
        context.close(promise: nil)
    }

    private func end(_ status: Int) {
        guard !hasEnded else { return }
        hasEnded = true
        deadline?.cancel()
        ended(status)
    }
}
