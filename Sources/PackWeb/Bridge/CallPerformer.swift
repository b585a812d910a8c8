import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Performs one request for a page: the body, the preflight where one is due, the request, its answer.
struct CallPerformer: Sendable {
    let request: HookMessage.Request
    let call: NativeCall
    let pages: @Sendable (SiteRequest) -> PageSession
    let online: OnlineSession
    let rules: CrossOriginRules

    func run(body: (@Sendable () async -> (body: HandedBody, data: Data)?)?) async {
        do {
            if request.mode == .sameOrigin, rules.isCross(request.url) {
                throw HookFault(.origin, "the page asked for its own origin only")
            }
            var outgoing = urlRequest()
            if let body {
                guard let (handed, data) = await body() else {
                    throw WebError.bodyLost(method: request.method, url: request.url.absoluteString)
                }
                let own = outgoing.value(forHTTPHeaderField: "Content-Type")
                let restored = RestoredBody(handed, data: data, contentType: own)
                outgoing.httpBody = restored.data
                if own == nil, let type = restored.contentType {
                    outgoing.setValue(type, forHTTPHeaderField: "Content-Type")
                }
            }
            if let names = rules.preflight(for: request) { try await preflight(names) }
            perform(outgoing)
        } catch {
            call.push(.error(name: "network", message: "\(error)"))
        }
    }

    private func urlRequest() -> URLRequest {
        var outgoing = URLRequest(url: request.url)
        outgoing.httpMethod = request.method
        for (name, value) in request.headers where !Self.forbidden.contains(name) {
            outgoing.setValue(value, forHTTPHeaderField: name)
        }
        return addressed(outgoing)
    }

    /// What depends on where the request goes, and so on each hop: cookies, origin, referrer.
    private func addressed(_ request: URLRequest) -> URLRequest {
        guard let url = request.url else { return request }
        var outgoing = request
        outgoing.httpShouldHandleCookies = rules.sendsCredentials(to: url)
        let isCross = rules.isCross(url)
        let saysOrigin =
            self.request.mode == .cors && isCross || !["GET", "HEAD"].contains(request.httpMethod ?? "GET")
        outgoing.setValue(saysOrigin ? rules.origin : nil, forHTTPHeaderField: "Origin")
        // "strict-origin-when-cross-origin", a page's policy unless it says otherwise.
        if let referrer = URL(string: self.request.referrer), CrossOriginRules.origin(of: referrer) == rules.origin {
            let text = isCross ? rules.origin + "/" : String(self.request.referrer.prefix { $0 != "#" })
            outgoing.setValue(text, forHTTPHeaderField: "Referer")
        }
        return outgoing
    }

    private func preflight(_ names: [String]) async throws {
        var question = URLRequest(url: request.url)
        question.httpMethod = "OPTIONS"
        question.httpShouldHandleCookies = false
        question.setValue("*/*", forHTTPHeaderField: "Accept")
        question.setValue(request.method, forHTTPHeaderField: "Access-Control-Request-Method")
        if !names.isEmpty {
            question.setValue(names.joined(separator: ","), forHTTPHeaderField: "Access-Control-Request-Headers")
        }
        question.setValue(rules.origin, forHTTPHeaderField: "Origin")
        question.setValue(rules.origin + "/", forHTTPHeaderField: "Referer")
        let head = try await head(of: question)
        let headers = Dictionary(head.headers.map { ($0.key.lowercased(), $0.value) }) { "\($0), \($1)" }
        if let fault = rules.preflightFault(for: request, names: names, status: head.status, headers: headers) {
            throw HookFault(.origin, fault)
        }
    }

    /// The head of an answer whose body nobody needs.
    private func head(of request: URLRequest) async throws -> TransferHead {
        let (heads, continuation) = AsyncThrowingStream<TransferHead, any Error>.makeStream()
        let transfer = Transfer(request, on: pages(SiteRequest(request)), online: online, at: .inPlace) { event in
            switch event {
            case .response(let head):
                continuation.yield(head)
                continuation.finish()
            case .failed(let error): continuation.finish(throwing: error)
            case .data, .finished: continuation.finish()
            }
        }
        continuation.onTermination = { _ in transfer.stop() }
        transfer.start()
        for try await head in heads { return head }
        throw CancellationError()
    }

    private func perform(_ outgoing: URLRequest) {
        let page = pages(SiteRequest(outgoing))
        let hops = Locked<[URL]>([])
        let redirect = request.redirect
        let call = call
        let transfer = Transfer(
            outgoing, on: page, online: online, at: .inPlace,
            redirect: { next in
                guard redirect == .follow, let url = next.url else { return nil }
                hops.withLock { $0.append(url) }
                return self.addressed(next)
            },
            sent: { call.push(.sent($0)) },
            sink: { event in
                switch event {
                case .response(let head): call.push(self.event(for: head, hops: hops.withLock { $0 }))
                case .data(let data): call.push(.data(data))
                case .finished: call.push(.end)
                case .failed(let error):
                    // The page's own timeout is the page's to keep; one of the network is an error to it.
                    call.push(.error(name: "network", message: "\(error)"))
                }
            })
        call.onStop { transfer.stop() }
        transfer.start()
    }

    private func event(for head: TransferHead, hops: [URL]) -> HookEvent {
        let headers = Dictionary(head.headers.map { ($0.key.lowercased(), $0.value) }) { "\($0), \($1)" }
        let url = hops.last ?? request.url
        if [301, 302, 303, 307, 308].contains(head.status), headers["location"] != nil, request.redirect != .follow {
            guard request.redirect == .manual else {
                return .error(name: "network", message: "\(request.url) redirects, and the page does not want that")
            }
            return .response(
                HookResponse(
                    status: head.status, url: request.url.absoluteString, redirected: false, type: "opaqueredirect",
                    headers: [:]))
        }
        if let fault = rules.fault(url: url, headers: headers) { return .error(name: "network", message: fault) }
        let isCross = rules.isCross(url)
        let type = !isCross ? "basic" : request.mode == .noCORS ? "opaque" : "cors"
        return .response(
            HookResponse(
                status: head.status, url: hops.isEmpty ? request.address : url.absoluteString,
                redirected: !hops.isEmpty, type: type,
                headers: type == "opaque" ? [:] : rules.exposed(url: url, headers: headers)))
    }

    /// What a page may not set, or what belongs to the connection (Fetch section 2.2.2).
    private static let forbidden: Set<String> = [
        "accept-charset", "accept-encoding", "access-control-request-headers", "access-control-request-method",
        "connection", "content-length", "cookie", "cookie2", "date", "dnt", "expect", "host", "keep-alive", "origin",
        "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "via",
    ]
}
