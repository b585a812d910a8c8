import Dispatch
public import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends what the device does not answer: one `URLSession` for all requests, its events told apart per task.
///
/// The configuration must not contain our own ``PackURLProtocol``: a request that we sent would come back to us. Trust
/// and passwords are left to the system's default handling.
public final class OnlineSession: NSObject, URLSessionDataDelegate, Sendable {
    private struct Container: Sendable {
        let receive: @Sendable (TransferEvent) -> Void
        let redirect: @Sendable (URLRequest) -> URLRequest?
        let sent: @Sendable (Int) -> Void
        /// As it is known above, before `prepare`: the hop under way.
        var request: URLRequest
        /// The task under way, for whoever cancels.
        let started: Locked<URLSessionDataTask?>
    }

    private let containers = Locked<[ObjectIdentifier: Container]>([:])
    private let prepare: @Sendable (URLRequest) -> URLRequest?
    nonisolated(unsafe) private var session: URLSession?
    private let configuration: URLSessionConfiguration
    private let queue = OperationQueue()
    private let lock = NSLock()
    private let cookies: CookieKeeper?
    /// Tasks are made and cancelled here only: Foundation on Linux traps when a session is used from inside a
    /// `URLProtocol`'s `startLoading` or `stopLoading`, because all sessions share one queue there.
    private let work = DispatchQueue(label: "PackWeb.OnlineSession")

