public import Foundation
import PackFormat
public import PackWeb

/// The app's side of the page hook: it answers the hook's messages.
///
///     let bridge = PageBridge(pages: { _ in page }, online: online, bodies: bodies)
///     // from the web view's message handler, which knows the sender:
///     reply(await bridge.reply(to: text, from: PageBridge.Sender(origin: "https://shop.package", page: url)))
///
/// 1. *Body hand-over*: bodies go to the ``BodyStore``, from which the adapters fetch them.
/// 2. *Full hand-over*: the request is decided and performed like any request of the page, and its events wait until the
///    page asks for them. A browser's rules for other origins apply.
/// 3. Every message is parsed strictly, measured, and attributed to the frame's origin as the web view reports it. An
///    origin that is not admitted gets an error, and no page can use what another one has sent.
public final class PageBridge: Sendable {
    /// The sender of a message, as the web view knows it from the frame. It never depends on the message.
    public struct Sender: Hashable, Sendable {
        /// The frame's origin, such as `https://shop.package`.
        public let origin: String
        /// The frame's address.
        public let page: URL?

        public init(origin: String, page: URL? = nil) {
            self.origin = origin.lowercased()
            self.page = page
        }
    }

    public struct Configuration: Sendable {
        /// Says whether messages of an origin are read.
        public var admits: @Sendable (_ origin: String) -> Bool = { _ in true }
        /// Whether a server of another origin must allow the request, as in a browser.
        public var asksOtherOrigins = true
        /// Whether an https or custom-scheme page may get plain http from other machines. Engines block this as mixed
        /// content, because anybody on the way can read and change it. This machine's own services do not count as
        /// others.
        public var allowsMixedContent = false
        /// Called when a page reports that its version works. The app must decide whether the sender may speak for
        /// the package.
        public var confirm:
            (
                @Sendable (_ sender: Sender, _ package: String, _ version: String, _ token: String) async throws -> Void
            )?
        public var cookies: (any CookieAuthority)?
        /// The largest number of running requests.
        public var maximumCallCount = 256
        /// How long a poll for events waits for one.
        public var patience: Duration = .seconds(20)
        /// How long a request is kept without a poll of its page. Only the time in which the app runs counts.
        public var lifetime: Duration = .seconds(60)

        public init() {}
    }

    public let bodies: BodyStore
    private let pages: @Sendable (SiteRequest) -> PageSession
    private let online: NetworkLoader
    private let configuration: Configuration
    private let now: @Sendable () -> ContinuousClock.Instant
    private struct Calls: Sendable {
        var known: [HookID: BridgedFetch] = [:]
        /// Those that no page asks about, such as beacons; they outlive their pages.
        var unread: Set<HookID> = []
        /// The latest frames that have left: what a page sends on its leaving may come after its goodbye.
        var goodbyes: [String] = []

        var count: Int { known.count + unread.count }

        mutating func leave(_ nonce: String) {
            goodbyes.append(nonce)
            if goodbyes.count > 64 { goodbyes.removeFirst() }
        }

        /// Takes out those whose reader is gone, which are then told so.
        mutating func drop(where isLeft: (HookID, BridgedFetch) -> Bool) -> [BridgedFetch] {
            let left = known.filter { isLeft($0.key, $0.value) }
            for (id, call) in left {
                known[id] = nil
                if call.isKeptAlive, call.becomeUnread() { unread.insert(id) }
            }
            return Array(left.values)
        }
    }

    private let calls = Locked(Calls())

    /// - Parameter pages: Returns the session of the page that makes a request.
    public convenience init(
        pages: @escaping @Sendable (SiteRequest) -> PageSession, online: NetworkLoader, bodies: BodyStore = BodyStore(),
        configuration: Configuration = Configuration()
    ) {
        // A page that waits for events asks again after each `patience`.
        let clock = RunningClock(step: max(configuration.patience, .seconds(20)))
        self.init(pages: pages, online: online, bodies: bodies, configuration: configuration) { clock.now }
    }

    init(
        pages: @escaping @Sendable (SiteRequest) -> PageSession, online: NetworkLoader, bodies: BodyStore,
        configuration: Configuration, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.pages = pages
        self.online = online
        self.bodies = bodies
        self.configuration = configuration
        self.now = now
    }

    /// The number of running requests.
    public var callCount: Int { calls.withLock { $0.count } }
    /// The bytes of answers that wait for their pages.
    public var unreadByteCount: Int { calls.withLock { Array($0.known.values) }.reduce(0) { $0 + $1.byteCount } }

    /// Stops and frees everything, except beacons and requests with `keepalive`, which go on unread. Call it when the
    /// web view goes away or its page has changed.
    public func pageEnded() {
        for call in calls.withLock({ $0.drop { _, _ in true } }) { call.leave() }
        bodies.removeAll()
    }

