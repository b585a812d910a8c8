import Dispatch
public import Foundation
import PackFormat
import PackWeb

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends the requests that the device does not answer: one `URLSession` for all of them, its events separated by
/// task.
///
/// The configuration must not contain our own ``PackURLProtocol``: a request that we sent would come back to us. Trust
/// and passwords are left to the system's default handling, unless the app answers challenges.
public final class NetworkLoader: NSObject, URLSessionDataDelegate, Sendable {
    struct Container: Sendable {
        let receive: @Sendable (TransferEvent) -> Void
        let redirect: @Sendable (URLRequest) -> URLRequest?
        let sent: @Sendable (Int) -> Void
        /// As it is known above, before `prepare`: the hop under way.
        var request: URLRequest
        let begun = ContinuousClock.now
        var exchange: OnlineExchange
        /// Whose cookies are meant, where the request goes to another place than the page's address.
        let relocation: Relocation?
        let way: Locked<Cancellation>
        /// Where its events are handed on; nil: where they come.
        let lane: DispatchQueue?
        #if !canImport(Darwin)
            var held: Held?
        #endif

        func hand(_ work: @escaping @Sendable () -> Void) {
            if let lane { lane.async(execute: DispatchWorkItem { work() }) } else { work() }
        }
    }

    /// What of a request is cancelled; read and changed in `work` only.
    struct Cancellation: Sendable {
        var task: URLSessionDataTask?
        /// While the app is asked for an answer of its own.
        var cancelNative: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private struct Sessions: Sendable {
        let own: URLSession
        /// For requests whose cookies are somebody else's: Foundation on Linux keeps and sends a session's cookies even
        /// where a request says that it must not (6.3).
        let bare: URLSession
    }

    /// A request under way.
    package struct Started: Sendable {
        package let cancel: @Sendable () -> Void
        /// Whether no more is to come for now. Each true needs its false. Foundation on Linux cannot do it.
        let pause: @Sendable (Bool) -> Void
    }

    let containers = Locked<[ObjectIdentifier: Container]>([:])
    private let prepare: @Sendable (URLRequest) -> URLRequest?
    private let ended: @Sendable (OnlineExchange) -> Void
    let native: NativeAnswers?
    let challenged: ChallengeAnswer?
    /// Nil when the loader is closed.
    private let sessions = Locked<Sessions?>(nil)
    private let configuration: URLSessionConfiguration
    private let bareConfiguration: URLSessionConfiguration
    /// One call at a time: a session whose queue runs several gives a task's data before its response (Foundation 6.3).
    private let queue = OperationQueue()
    /// What several requests' events are worked on at once; each request keeps to one.
    private let lanes: [DispatchQueue]
    private let startedCount = Locked(0)
    private let cookies: CookieKeeper?
    /// What waits for the clients of all requests.
    let backlog = SharedBacklog()
    /// Tasks are made and cancelled here only: Foundation on Linux traps when a session is used from inside a
    /// `URLProtocol`'s `startLoading` or `stopLoading`, because all sessions share one queue there.
    let work = DispatchQueue(label: "PackWeb.NetworkLoader")

