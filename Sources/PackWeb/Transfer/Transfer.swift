import PackFormat

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// One request under way, from the device or from the network, as every adapter relays it.
///
///     let transfer = Transfer(request, on: page, online: session, at: .main) { event in … }
///     transfer.start()
///     transfer.stop()  // from then on, no event
///
/// A file is read in chunks, the next one only when the last has been handed over, so a large file takes constant
/// memory however slow the client is.
public final class Transfer: Sendable {
    private struct State: Sendable {
        var cancel: (@Sendable () -> Void)?
        var hasStarted = false
        var answer: SiteAnswer?
        /// Which hop of redirects is heard; events of an earlier one are dropped.
        var hop = 0
        var status: Int?
        var byteCount = 0
    }

    private let request: URLRequest
    private let page: PageSession
    private let online: OnlineSession
    private let place: CallbackPlace
    private let bodies: BodyStore?
    private let redirect: @Sendable (URLRequest) -> Bool
    private let sent: @Sendable (Int) -> Void
    private let gate: TransferGate
    private let state: Locked<State>

    /// - Parameters:
    ///   - bodies: where the body of a request with a ``RequestTag`` waits; without it such a request fails.
    ///   - place: where `sink` is called.
    ///   - sink: gets one response, any data, and one end; nothing after ``stop()``.
    public convenience init(
        _ request: URLRequest, on page: PageSession, online: OnlineSession, bodies: BodyStore? = nil,
        at place: CallbackPlace, sink: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.init(request, on: page, online: online, bodies: bodies, at: place, redirect: { _ in true }, sink: sink)
    }

    /// - Parameters:
    ///   - redirect: asked with each hop; false makes the redirect itself the answer.
    ///   - sent: gets how many bytes of the body have gone out, now and then.
    init(
        _ request: URLRequest, on page: PageSession, online: OnlineSession, bodies: BodyStore? = nil,
        at place: CallbackPlace, redirect: @escaping @Sendable (URLRequest) -> Bool,
        sent: @escaping @Sendable (Int) -> Void = { _ in }, sink: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.bodies = bodies
        self.redirect = redirect
        self.sent = sent
        let state = Locked(State())
        self.request = request
        self.page = page
        self.online = online
        self.place = place
        self.state = state
        gate = TransferGate { event in
            state.withLock { state in
                switch event {
                case .response(let head): state.status = head.status
                case .data(let data): state.byteCount += data.count
                case .finished, .failed: break
                }
            }
            sink(event)
        }
    }

    /// Decides and begins; a second call does nothing.
    public func start() {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst else { return }
        guard let tag = request.url.flatMap({ RequestTag($0.absoluteString) }) else {
            run(SiteRequest(request), request)
            return
        }
        let task = Task { await self.restore(tag) }
        state.withLock { $0.cancel = { task.cancel() } }
    }

    /// Waits for the body that the page hands over, and goes on with the address that the page meant.
    private func restore(_ tag: RequestTag) async {
        var restored = request
        guard let url = URL(string: tag.url) else {
            deliver(.failed(URLError(.badURL)))
            return
        }
        restored.url = url
        // The browser's own question before the request has the address and no body.
        let isPreflight =
            request.httpMethod == "OPTIONS" && request.value(forHTTPHeaderField: "Access-Control-Request-Method") != nil
        if !isPreflight {
            guard let (handed, data) = await bodies?.take(tag.id) else {
                deliver(.failed(WebError.bodyLost(method: request.httpMethod ?? "GET", url: tag.url)))
                return
            }
            let body = RestoredBody(handed, data: data, contentType: request.value(forHTTPHeaderField: "Content-Type"))
            // The engine's own, if it gave one, is what its other process let through of it.
            restored.httpBodyStream = nil
            restored.httpBody = body.data
            if let type = body.contentType { restored.setValue(type, forHTTPHeaderField: "Content-Type") }
        }
        let request = restored
        place.perform { if self.gate.isOpen { self.run(SiteRequest(request), request) } }
    }