    /// - Parameters:
    ///   - configuration: taken as it is, but for our own protocol and the cache, which are taken out: a page's
    ///     conditional requests must reach the server, and an answer must never come from two caches.
    ///   - concurrency: how many delegate calls may run at once; one task's are always in order.
    ///   - cookies: what gives each request its cookies and keeps those of each answer, every hop of a redirect
    ///     included; nil leaves them to the configuration's own storage.
    ///   - prepare: the app's last word on each request and on each hop of it: changes it, or refuses it with nil.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral, concurrency: Int = 1, cookies: CookieKeeper? = nil,
        prepare: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 }
    ) {
        self.configuration = configuration
        self.cookies = cookies
        self.prepare = prepare
        super.init()
        if cookies != nil {
            // Two that set the field would send a cookie twice.
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
        }
        configuration.protocolClasses = configuration.protocolClasses?.filter { $0 != PackURLProtocol.self }
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        queue.maxConcurrentOperationCount = concurrency
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    }

    /// Lets requests end and breaks the session's hold on this object. Further requests fail.
    public func close() {
        lock.withLock {
            session?.finishTasksAndInvalidate()
            session = nil
        }
    }

    /// Starts a request.
    /// - Parameters:
    ///   - redirect: asked with each hop, which it may change; nil makes the redirect itself the answer.
    ///   - sent: gets how many bytes of the body have gone out, now and then.
    ///   - receive: gets the events as the system gives them; put a gate behind it.
    /// - Returns: what cancels it. Events that are under way may still come: the gate stops them.
    func start(
        _ request: URLRequest, redirect: @escaping @Sendable (URLRequest) -> URLRequest?,
        sent: @escaping @Sendable (Int) -> Void = { _ in }, receive: @escaping @Sendable (TransferEvent) -> Void
    ) -> @Sendable () -> Void {
        let started = Locked<URLSessionDataTask?>(nil)
        let container = Container(
            receive: receive, redirect: redirect, sent: sent, request: request, started: started)
        work.async { self.run(container) }
        return { self.work.async { started.withLock { $0 }?.cancel() } }
    }

    private func run(_ container: Container) {
        guard let prepared = prepare(withCookies(container.request)), let task = task(for: prepared) else {
            container.receive(.failed(URLError(.cancelled)))
            return
        }
        // Before the task runs: its first event may come before `resume()` returns.
        containers.withLock { $0[ObjectIdentifier(task)] = container }
        container.started.withLock { $0 = task }
        task.resume()
    }

    /// The session for a request. On Linux a request with a body has one of its own: when a server has closed a
    /// connection that was kept, curl sends the request again, the body's reader is at its end, and the request spins
    /// until it times out (Foundation 6.3; and with `Connection: close` some answers are lost).
    private func task(for request: URLRequest) -> URLSessionDataTask? {
        guard let session = lock.withLock({ session }) else { return nil }
        #if !canImport(Darwin)
            if request.httpBody != nil || request.httpBodyStream != nil {
                let own = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
                defer { own.finishTasksAndInvalidate() }
                return own.dataTask(with: request)
            }
        #endif
        return session.dataTask(with: request)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            keepCookies(of: response, to: dataTask)
            receive(.response(TransferHead(response)), for: dataTask)
            completionHandler(.allow)
        } else {
            receive(.failed(WebError.notHTTP(dataTask.originalRequest?.url?.absoluteString ?? "")), for: dataTask)
            completionHandler(.cancel)
        }
    }

    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        receive(.data(data), for: dataTask)
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let container = containers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
        container?.receive(error.map { .failed($0) } ?? .finished)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        keepCookies(of: response, to: task)
        let container = containers.withLock { $0[ObjectIdentifier(task)] }
        guard let container, let next = container.redirect(Self.hop(request, from: container.request, response))
        else {
            completionHandler(nil)
            return
        }
        #if !canImport(Darwin)
            if next.httpBody != nil {
                // Foundation on Linux sends a hop without its body, so the hop is a task of its own.
                var own = container
                own.request = next
                let moved = own
                containers.withLock { $0[ObjectIdentifier(task)] = nil }
                completionHandler(nil)
                work.async {
                    task.cancel()
                    self.run(moved)
                }
                return
            }
        #endif
        containers.withLock { $0[ObjectIdentifier(task)]?.request = next }
        completionHandler(prepare(withCookies(next)))
    }

    /// The request of a redirect's next hop (Fetch section 4.4): 307 and 308 keep method and body, which Foundation on
    /// Linux drops; where another one becomes a GET, what described the body goes with it.
    private static func hop(
        _ request: URLRequest, from last: URLRequest, _ response: HTTPURLResponse
    ) -> URLRequest {
        var next = last
        next.url = request.url
        let method = last.httpMethod ?? "GET"
        let becomesGET =
            [301, 302].contains(response.statusCode) && method == "POST"
            || response.statusCode == 303 && method != "GET" && method != "HEAD"
        if becomesGET {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
            for name in ["Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type"] {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        if next.url?.host() != last.url?.host() { next.setValue(nil, forHTTPHeaderField: "Authorization") }
        return next
    }

    private func keepCookies(of response: HTTPURLResponse, to task: URLSessionTask) {
        guard let cookies, let request = containers.withLock({ $0[ObjectIdentifier(task)] })?.request,
            request.httpShouldHandleCookies, let url = request.url
        else { return }
        cookies.store(response, from: url)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let container = containers.withLock { $0[ObjectIdentifier(task)] }
        container?.sent(Int(totalBytesSent))
    }

    /// The page that asks is the one that the request names: its document, else its referrer.
    private func withCookies(_ request: URLRequest) -> URLRequest {
        guard let cookies, request.httpShouldHandleCookies else { return request }
        var copy = request
        let page = request.mainDocumentURL ?? request.value(forHTTPHeaderField: "Referer").flatMap { URL(string: $0) }
        cookies.apply(to: &copy, page: page, isNavigation: SiteRequest(request).wantsPage)
        return copy
    }

    private func receive(_ event: TransferEvent, for task: URLSessionTask) {
        let container = containers.withLock { $0[ObjectIdentifier(task)] }
        container?.receive(event)
    }
}

extension TransferHead {
    /// The head of an answer whose body the system has decoded: the headers that describe the encoded body are gone.
    init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.map { (String(describing: $0.key), String(describing: $0.value)) }
        var headers = Dictionary(fields) { "\($0), \($1)" }
        let isEncoded = headers.contains { name, value in
            name.lowercased() == "content-encoding" && value.lowercased() != "identity"
        }
        if isEncoded {
            headers = headers.filter { !["content-encoding", "content-length"].contains($0.key.lowercased()) }
        }
        self.init(status: response.statusCode, headers: headers)
    }
}
