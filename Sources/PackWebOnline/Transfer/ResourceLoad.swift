import PackFormat
public import PackWeb

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// One running request, answered from the device or from the network, in the form that every adapter relays.
///
///     let transfer = ResourceLoad(request, on: page, online: session, at: .main) { event in … }
///     transfer.start()
///     transfer.stop()  // from then on, no event
///
/// A file is read in chunks, the next one only when the last has been handed over, so a large file takes constant
/// memory however slow the client is.
public final class ResourceLoad: Sendable {
    struct State: Sendable {
        var cancel: (@Sendable () -> Void)?
        var hasStarted = false
        var answer: SiteAnswer?
        /// Which hop of redirects is heard; events of an earlier one are dropped.
        var hop = 0
        var status: Int?
        var byteCount = 0
        /// What the request took, while the next hop of a redirect may take it again.
        var taken: (id: HookID, body: CapturedBody, data: Data)?
        var redirectCount = 0
        var backlog: Backlog
    }

    /// Fetch section 4.4, step 5.
    static let maximumRedirectCount = 20

    private let request: URLRequest
    private let decided: SiteAnswer?
    let page: PageSession
    let online: NetworkLoader
    let place: CallbackPlace
    private let bodies: BodyStore?
    private let redirects: RedirectPolicy
    private let redirect: @Sendable (URLRequest) -> URLRequest?
    private let sent: @Sendable (Int) -> Void
    let gate: TransferGate
    let state: Locked<State>

    /// - Parameters:
    ///   - bodies: the store in which the body of a request with a ``RequestTag`` waits; without it such a request
    ///     fails.
    ///   - redirects: says who makes the next request after a redirect.
    ///   - place: says where `sink` is called.
    ///   - sink: gets one response, any data, and one end; nothing after ``stop()``.
    public convenience init(
        _ request: URLRequest, on page: PageSession, online: NetworkLoader, bodies: BodyStore? = nil,
        redirects: RedirectPolicy = .followed, at place: CallbackPlace,
        sink: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.init(
            request, on: page, online: online, bodies: bodies, redirects: redirects, at: place, redirect: { $0 },
            sink: sink)
    }

    /// For a request whose answer is already decided.
    /// - Parameter answer: the page's own; nil: not yet, because the app is asked first.
    package convenience init(
        _ request: URLRequest, answered answer: SiteAnswer?, on page: PageSession, online: NetworkLoader,
        redirects: RedirectPolicy = .followed, at place: CallbackPlace,
        sink: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.init(
            request, answered: answer, on: page, online: online, redirects: redirects, at: place, redirect: { $0 },
            sink: sink)
    }

