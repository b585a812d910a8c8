import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PackFormat
import PackWeb
import PackWebOnline
import ServiceLifecycle
import Synchronization
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app that gets every request of its web view, as one does that registers https with the system: it answers
/// packages from the device and sends the rest on. As WebKit does to such an app, it loses every body; what the server
/// gets of one is what the hook handed over.
final class DeviceServer: Sendable {
    let port: Int
    let bridge: PageBridge
    let pages: PageDirectory
    private let transfers = RunningCount()
    private let services: ServiceGroup

    /// - Parameters:
    ///   - echoPort: where all hosts of the test's network live.
    ///   - bodyDelay: how long the engine's requests with a body take until the app hears of them.
    init(
        _ catalog: TestCatalog, echoPort: Int, cookies: CookieKeeper = CookieKeeper(native: MemoryCookieStore()),
        bodyDelay: Duration = .zero
    ) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        let online = NetworkLoader(configuration, cookies: cookies) { request in
            guard let url = request.url, let host = url.host(), host.hasSuffix(".test"),
                var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
            else { return request }
            (parts.scheme, parts.host, parts.port) = ("http", "127.0.0.1", echoPort)
            var sent = request
            sent.url = parts.url
            sent.setValue(host, forHTTPHeaderField: "X-Test-Host")
            return sent
        }
        let pages = PageDirectory(catalog)
        // A busy machine may be slow to hand a body over; whether it comes is what is tested.
        var limits = BodyStore.Limits()
        limits.patience = .seconds(60)
        limits.lifetime = .seconds(600)
        let bodies = BodyStore(limits: limits)
        var settings = PageBridge.Configuration()
        settings.cookies = cookies
        let bridge = PageBridge(
            pages: { pages.page(for: $0) }, online: online, bodies: bodies, configuration: settings)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        var logger = Logger(label: "device")
        logger.logLevel = .critical
        let application = Application(
            responder: DeviceResponder(
                pages: pages, online: online, bridge: bridge, transfers: transfers, bodyDelay: bodyDelay),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(services: [application], logger: logger)
        services = group
        Task { try await group.run() }
        var found = 0
        for await port in ports {
            found = port
            break
        }
        port = found
        self.bridge = bridge
        self.pages = pages
    }

    /// Connections that have just come must still be taken: the server framework stops the process where one is let go.
    func stop() { Task { [services] in await services.triggerGracefulShutdown() } }

    /// Requests under way.
    var runningCount: Int { transfers.count }
}

private final class RunningCount: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add(_ number: Int) { value.withLock { $0 += number } }
}

/// Lets a transfer be a few pieces ahead of whoever reads it.
private final class Room: Sendable {
    private let places = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    init(_ count: Int) {
        for _ in 0..<count { places.signal() }
    }

    func enter() { if !isOpen.withLock({ $0 }) { places.wait() } }
    func leave() { places.signal() }

    /// Nobody reads any more, and nobody waits.
    func open() {
        isOpen.withLock { $0 = true }
        places.signal()
    }
}

private struct DeviceResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let pages: PageDirectory
    let online: NetworkLoader
    let bridge: PageBridge
    let transfers: RunningCount
    let bodyDelay: Duration

    func respond(to request: Request, context: Context) async throws -> Response {
        let host = request.head.authority ?? ""
        if request.uri.path == "/-/bridge" {
            let text = String(buffer: try await request.body.collect(upTo: 4 << 20))
            let origin = request.headers[.origin] ?? "https://\(host)"
            let page = request.headers[.referer].flatMap { URL(string: $0) }
            let reply = await bridge.reply(to: text, from: PageBridge.Sender(origin: origin, page: page))
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: reply)))
        }
        guard let url = SentAddress.url("https://\(host)\(request.uri.string)") else {
            return Response(status: .badRequest)
        }
        var asked = URLRequest(url: url)
        asked.httpMethod = request.method.rawValue
        asked.httpShouldHandleCookies = false
        for field in request.headers where !Self.dropped.contains(field.name.canonicalName.lowercased()) {
            asked.addValue(field.value, forHTTPHeaderField: field.name.canonicalName)
        }
        if RequestTag.isIn(url.absoluteString) { try await Task.sleep(for: bodyDelay) }
        // The engine's own body is read and lost.
        for try await _ in request.body {}
        let (events, continuation) = AsyncStream<TransferEvent>.makeStream()
        let room = Room(8)
        let transfer = ResourceLoad(
            asked, on: pages.page(for: SiteRequest(asked)), online: online, bodies: bridge.bodies,
            redirects: .handed { $0.host()?.hasSuffix(".test") == true }, at: .serial(label: "device")
        ) { event in
            if case .data = event { room.enter() }
            continuation.yield(event)
            switch event {
            case .finished, .failed: continuation.finish()
            case .response, .data: break
            }
        }
        continuation.onTermination = { [transfers] _ in
            room.open()
            transfer.stop()
            transfers.add(-1)
        }
        transfers.add(1)
        transfer.start()
        var iterator = events.makeAsyncIterator()
        // The bench breaks the connection for this status: an engine would be told of a failure.
        guard case .response(let head) = await iterator.next() else { return Response(status: .init(code: 599)) }
        var fields = HTTPFields()
        for (name, value) in head.headers where !Self.framing.contains(name.lowercased()) {
            guard let field = HTTPField.Name(name) else { continue }
            if field == .setCookie {
                fields[values: field] = value.components(separatedBy: ", ")
            } else {
                fields[field] = value
            }
        }
        let length = head.headers.first { $0.key.lowercased() == "content-length" }.flatMap { Int($0.value) }
        let hasNone = request.method == .head || [204, 304].contains(head.status)
        if hasNone {
            fields[.contentLength] = length.map(String.init)
            return Response(status: .init(code: head.status), headers: fields)
        }
        let rest = Iterator(iterator)
        let body: @Sendable (inout any ResponseBodyWriter) async throws -> Void = { writer in
            while let event = await rest.next() {
                switch event {
                case .data(let data):
                    room.leave()
                    try await writer.write(ByteBuffer(bytes: data))
                case .failed(let error): throw error
                case .response, .finished: break
                }
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .init(code: head.status), headers: fields,
            body: length.map { ResponseBody(contentLength: $0, body) } ?? ResponseBody(body))
    }

    /// One reader at a time: the server writes an answer from one place.
    private final class Iterator: @unchecked Sendable {
        private var events: AsyncStream<TransferEvent>.Iterator
        init(_ events: AsyncStream<TransferEvent>.Iterator) { self.events = events }
        func next() async -> TransferEvent? { await events.next(isolation: nil) }
    }

    private static let dropped: Set<String> = [
        "host", "connection", "content-length", "accept-encoding", "transfer-encoding",
    ]
    private static let framing: Set<String> = ["content-length", "transfer-encoding", "content-encoding", "connection"]
}