    /// Executes a message.
    /// - Returns: the answer, JSON in one line; an error is an answer too.
    public func reply(to text: String, from sender: Sender) async -> String {
        do {
            guard configuration.admits(sender.origin) else {
                throw HookFault(.origin, "\(sender.origin) may not speak to this app")
            }
            return try await answer(HookMessage(parsing: text), from: sender)
        } catch let fault as HookFault {
            return Reply(error: ["code": fault.code.rawValue, "message": fault.message]).text
        } catch {
            return Reply(error: ["code": "unavailable", "message": "\(error)"]).text
        }
    }

    private struct Reply: Encodable {
        var error: [String: String]?
        var events: [HookEvent]?
        var cookies: String?

        var text: String {
            (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        }
    }

    private func answer(_ message: HookMessage, from sender: Sender) async throws -> String {
        dropForgotten()
        var reply = Reply()
        switch message {
        case .body(let id, let purpose, let body):
            try bodies.begin(id, body, purpose: purpose, origin: sender.origin)
        case .chunk(let id, let number, let data):
            try bodies.append(id, number: number, data, origin: sender.origin)
        case .request(let id, let request, let body):
            try begin(id, request, body, from: sender)
        case .read(let id):
            let call = try call(id, of: sender)
            let (events, isOver) = await call.read(patience: configuration.patience, now: now())
            if isOver { _ = calls.withLock { $0.known.removeValue(forKey: id) } }
            reply.events = events
        case .cancel(let id):
            if let call = try? call(id, of: sender) {
                _ = calls.withLock { $0.known.removeValue(forKey: id) }
                call.cancel()
            }
            bodies.cancel(id, origin: sender.origin)
        case .leave(let nonce):
            bodies.leave(nonce: nonce, origin: sender.origin)
            let left = calls.withLock { calls in
                calls.leave(nonce)
                return calls.drop { $0.nonce == nonce && $1.origin == sender.origin }
            }
            for call in left { call.leave() }
        case .cookies, .setCookie:
            guard let cookies = configuration.cookies, let page = sender.page else {
                throw HookFault(.unavailable, "this app keeps no cookies for scripts")
            }
            if case .setCookie(let text) = message { cookies.setScriptCookie(text, at: page) }
            if case .cookies = message { reply.cookies = cookies.scriptCookies(at: page) }
        case .confirm(let package, let version, let token):
            guard let confirm = configuration.confirm else {
                throw HookFault(.unavailable, "this app has no version to confirm")
            }
            try await confirm(sender, package, version, token)
        }
        return reply.text
    }

    private func call(_ id: HookID, of sender: Sender) throws -> BridgedFetch {
        guard let call = calls.withLock({ $0.known[id] }) else {
            throw HookFault(.unknown, "no such request is under way")
        }
        guard call.origin == sender.origin else { throw HookFault(.origin, "the request is another page's") }
        return call
    }

    private func begin(
        _ id: HookID, _ request: HookMessage.Request, _ body: HookMessage.Body?, from sender: Sender
    ) throws {
        let call = BridgedFetch(
            origin: sender.origin, isUnread: request.isUnread, isKeptAlive: request.isKeptAlive, now: now())
        let isNew = calls.withLock { calls in
            guard calls.known[id] == nil, !calls.unread.contains(id), calls.count < configuration.maximumCallCount
            else { return false }
            let hasLeft = request.isKeptAlive && calls.goodbyes.contains(id.nonce) && call.becomeUnread()
            if request.isUnread || hasLeft { calls.unread.insert(id) } else { calls.known[id] = call }
            return true
        }
        guard isNew else { throw HookFault(.tooLarge, "too many requests are under way, or the id is in use") }
        do {
            if let body { try bodies.begin(id, body, purpose: request.purpose, origin: sender.origin) }
        } catch {
            calls.withLock { calls in
                calls.known[id] = nil
                calls.unread.remove(id)
            }
            throw error
        }
        let performer = BridgedFetcher(
            request: request, call: call, pages: pages, online: online,
            rules: CrossOriginRules(
                origin: sender.origin, mode: configuration.asksOtherOrigins ? request.mode : .sameOrigin,
                credentials: request.credentials),
            allowsMixedContent: configuration.allowsMixedContent)
        let bodies = bodies
        let hasBody = body != nil
        let task = Task {
            if hasBody {
                await performer.run { await bodies.take(id) }
            } else {
                await performer.run(body: nil)
            }
            // Of one that is read, the events wait to be read.
            _ = self.calls.withLock { $0.unread.remove(id) }
        }
        call.onStop { task.cancel() }
    }

    /// Requests that no page asks about any more: a page that crashed says no goodbye.
    private func dropForgotten() {
        let limit = now() - configuration.lifetime
        for call in calls.withLock({ $0.drop { $1.touched < limit } }) { call.leave() }
    }
}