    /// - Parameters:
    ///   - redirect: asked with each hop that is followed here, which it may change; nil makes the redirect itself the
    ///     answer.
    ///   - sent: gets how many bytes of the body have gone out, now and then.
    init(
        _ request: URLRequest, answered answer: SiteAnswer? = nil, on page: PageSession, online: NetworkLoader,
        bodies: BodyStore? = nil, redirects: RedirectPolicy = .followed, at place: CallbackPlace,
        redirect: @escaping @Sendable (URLRequest) -> URLRequest?,
        sent: @escaping @Sendable (Int) -> Void = { _ in }, sink: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.bodies = bodies
        self.redirects = redirects
        self.redirect = redirect
        self.sent = sent
        let state = Locked(State(backlog: Backlog(partOf: online.backlog)))
        self.request = request
        decided = answer
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

    /// Decides and starts the request. A second call does nothing.
    public func start() {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst else { return }
        if let decided {
            run(decided, to: SiteRequest(request).url, request)
            return
        }
        guard let tag = request.url.flatMap({ RequestTag($0.absoluteString) }) else {
            run(SiteRequest(request), request)
            return
        }
        let task = Task { await self.restore(tag) }
        // The task may have come further already, to a request with a cancellation of its own.
        state.withLock { if $0.cancel == nil { $0.cancel = { task.cancel() } } }
    }

    /// Waits for the body that the page hands over, and goes on with the address that the page meant.
    private func restore(_ tag: RequestTag) async {
        var restored = request
        guard let url = SentAddress.url(tag.url) else {
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
            if case .handed = redirects { state.withLock { $0.taken = (tag.id, handed, data) } }
            let body = RestoredBody(handed, data: data, contentType: request.value(forHTTPHeaderField: "Content-Type"))
            // The engine's own, if it gave one, is what its other process let through of it.
            restored.httpBodyStream = nil
            restored.httpBody = body.data
            if let type = body.contentType { restored.setValue(type, forHTTPHeaderField: "Content-Type") }
        }
        let request = restored
        place.perform { if self.gate.isOpen { self.run(SiteRequest(request), request) } }
    }

    /// Ends the request. When it returns, no event is being delivered and none will follow.
    public func stop() {
        guard gate.stop() else { return }
        state.withLock { $0.cancel }?()
        close()
    }

    private func run(_ siteRequest: SiteRequest, _ request: URLRequest) {
        if online.precedesPackage(siteRequest) {
            askApp(siteRequest, request)
        } else {
            run(page.answer(siteRequest), to: siteRequest.url, request)
        }
    }

    func run(_ answer: SiteAnswer, to address: String, _ request: URLRequest) {
        state.withLock { $0.answer = answer }
        switch answer.way {
        case .local(let response):
            let task = Task { await self.send(response) }
            state.withLock { $0.cancel = { task.cancel() } }
        case .arriving(let arrival):
            let task = Task { await self.send(await arrival.response()) }
            state.withLock { $0.cancel = { task.cancel() } }
        case .online(let url):
            do {
                // The redirects of a package's web site are of its own address, which the client does not know.
                try send(
                    request.online(at: url), isCopy: url != address, relocation: Relocation(page: address, real: url),
                    isService: answer.reason == .api)
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

    /// - Parameters:
    ///   - isCopy: whether the client knows the resource by another address.
    ///   - isService: whether all of the server is the page's origin; of a web site only what lies below its prefix is.
    private func send(_ request: URLRequest, isCopy: Bool, relocation: Relocation?, isService: Bool) {
        let number = state.withLock { $0.hop }
        let hop = Locked<URLRequest?>(nil)
        let leaving = Locked<URLRequest?>(nil)
        let started = online.start(
            request, relocation: relocation,
            redirect: { [self] next in
                if let own = returning(next, by: relocation, isService: isService) {
                    guard handsOwn else { return follows(own) }
                    hop.withLock { $0 = own }
                    return nil
                }
                if leaves(to: next, from: request) {
                    leaving.withLock { $0 = next }
                    return nil
                }
                if isCopy, !page.allowsHop(from: request.url, to: next.url) { return nil }
                guard case .handed = redirects, !isCopy else { return follows(next) }
                hop.withLock { $0 = next }
                return nil
            }, sent: sent,
            receive: { [self] event in
                guard state.withLock({ $0.hop == number }) else { return }
                var event = event
                if case .response(let head) = event, let relocation {
                    let headers = relocation.pageHeaders(head.headers)
                    event = .response(TransferHead(status: head.status, headers: headers))
                }
                if case .response(let head) = event, let next = hop.withLock({ $0 }) {
                    deliver(.response(redirection(head, to: next, isOwn: relocation != nil)))
                } else if let next = leaving.withLock({ $0 }) {
                    leave(event, to: next)
                } else {
                    receive(event, of: number)
                }
            })
        state.withLock { state in
            state.cancel = started.cancel
            state.backlog.begin(started.pause)
        }
        // A stop that came between the start and the lines above found nothing to cancel.
        if !gate.isOpen { started.cancel() }
    }

    /// Whether the client makes the next request where it leads to the page's own address.
    private var handsOwn: Bool {
        switch redirects {
        case .handed, .handedWithinOrigin: true
        case .followed, .followedWithinOrigin: false
        }
    }

    /// The request at the page's own address, where a service that stands behind it sends the page on within itself: the
    /// page knows no other. What is found at the service only stays there.
    private func returning(_ next: URLRequest, by relocation: Relocation?, isService: Bool) -> URLRequest? {
        guard let url = next.url, let relocation, isService || relocation.covers(url),
            let own = relocation.pageAddress(of: url)
        else { return nil }
        var request = next
        request.url = own
        return page.answersWell(SiteRequest(request)) ? request : nil
    }

    private func leaves(to next: URLRequest, from request: URLRequest) -> Bool {
        switch redirects {
        case .followedWithinOrigin, .handedWithinOrigin: break
        case .followed, .handed: return false
        }
        return CrossOriginRedirectPage.isDue(for: SiteRequest(self.request), asked: request.url, next: next.url)
            && !page.takes(SiteRequest(next))
    }

    /// Says the redirect itself, with a content of ours in the server's place.
    private func leave(_ event: TransferEvent, to next: URLRequest) {
        switch event {
        case .response(let head):
            let page = CrossOriginRedirectPage(head, to: next)
            deliver(.response(page.head))
            if request.httpMethod != "HEAD" { deliver(.data(page.content)) }
        case .data: break
        case .finished, .failed: deliver(event)
        }
    }

    /// An event of the network, which comes whether the client reads or not.
    private func receive(_ event: TransferEvent, of hop: Int) {
        guard case .data(let data) = event else {
            if state.withLock({ $0.hop == hop }) { deliver(event) }
            return
        }
        let (isHeard, fault) = state.withLock { state -> (Bool, WebError?) in
            guard state.hop == hop else { return (false, nil) }
            let fault = state.backlog.add(data.count)
            if fault != nil { state.hop += 1 }
            return (true, fault)
        }
        guard isHeard else { return }
        if let fault {
            state.withLock { $0.cancel }?()
            deliver(.failed(fault))
            return
        }
        place.perform {
            if !self.gate.pass(event) { self.close() }
            self.state.withLock { $0.backlog.remove(data.count) }
        }
    }

    /// The head of a redirect for a client that makes the next request. An address that is relative would be so to the
    /// tagged one.
    private func redirection(_ head: TransferHead, to hop: URLRequest, isOwn: Bool) -> TransferHead {
        let taken = state.withLock { $0.taken }
        guard let url = hop.url, taken != nil || isOwn else { return head }
        var location = url.absoluteString
        if case .handed(let comesBack) = redirects, hop.httpBody != nil, let taken, isOwn || comesBack(url) {
            bodies?.putBack(taken.id, taken.body, taken.data)
            location = RequestTag.tagged(location, taken.id)
        }
        var headers = head.headers.filter { $0.key.lowercased() != "location" }
        headers["location"] = location
        return TransferHead(status: head.status, headers: headers)
    }

    /// A hop that leads into a package is answered here: its virtual host is on no network.
    private func follows(_ hop: URLRequest) -> URLRequest? {
        let isTooFar = state.withLock { state in
            state.redirectCount += 1
            return state.redirectCount > Self.maximumRedirectCount
        }
        guard !isTooFar else {
            deliver(.failed(URLError(.httpTooManyRedirects)))
            state.withLock { $0.cancel }?()
            return nil
        }
        guard let request = redirect(hop) else { return nil }
        let siteRequest = SiteRequest(request)
        guard page.takes(siteRequest) else { return request }
        close()
        state.withLock { $0.hop += 1 }
        place.perform { if self.gate.isOpen { self.run(siteRequest, request) } }
        return nil
    }

    /// Hands an event over and waits until the client has it.
    private func hand(_ event: TransferEvent) async -> Bool {
        await withCheckedContinuation { continuation in
            place.perform { continuation.resume(returning: self.gate.pass(event)) }
        }
    }

    func deliver(_ event: TransferEvent) {
        place.perform {
            if !self.gate.pass(event) { self.close() }
        }
    }

    /// Reports the end, once: the page's session forgets the number.
    private func close() {
        let (answer, status, byteCount) = state.withLock { ($0.answer, $0.status, $0.byteCount) }
        if let answer { page.finished(answer.number, status: status, byteCount: byteCount) }
    }
}

extension SiteRequest {
    /// Converts a request of a web view or a `URLSession`.
    public init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
            headers: request.allHTTPHeaderFields ?? [:])
    }
}
