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
        let redirect: @Sendable (URLRequest) -> Bool
        let sent: @Sendable (Int) -> Void
    }

    private let containers = Locked<[ObjectIdentifier: Container]>([:])
    private let prepare: @Sendable (URLRequest) -> URLRequest?
    nonisolated(unsafe) private var session: URLSession?
    /// Sends requests with bodies where Foundation cannot send a body twice: on Linux, when a server has closed a
    /// connection that was kept, curl sends the request again, the body's reader is at its end, and the request spins
    /// until it times out (Foundation 6.3). Here no connection is kept, so none is found closed.
    nonisolated(unsafe) private var bodySession: URLSession?
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
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = concurrency
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        #if !canImport(Darwin)
            bodySession = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        #endif
    }

    /// Lets requests end and breaks the session's hold on this object. Further requests fail.
    public func close() {
        lock.withLock {
            session?.finishTasksAndInvalidate()
            bodySession?.finishTasksAndInvalidate()
            (session, bodySession) = (nil, nil)
        }
    }

    /// Starts a request.
    /// - Parameters:
    ///   - redirect: asked with each hop; false ends the request with the redirect's own answer.
    ///   - sent: gets how many bytes of the body have gone out, now and then.
    ///   - receive: gets the events as the system gives them; put a gate behind it.
    /// - Returns: what cancels it. Events that are under way may still come: the gate stops them.
    func start(
        _ request: URLRequest, redirect: @escaping @Sendable (URLRequest) -> Bool,
        sent: @escaping @Sendable (Int) -> Void = { _ in }, receive: @escaping @Sendable (TransferEvent) -> Void
    ) -> @Sendable () -> Void {
        let started = Locked<URLSessionDataTask?>(nil)
        let request = withCookies(request)
        work.async {
            guard var request = self.prepare(request), let session = self.session(for: &request) else {
                receive(.failed(URLError(.cancelled)))
                return
            }
            let task = session.dataTask(with: request)
            // Before the task runs: its first event may come before `resume()` returns.
            self.containers.withLock {
                $0[ObjectIdentifier(task)] = Container(receive: receive, redirect: redirect, sent: sent)
            }
            started.withLock { $0 = task }
            task.resume()
        }
        return { self.work.async { started.withLock { $0 }?.cancel() } }
    }

    private func session(for request: inout URLRequest) -> URLSession? {
        let (session, bodySession) = lock.withLock { (self.session, self.bodySession) }
        guard let bodySession, request.httpBody != nil || request.httpBodyStream != nil else { return session }
        request.setValue("close", forHTTPHeaderField: "Connection")
        return bodySession
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            if let url = response.url { cookies?.store(response, from: url) }
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
        let container = containers.withLock { $0[ObjectIdentifier(task)] }
        if let url = response.url { cookies?.store(response, from: url) }
        let request = withCookies(request)
        completionHandler(container?.redirect(request) == true ? prepare(request) : nil)
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
        guard let cookies else { return request }
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
