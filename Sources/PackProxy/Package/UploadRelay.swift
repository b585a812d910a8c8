import Foundation
import NIOCore
import NIOHTTP1
import PackWeb
import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Relays a request with a large body to a service, and the answer back. It reads each side no faster than the other
/// one accepts, so a body of any size needs little memory.
final class UploadRelay: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let near: any Channel
    private let services: ServiceConnector
    private let relocation: Relocation?
    /// Told of each part of the answer; nil, once, where it breaks off.
    private let relay: (HTTPClientResponsePart?) -> Void
    private var address: URL?
    private var far: (any Channel)?
    private var waiting: [HTTPClientRequestPart] = []
    private var hasEnded = false
    /// What has come of the answer.
    private(set) var status: Int?
    private(set) var byteCount = 0

    init(
        near: any Channel, services: ServiceConnector, relocation: Relocation?,
        relay: @escaping (HTTPClientResponsePart?) -> Void
    ) {
        self.near = near
        self.services = services
        self.relocation = relocation
        self.relay = relay
    }

    /// - Parameters:
    ///   - head: the web view's.
    ///   - request: to the service's address, without the body.
    /// - Returns: whether it is under way; the app may refuse it.
    func begin(_ head: HTTPRequestHead, _ request: URLRequest, by online: NetworkLoader) -> Bool {
        guard let request = online.prepared(request, relocation: relocation), let url = request.url,
            let place = ServicePlace(url.absoluteString)
        else { return false }
        address = url
        var headers: HTTPHeaders = ["host": place.authority, "connection": "close"]
        // Foundation's sign for no type is a field without a value.
        for (name, value) in request.allHTTPHeaderFields ?? [:]
        where !value.isEmpty && name.lowercased() != "content-length" { headers.add(name: name, value: value) }
        if let length = head.headers.first(name: "content-length") {
            headers.replaceOrAdd(name: "content-length", value: length)
        } else {
            headers.replaceOrAdd(name: "transfer-encoding", value: "chunked")
        }
        let method = HTTPMethod(rawValue: request.httpMethod ?? head.method.rawValue)
        waiting = [.head(HTTPRequestHead(version: .http1_1, method: method, uri: place.target, headers: headers))]
        connect(to: place)
        return true
    }

    private func connect(to place: ServicePlace) {
        // No more of the body is read than what has come, until there is somebody to send it to.
        _ = near.setOption(.autoRead, value: false)
        let bound = NIOLoopBound(self, eventLoop: near.eventLoop)
        services.connect(to: place, on: near.eventLoop) { pipeline in
            try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
            try pipeline.addHandler(bound.value)
        }
        .whenComplete { result in
            switch result {
            case .success(let channel): bound.value.connected(channel)
            case .failure: bound.value.fail()
            }
        }
    }

    private func connected(_ channel: any Channel) {
        guard !hasEnded else {
            channel.close(promise: nil)
            return
        }
        far = channel
        for part in waiting { channel.write(part, promise: nil) }
        waiting = []
        channel.flush()
        readNear(channel.isWritable)
    }

    func send(_ bytes: ByteBuffer) { send(.body(.byteBuffer(bytes))) }

    /// The body is whole.
    func finish() { send(.end(nil)) }

    private func send(_ part: HTTPClientRequestPart) {
        // An answer before the end of the body is the end of it: the rest is read and dropped.
        guard !hasEnded else { return }
        if let far { far.writeAndFlush(part, promise: nil) } else { waiting.append(part) }
    }

    /// The web view cannot take more of the answer for now.
    func pause(_ isPaused: Bool) { _ = far?.setOption(.autoRead, value: !isPaused) }

    /// The web view has gone.
    func close() {
        hasEnded = true
        far?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded else { return }
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            status = Int(head.status.code)
            relay(.head(pageHead(head)))
        case .body(let bytes):
            byteCount += bytes.readableBytes
            relay(part)
        case .end:
            end()
            relay(part)
            context.close(promise: nil)
        }
    }

    /// As the page's address would say it.
    private func pageHead(_ head: HTTPResponseHead) -> HTTPResponseHead {
        var head = head
        guard let relocation else { return head }
        head.headers = HTTPHeaders(
            head.headers.map { name, value in
                switch name.lowercased() {
                case "set-cookie": (name, relocation.pageCookie(value))
                case "location": (name, address.map { relocation.pageLocation(value, of: $0) } ?? value)
                default: (name, value)
                }
            })
        return head
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !hasEnded { readNear(context.channel.isWritable) }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) { fail() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail()
        context.close(promise: nil)
    }

    private func end() {
        hasEnded = true
        readNear(true)
    }

    /// A stream of HTTP/2 that may be read again is read only when somebody says so.
    private func readNear(_ isOn: Bool) {
        _ = near.setOption(.autoRead, value: isOn)
        if isOn { near.read() }
    }

    private func fail() {
        guard !hasEnded else { return }
        end()
        relay(nil)
    }
}