    /// - Parameters:
    ///   - configuration: is used unchanged, except that our own protocol and the cache are removed: a page's
    ///     conditional requests must reach the server, and an answer must never come from two caches.
    ///   - concurrency: how many requests' events may be delivered at once; the events of one request are always in
    ///     order.
    ///   - cookies: provides the cookies of each request and stores those of each answer, including every hop of a
    ///     redirect; nil leaves both to the configuration's own storage.
    ///   - prepare: the app's last word on each request and on each hop of it: changes it, or refuses it with nil. The place
    ///     for a policy of headers, and for another host in the address's place.
    ///   - ended: told once of each request that has ended, one way or the other: the place for measurements.
    ///   - native: the app's own answers; nil: all requests go out.
    ///   - challenged: the app's answers to authentication challenges of these requests, such as those for a server's
    ///     certificate or a password; nil leaves them to the system. On Linux it is asked for passwords only. It is not
    ///     asked for what other sessions send: a proxy's WebSockets and streamed uploads.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral, concurrency: Int = 1, cookies: CookieKeeper? = nil,
        prepare: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 },
        ended: @escaping @Sendable (OnlineExchange) -> Void = { _ in },
        native: NativeAnswers? = nil, challenged: ChallengeAnswer? = nil
    ) {
        self.configuration = configuration
        self.cookies = cookies
        self.prepare = prepare
        self.ended = ended
        self.native = native
        self.challenged = challenged
        bareConfiguration = (configuration.copy() as? URLSessionConfiguration) ?? .ephemeral
        lanes = concurrency > 1 ? (0..<concurrency).map { DispatchQueue(label: "PackWeb.NetworkLoader.\($0)") } : []
        super.init()
        if cookies != nil {
            // Two that set the field would send a cookie twice.
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
        }
        configuration.protocolClasses = configuration.protocolClasses?.filter { !($0 is any PackageProtocol.Type) }
        configuration.urlCache = nil
        let fields = configuration.httpAdditionalHeaders ?? [:]
        // The system's own text names the program without its version; a page's requests have their engine's.
        configuration.httpAdditionalHeaders = fields.merging(["User-Agent": ProductVersion.userAgent("PackWeb")]) {
            given, _ in given
        }
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        queue.maxConcurrentOperationCount = 1
        // An engine that speaks HTTP/2 with a proxy asks for more at once than six, Foundation's own limit: long polls would
        // stop everything else.
        configuration.httpMaximumConnectionsPerHost = max(64, configuration.httpMaximumConnectionsPerHost)
        bareConfiguration.httpMaximumConnectionsPerHost = configuration.httpMaximumConnectionsPerHost
        bareConfiguration.protocolClasses = configuration.protocolClasses
        bareConfiguration.urlCache = nil
        bareConfiguration.requestCachePolicy = configuration.requestCachePolicy
        bareConfiguration.httpCookieStorage = nil
        bareConfiguration.httpShouldSetCookies = false
        let own = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        let bare =
            cookies == nil ? URLSession(configuration: bareConfiguration, delegate: self, delegateQueue: queue) : own
        sessions.withLock { $0 = Sessions(own: own, bare: bare) }
    }

    /// Lets requests end and breaks the session's reference to this object. Further requests fail.
    public func close() {
        let sessions = sessions.withLock { sessions in
            defer { sessions = nil }
            return sessions
        }
        sessions?.own.finishTasksAndInvalidate()
        sessions?.bare.finishTasksAndInvalidate()
    }

    /// Starts a request.
    /// - Parameters:
    ///   - relocation: between the page's address and the request's, which are one place for cookies.
    ///   - redirect: asked with each hop, which it may change; nil makes the redirect itself the answer.
    ///   - sent: gets how many bytes of the body have gone out, now and then.
    ///   - receive: gets the events as the system gives them; put a gate behind it.
    /// - Returns: what cancels it, and what makes it wait. Events that are under way may still come: the gate stops them.
    package func start(
        _ request: URLRequest, relocation: Relocation? = nil,
        redirect: @escaping @Sendable (URLRequest) -> URLRequest?,
        sent: @escaping @Sendable (Int) -> Void = { _ in }, receive: @escaping @Sendable (TransferEvent) -> Void
    ) -> Started {
        let way = Locked(Cancellation())
        let container = Container(
            receive: receive, redirect: redirect, sent: sent, request: request, exchange: OnlineExchange(request),
            relocation: relocation, way: way, lane: nextLane)
        work.async { self.run(container) }
        return Started(
            cancel: {
                self.work.async {
                    let (task, cancelNative) = way.withLock { way in
                        defer { (way.isCancelled, way.cancelNative) = (true, nil) }
                        return (way.task, way.cancelNative)
                    }
                    task?.cancel()
                    cancelNative?()
                }
            },
            pause: { isPaused in
                #if canImport(Darwin)
                    self.work.async {
                        let task = way.withLock { $0.task }
                        if isPaused { task?.suspend() } else { task?.resume() }
                    }
                #endif
            })
    }

    /// Prepares a request that another session sends, with its cookies and the app's final changes.
    /// - Returns: nil if the app refuses it.
    package func prepared(_ request: URLRequest, relocation: Relocation?) -> URLRequest? {
        prepare(withCookies(request, relocation))
    }

    private var nextLane: DispatchQueue? {
        guard !lanes.isEmpty else { return nil }
        let number = startedCount.withLock { count in
            count = (count + 1) % lanes.count
            return count
        }
        return lanes[number]
    }

    private func run(_ container: Container) {
        guard let prepared = prepare(withCookies(container.request, container.relocation)) else {
            end(container, URLError(.cancelled))
            return
        }
        if let native { ask(native, prepared, of: container) } else { send(prepared, of: container) }
    }

    func send(_ prepared: URLRequest, of container: Container) {
        guard let task = task(for: prepared) else {
            end(container, URLError(.cancelled))
            return
        }
        // Before the task runs: its first event may come before `resume()` returns.
        containers.withLock { $0[ObjectIdentifier(task)] = container }
        container.way.withLock { $0.task = task }
        task.resume()
    }

    /// A request's task; nil when the loader is closed. On Linux a request with a body has a session of its own: when a
    /// server has closed a connection that was kept, curl sends the request again, the body's reader is at its end, and
    /// the request spins until it times out (Foundation 6.3; and with `Connection: close` some answers are lost).
    private func task(for request: URLRequest) -> URLSessionDataTask? {
        let isBare = !request.httpShouldHandleCookies
        #if !canImport(Darwin)
            guard sessions.withLock({ $0 != nil }) else { return nil }
            if request.httpBody != nil || request.httpBodyStream != nil {
                let own = URLSession(
                    configuration: isBare ? bareConfiguration : configuration, delegate: self, delegateQueue: queue)
                defer { own.finishTasksAndInvalidate() }
                return own.dataTask(with: request)
            }
        #endif
        // Under the lock, so that nobody closes the session meanwhile: one that is closed traps when it is asked.
        return sessions.withLock { sessions in (isBare ? sessions?.bare : sessions?.own)?.dataTask(with: request) }
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            keepCookies(of: response, to: dataTask)
            containers.withLock { $0[ObjectIdentifier(dataTask)]?.exchange.status = response.statusCode }
            #if !canImport(Darwin)
                if holds(response, of: dataTask) {
                    completionHandler(.allow)
                    return
                }
            #endif
            receive(.response(TransferHead(response)), for: dataTask)
            completionHandler(.allow)
        } else {
            receive(.failed(WebError.notHTTP(dataTask.originalRequest?.url?.absoluteString ?? "")), for: dataTask)
            completionHandler(.cancel)
        }
    }

    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        #if !canImport(Darwin)
            if holds(data, of: dataTask) { return }
        #endif
        containers.withLock { $0[ObjectIdentifier(dataTask)]?.exchange.byteCount += data.count }
        receive(.data(data), for: dataTask)
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let container = containers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
        if let container { end(container, error) }
    }

    func end(_ container: Container, _ error: (any Error)?) {
        var exchange = container.exchange
        #if !canImport(Darwin)
            if let held = container.held {
                exchange.byteCount += held.body.count
                container.hand {
                    container.receive(.response(held.head))
                    if !held.body.isEmpty { container.receive(.data(held.body)) }
                }
            }
        #endif
        exchange.duration = ContinuousClock.now - container.begun
        exchange.error = error.map { "\($0)" }
        let (ended, told) = (ended, exchange)
        container.hand {
            container.receive(error.map { .failed($0) } ?? .finished)
            ended(told)
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        keepCookies(of: response, to: task)
        let container = containers.withLock { $0[ObjectIdentifier(task)] }
        guard let container, let next = container.redirect(container.request.hop(after: response, suggested: request))
        else {
            answer(completionHandler, nil, of: container)
            return
        }
        guard ["https", "http"].contains(next.url?.scheme?.lowercased()) else {
            containers.withLock { $0[ObjectIdentifier(task)] = nil }
            answer(completionHandler, nil, of: container) { task.cancel() }
            end(container, URLError(.unsupportedURL))
            return
        }
        // The app may have an answer for the hop, unless its body is a stream, which can be read once only.
        var isOwnTask = native != nil && next.httpBodyStream == nil
        #if !canImport(Darwin)
            // Foundation on Linux sends a hop without its body.
            isOwnTask = isOwnTask || next.httpBody != nil
        #endif
        if isOwnTask {
            var own = container
            own.request = next
            own.exchange.hopCount += 1
            let moved = own
            containers.withLock { $0[ObjectIdentifier(task)] = nil }
            answer(completionHandler, nil, of: container) {
                task.cancel()
                self.run(moved)
            }
            return
        }
        containers.withLock { containers in
            containers[ObjectIdentifier(task)]?.request = next
            containers[ObjectIdentifier(task)]?.exchange.hopCount += 1
        }
        answer(completionHandler, prepare(withCookies(next, container.relocation)), of: container)
    }

    /// Answers what a redirect is to become, and goes on. Foundation on Linux stops the process where that comes after the
    /// task was cancelled, so both happen in one queue, and after the one the other does not.
    private func answer(
        _ completion: @escaping @Sendable (URLRequest?) -> Void, _ next: URLRequest?, of container: Container?,
        then goOn: @escaping @Sendable () -> Void = {}
    ) {
        work.async {
            #if !canImport(Darwin)
                guard container?.way.withLock({ $0.isCancelled }) != true else { return }
            #endif
            completion(next)
            goOn()
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { answer(challenge, of: task, completionHandler) }

    private func keepCookies(of response: HTTPURLResponse, to task: URLSessionTask) {
        guard let cookies, let container = containers.withLock({ $0[ObjectIdentifier(task)] }),
            container.request.httpShouldHandleCookies, let url = container.request.url
        else { return }
        cookies.store(response, from: url, relocation: container.relocation)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let container = containers.withLock { $0[ObjectIdentifier(task)] }
        container?.sent(Int(totalBytesSent))
    }

    private func withCookies(_ request: URLRequest, _ relocation: Relocation?) -> URLRequest {
        guard let cookies, request.httpShouldHandleCookies else { return request }
        var copy = request
        cookies.apply(
            to: &copy, page: request.askingPage, isNavigation: request.isNavigation, relocation: relocation)
        return copy
    }

    func receive(_ event: TransferEvent, for task: URLSessionTask) {
        let container = containers.withLock { $0[ObjectIdentifier(task)] }
        container?.hand { container?.receive(event) }
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
