import PackFormat
public import PackWeb

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Answers the tasks of a web view's scheme handler. It is the state machine, independent of any framework.
///
///     let driver = SchemeTaskDriver(page: PageSession(catalog), online: NetworkLoader())
///     // from the web view:
///     driver.start(task, request: request)
///     driver.stop(task)      // synchronous: no call after it
///
/// The states of a task are: created → responded → streaming → finished, failed or stopped. The response is reported
/// once, before any data; nothing is reported after the end or the stop. Tasks are identified by their object, which
/// is retained meanwhile, so that a new object at an old address is never confused with it.
public final class SchemeTaskDriver: Sendable {
    private struct Running: Sendable {
        let task: any SchemeTask
        let transfer: ResourceLoad
    }

    private let page: @Sendable (SiteRequest) -> PageSession
    private let online: NetworkLoader
    private let bodies: BodyStore?
    private let place: @Sendable () -> CallbackPlace
    private let running = Locked<[ObjectIdentifier: Running]>([:])

    /// - Parameters:
    ///   - bodies: the ``PageBridge``'s store if pages have the hook.
    ///   - place: where the engine must be called; web views need their main thread.
    public init(page: PageSession, online: NetworkLoader, bodies: BodyStore? = nil, place: CallbackPlace = .main) {
        self.page = { _ in page }
        self.online = online
        self.bodies = bodies
        self.place = { place }
    }

    /// For an engine whose handler serves one page after the other: each request is answered from its own page's
    /// version.
    /// - Parameters:
    ///   - bodies: the ``PageBridge``'s store if pages have the hook.
    ///   - place: asked once for each task; a task whose calls may block needs a place of its own.
    public init(
        pages: any PageSource, online: NetworkLoader, bodies: BodyStore? = nil,
        place: @escaping @Sendable () -> CallbackPlace
    ) {
        page = { pages.page(for: $0) }
        self.bodies = bodies
        self.online = online
        self.place = place
    }

    public func start(_ task: any SchemeTask, request: URLRequest) {
        let id = ObjectIdentifier(task)
        let asked = SiteRequest(request)
        let page = page(asked)
        var decided: SiteAnswer?
        // A request with a tag is decided on when its body has come, one that the app may answer when the app has.
        if let whole = task as? any WholeAnswerTask, !RequestTag.isIn(asked.url), !online.precedesPackage(asked) {
            let answer = page.answer(asked)
            if answerAtOnce(whole, answer, of: page) { return }
            decided = answer
        }
        let transfer = ResourceLoad(
            request, answered: decided, on: page, online: online, bodies: bodies, redirects: .followedWithinOrigin,
            at: place(), redirect: { $0 }
        ) { [weak self] event in
            switch event {
            case .response(let head): task.receive(head.askedAgain)
            case .data(let data): task.receive(data)
            // Forgotten only after its last call: a stop that comes during the call must find it and wait.
            case .finished:
                task.finish()
                self?.forget(id)
            case .failed(let error):
                task.fail(error)
                self?.forget(id)
            }
        }
        // Known before it starts: a stop may come while it does.
        let isNew = running.withLock { running in
            guard running[id] == nil else { return false }
            running[id] = Running(task: task, transfer: transfer)
            return true
        }
        if isNew { transfer.start() }
    }

    /// - Returns: whether the answer was at hand. What cannot be read goes the long way, which says why.
    private func answerAtOnce(_ task: any WholeAnswerTask, _ answer: SiteAnswer, of page: PageSession) -> Bool {
        guard case .local(let response) = answer.way, response.byteCount <= FileReader.chunkSize,
            let body = try? response.contents()
        else { return false }
        task.answer(TransferHead(status: response.status, headers: response.headers), body)
        page.finished(answer.number, status: response.status, byteCount: body.count)
        return true
    }

    /// Stops a task. When it returns, the task is not called again, on any thread.
    public func stop(_ task: any SchemeTask) {
        let known = running.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
        known?.transfer.stop()
    }

    /// Stops all tasks. Call it when the web view goes away.
    public func stopAll() {
        let known = running.withLock { running in
            defer { running = [:] }
            return running
        }
        for running in known.values { running.transfer.stop() }
    }

    /// The number of running tasks.
    public var runningCount: Int { running.withLock { $0.count } }

    private func forget(_ id: ObjectIdentifier) {
        _ = running.withLock { $0.removeValue(forKey: id) }
    }
}

extension TransferHead {
    /// The answer of a server that says nothing of caches is one to ask for again: WebKit answers a script's next request
    /// under a custom scheme from its memory, and a page that polls would see old data for ever.
    var askedAgain: TransferHead {
        let names = Set(headers.keys.map { $0.lowercased() })
        guard names.isDisjoint(with: ["cache-control", "expires", "pragma"]) else { return self }
        var headers = headers
        headers["cache-control"] = "no-cache"
        return TransferHead(status: status, headers: headers)
    }
}
