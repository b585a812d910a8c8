import Foundation
import PackFormat
import PackWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Performs one request for a page: its body, the preflight if one is needed, the request, its redirects, its answer.
///
/// It runs until the answer has ended; cancelling its task stops the request.
struct BridgedFetcher: Sendable {
    let request: HookMessage.Request
    let call: BridgedFetch
    let pages: @Sendable (SiteRequest) -> PageSession
    let online: NetworkLoader
    let rules: CrossOriginRules
    let allowsMixedContent: Bool

    func run(body: (@Sendable () async -> (body: CapturedBody, data: Data)?)?) async {
        do {
            if request.mode == .sameOrigin, rules.isCross(request.url) {
                throw HookFault(.origin, "the page asked for its own origin only")
            }
            var hop = RedirectHop(request, rules: rules)
            if let body {
                guard let (handed, data) = await body() else {
                    throw WebError.bodyLost(method: request.method, url: request.url.absoluteString)
                }
                let own = request.headers.last { $0.name == "content-type" }?.value
                hop.body = RestoredBody(handed, data: data, contentType: own)
            }
            while true {
                if !allowsMixedContent, let fault = hop.rules.mixedContentFault(hop.request.url) {
                    throw HookFault(.origin, fault)
                }
                if let fault = hop.rules.requestFault(hop.request) { throw HookFault(.origin, fault) }
                if let names = hop.rules.preflight(for: hop.request) { try await preflight(hop, names) }
                guard let (head, redirected) = await perform(hop) else { return }
                if let fault = hop.rules.fault(url: hop.request.url, headers: Self.headers(of: head)) {
                    throw HookFault(.origin, fault)
                }
                hop = try hop.next(redirected)
            }
        } catch {
            call.push(.error(name: "network", message: "\(error)"))
        }
    }

    private func preflight(_ hop: RedirectHop, _ names: [String]) async throws {
        let (request, rules) = (hop.request, hop.rules)
        var question = URLRequest(url: request.url)
        question.httpMethod = "OPTIONS"
        question.httpShouldHandleCookies = false
        question.setValue("*/*", forHTTPHeaderField: "Accept")
        question.setValue(request.method, forHTTPHeaderField: "Access-Control-Request-Method")
        if !names.isEmpty {
            question.setValue(names.joined(separator: ","), forHTTPHeaderField: "Access-Control-Request-Headers")
        }
        question.setValue(rules.serializedOrigin, forHTTPHeaderField: "Origin")
        question.setValue(rules.origin + "/", forHTTPHeaderField: "Referer")
        let head = try await head(of: question)
        let headers = Self.headers(of: head)
        if let fault = rules.preflightFault(for: request, names: names, status: head.status, headers: headers) {
            throw HookFault(.origin, fault)
        }
    }

    /// The head of an answer whose body nobody needs; a redirect is an answer.
    private func head(of request: URLRequest) async throws -> TransferHead {
        let (heads, continuation) = AsyncThrowingStream<TransferHead, any Error>.makeStream()
        let transfer = ResourceLoad(
            request, on: pages(SiteRequest(request)), online: online, at: .inPlace, redirect: { _ in nil },
            sink: { event in
                switch event {
                case .response(let head):
                    continuation.yield(head)
                    continuation.finish()
                case .failed(let error): continuation.finish(throwing: error)
                case .data, .finished: continuation.finish()
                }
            })
        defer { transfer.stop() }
        transfer.start()
        for try await head in heads { return head }
        throw CancellationError()
    }

    /// One request. Its answer goes to the page.
    /// - Returns: what it is redirected to, where the page wants redirects to be followed; nil at the answer's end.
    private func perform(_ hop: RedirectHop) async -> (TransferHead, URLRequest)? {
        let (redirects, continuation) = AsyncStream<(TransferHead, URLRequest)>.makeStream()
        let outgoing = hop.urlRequest
        let next = Locked<URLRequest?>(nil)
        let isHidden = Locked(false)
        let hasMoved = Locked(false)
        let follows = request.redirect == .follow
        let call = call
        let transfer = ResourceLoad(
            outgoing, on: pages(SiteRequest(outgoing)), online: online, at: call.place,
            redirect: { redirected in
                if follows { next.withLock { $0 = redirected } }
                return nil
            },
            sent: { call.push(.sent($0)) },
            sink: { event in
                switch event {
                case .response(let head):
                    if let redirected = next.withLock({ $0 }) {
                        hasMoved.withLock { $0 = true }
                        continuation.yield((head, redirected))
                        continuation.finish()
                    } else {
                        isHidden.withLock { $0 = Self.isOpaque(hop) }
                        call.push(self.event(for: head, of: hop))
                    }
                case .data(let data):
                    if !hasMoved.withLock({ $0 }), !isHidden.withLock({ $0 }) { call.push(.data(data)) }
                case .finished:
                    if !hasMoved.withLock({ $0 }) { call.push(.end) }
                    continuation.finish()
                case .failed(let error):
                    // The page's own timeout is the page's to keep; one of the network is an error to it.
                    if !hasMoved.withLock({ $0 }) { call.push(.error(name: "network", message: "\(error)")) }
                    continuation.finish()
                }
            })
        defer { transfer.stop() }
        transfer.start()
        for await redirect in redirects { return redirect }
        return nil
    }

    private func event(for head: TransferHead, of hop: RedirectHop) -> HookEvent {
        let headers = Self.headers(of: head)
        let (request, rules) = (hop.request, hop.rules)
        if [301, 302, 303, 307, 308].contains(head.status), headers["location"] != nil, request.redirect != .follow {
            guard request.redirect == .manual else {
                return .error(name: "network", message: "\(request.url) redirects, and the page does not want that")
            }
            return .response(
                HookResponse(
                    status: head.status, url: request.url.absoluteString, redirected: false, type: "opaqueredirect",
                    headers: [:]))
        }
        if let fault = rules.fault(url: request.url, headers: headers) {
            return .error(name: "network", message: fault)
        }
        if Self.isOpaque(hop) {
            return .response(HookResponse(status: 0, url: "", redirected: false, type: "opaque", headers: [:]))
        }
        return .response(
            HookResponse(
                status: head.status, url: request.address, redirected: hop.count > 0,
                type: rules.isCross(request.url) ? "cors" : "basic",
                headers: rules.exposed(url: request.url, headers: headers)))
    }

    /// Whether the page may know no more of the answer than that it came ("opaque filtered response", section 2.2.6).
    private static func isOpaque(_ hop: RedirectHop) -> Bool {
        hop.request.mode == .noCORS && hop.rules.isCross(hop.request.url)
    }

    private static func headers(of head: TransferHead) -> [String: String] {
        Dictionary(head.headers.map { ($0.key.lowercased(), $0.value) }) { "\($0), \($1)" }
    }
}