    /// Ends the request: when this returns, no event is under way and none will come.
    public func stop() {
        guard gate.stop() else { return }
        state.withLock { $0.cancel }?()
        close()
    }

    private func run(_ siteRequest: SiteRequest, _ request: URLRequest) {
        let answer = page.answer(siteRequest)
        state.withLock { $0.answer = answer }
        switch answer.way {
        case .local(let response):
            let task = Task { await self.send(response) }
            state.withLock { $0.cancel = { task.cancel() } }
        case .online(let url):
            do {
                try send(Self.onlineRequest(request, to: url))
            } catch {
                deliver(.failed(error))
            }
        }
    }

    private func send(_ response: SiteResponse) async {
        let head = TransferHead(status: response.status, headers: response.headers)
        do {
            switch response.body {
            case .none:
                guard await hand(.response(head)) else { return }
            case .bytes(let bytes):
                guard await hand(.response(head)), await hand(.data(Data(bytes))) else { return }
            case .file(let url, let range):
                // Opened before the head is said: what cannot be opened is a failure and not half an answer.
                var reader = try FileReader(url, range: range)
                guard await hand(.response(head)) else { return }
                while let chunk = try reader.next() {
                    guard await hand(.data(chunk)) else { return }
                }
            }
            deliver(.finished)
        } catch {
            deliver(.failed(error))
        }
    }

    private func send(_ request: URLRequest) {
        let number = state.withLock { $0.hop }
        let cancel = online.start(
            request, redirect: { [self] in follows($0) }, sent: sent,
            receive: { [self] event in
                if state.withLock({ $0.hop == number }) { deliver(event) }
            })
        state.withLock { $0.cancel = cancel }
        // A stop that came between the start and the line above found nothing to cancel.
        if !gate.isOpen { cancel() }
    }

    /// A hop that leads into a package is answered here: its virtual host is on no network.
    private func follows(_ request: URLRequest) -> Bool {
        guard redirect(request) else { return false }
        let siteRequest = SiteRequest(request)
        guard page.takes(siteRequest) else { return true }
        close()
        state.withLock { $0.hop += 1 }
        place.perform { if self.gate.isOpen { self.run(siteRequest, request) } }
        return false
    }

    /// Hands an event over and waits until the client has it.
    private func hand(_ event: TransferEvent) async -> Bool {
        await withCheckedContinuation { continuation in
            place.perform { continuation.resume(returning: self.gate.pass(event)) }
        }
    }

    private func deliver(_ event: TransferEvent) {
        place.perform {
            if !self.gate.pass(event) { self.close() }
        }
    }

    /// Reports the end, once: the page's session forgets the number.
    private func close() {
        let (answer, status, byteCount) = state.withLock { ($0.answer, $0.status, $0.byteCount) }
        if let answer { page.finished(answer.number, status: status, byteCount: byteCount) }
    }

    /// The request as the page made it, to another URL: method, headers and body are kept.
    /// - Throws: ``WebError/bodyLost(method:url:)`` rather than sending a request without the body that it announces.
    private static func onlineRequest(_ request: URLRequest, to url: String) throws -> URLRequest {
        let method = request.httpMethod ?? "GET"
        let announced =
            ["Content-Type", "Transfer-Encoding"].contains { request.value(forHTTPHeaderField: $0) != nil }
            || Int(request.value(forHTTPHeaderField: "Content-Length") ?? "0") != 0
        if method != "GET", method != "HEAD", announced, request.httpBody == nil, request.httpBodyStream == nil {
            throw WebError.bodyLost(method: method, url: url)
        }
        guard let target = URL(string: url) else { throw URLError(.badURL) }
        var copy = request
        if copy.url != target { copy.url = target }
        // Foundation would call bytes of no type a form, and servers would read them as one.
        if copy.httpBody != nil || copy.httpBodyStream != nil, copy.value(forHTTPHeaderField: "Content-Type") == nil {
            copy.setValue("", forHTTPHeaderField: "Content-Type")
        }
        return copy
    }
}

extension SiteRequest {
    /// What a web view or a `URLSession` asks for.
    public init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
            headers: request.allHTTPHeaderFields ?? [:])
    }
}
