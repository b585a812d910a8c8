import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request of a chain: the page's, or one that a redirect leads to (Fetch section 4.4).
struct RedirectHop: Sendable {
    static let maximumCount = 20

    let request: HookMessage.Request
    let rules: CrossOriginRules
    var body: RestoredBody?
    /// Of the redirects that have led here.
    let count: Int

    init(_ request: HookMessage.Request, rules: CrossOriginRules) {
        (self.request, self.rules, body, count) = (request, rules, nil, 0)
    }

    private init(_ request: HookMessage.Request, rules: CrossOriginRules, body: RestoredBody?, count: Int) {
        (self.request, self.rules, self.body, self.count) = (request, rules, body, count)
    }

    /// - Parameter redirected: the request that the transport would make.
    /// - Throws: ``HookFault`` where a browser would not follow.
    func next(_ redirected: URLRequest) throws -> RedirectHop {
        guard let url = redirected.url, ["https", "http"].contains(url.scheme?.lowercased()) || isOwn(url) else {
            throw HookFault(.invalid, "\(request.url) redirects to what is no https address")
        }
        guard count < Self.maximumCount else {
            throw HookFault(.invalid, "there are more than \(Self.maximumCount) redirects")
        }
        let rules = rules.following(from: request.url, to: url)
        if request.mode == .sameOrigin, rules.hasLeft {
            throw HookFault(.origin, "the page asked for its own origin only")
        }
        if request.mode == .cors, rules.isCross(url), url.user() != nil || url.password() != nil {
            throw HookFault(.origin, "a redirect to another origin names a user")
        }
        let isKept = redirected.httpBody != nil || body == nil && redirected.httpMethod == request.method
        let moved = CrossOriginRules.origin(of: url) != CrossOriginRules.origin(of: request.url)
        let headers = request.headers.filter { name, _ in
            !(moved && name == "authorization") && (isKept || !Self.describingBody.contains(name))
        }
        let next = HookMessage.Request(
            method: redirected.httpMethod ?? "GET", url: url, address: url.absoluteString, headers: headers,
            mode: request.mode, credentials: request.credentials, redirect: request.redirect,
            referrer: request.referrer, isUnread: request.isUnread, isKeptAlive: request.isKeptAlive)
        return RedirectHop(next, rules: rules, body: isKept ? body : nil, count: count + 1)
    }

    /// Whether a hop stays at the page's own origin, which may have a scheme of its own: a service behind the page's address
    /// leads on within itself. Who comes from elsewhere is not led there.
    private func isOwn(_ url: URL) -> Bool { !rules.isCross(request.url) && !rules.isCross(url) }

    /// The request as it is sent.
    var urlRequest: URLRequest {
        var outgoing = URLRequest(url: request.url)
        outgoing.httpMethod = request.method
        for (name, value) in request.headers where !Self.isForbidden(name) {
            outgoing.setValue(value, forHTTPHeaderField: name)
        }
        if let body {
            outgoing.httpBody = body.data
            if let type = body.contentType, outgoing.value(forHTTPHeaderField: "Content-Type") == nil,
                request.mode != .noCORS || CrossOriginRules.isSafe("content-type", type)
            {
                outgoing.setValue(type, forHTTPHeaderField: "Content-Type")
            }
        }
        // Whose cookies it may carry: a page's request is never the app's own, and never a navigation.
        outgoing.mainDocumentURL = URL(string: rules.origin + "/")
        outgoing.setValue("empty", forHTTPHeaderField: "Sec-Fetch-Dest")
        outgoing.httpShouldHandleCookies = rules.sendsCredentials(to: request.url)
        let isCross = rules.isCross(request.url)
        if request.mode == .cors && isCross || !["GET", "HEAD"].contains(request.method) {
            outgoing.setValue(rules.serializedOrigin, forHTTPHeaderField: "Origin")
        }
        // "strict-origin-when-cross-origin", a page's policy unless it says otherwise.
        if let referrer = URL(string: request.referrer), CrossOriginRules.origin(of: referrer) == rules.origin {
            let text = isCross ? rules.origin + "/" : String(request.referrer.prefix { $0 != "#" })
            outgoing.setValue(text, forHTTPHeaderField: "Referer")
        }
        return outgoing
    }

    private static let describingBody = Set(URLRequest.fieldsOfBody.map { $0.lowercased() })

    private static func isForbidden(_ name: String) -> Bool {
        forbidden.contains(name) || name.hasPrefix("sec-") || name.hasPrefix("proxy-")
    }

    /// What a page may not set, or what belongs to the connection (Fetch section 2.2.2).
    private static let forbidden: Set<String> = [
        "accept-charset", "accept-encoding", "access-control-request-headers", "access-control-request-method",
        "connection", "content-length", "cookie", "cookie2", "date", "dnt", "expect", "host", "keep-alive", "origin",
        "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "via",
    ]
}
