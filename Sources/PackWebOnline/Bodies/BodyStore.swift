public import Foundation
import PackFormat
import PackWeb

/// Keeps the bodies that pages have handed over until their requests fetch them.
///
///     let bodies = BodyStore()
///     // the bridge puts bodies in; every adapter that gets requests takes them out:
///     let body = try await bodies.take(id)
///
/// The memory is limited: in total, for one body, and in time. A body is removed when its request has fetched it,
/// when the page cancels or leaves, when its bytes stop arriving, and when no request fetches it.
public final class BodyStore: Sendable {
    public struct Limits: Hashable, Sendable {
        /// The largest body in bytes.
        public var body = PageHook.defaultLargestBody
        /// The largest total of all bodies at a time, in bytes.
        public var total = 128 << 20
        /// The largest number of bodies at a time.
        public var count = 512
        /// How long a request waits for its body, counted from its start and from each of the body's chunks. Here and
        /// below, only the time in which the app runs counts.
        public var patience: Duration = .seconds(10)
        /// How long a body waits for its request, counted from its last chunk.
        public var lifetime: Duration = .seconds(60)

        public init() {}
    }

    /// What has happened to the bodies, for a report and for an alarm.
    public struct Counts: Hashable, Sendable, Codable {
        /// Bodies that their requests have fetched.
        public var restored = 0
        /// Requests that found no body although the page had not given them up.
        public var lost = 0
        /// Bodies that were dropped because no request fetched them.
        public var expired = 0
        /// Bodies that the limits refused.
        public var refused = 0
    }

    private struct Entry: Sendable {
        var body: CapturedBody?
        var data = Data()
        var nextChunk = 0
        var origin = ""
        var purpose = HookMessage.Purpose.request
        var hasFailed = false
        /// By the page, so that its request has lost nothing.
        var isGivenUp = false
        /// Put back for the next hop of a redirect, which may not come.
        var isReturned = false
        var touched: ContinuousClock.Instant
        var waiter: CheckedContinuation<Void, Never>?

        var isComplete: Bool { body.map { data.count == $0.size } ?? false }
    }

    private struct Taken: Sendable {
        let id: HookID
        let origin: String
        let purpose: HookMessage.Purpose
    }

    private struct State: Sendable {
        var entries: [HookID: Entry] = [:]
        var counts = Counts()
        /// The latest whose body was taken: a request that is sent again must not wait for what will not come.
        var taken: [Taken] = []
        /// A task waits to free what nobody comes for.
        var isSwept = false
        /// Bytes that are promised, and so kept free.
        var promised: Int { entries.values.reduce(0) { $0 + ($1.body?.size ?? 0) } }
    }

    /// How often the clock is looked at while something waits.
    private static let step: Duration = .seconds(2)

    private let limits: Limits
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Locked(State())

    public convenience init(limits: Limits = Limits()) {
        let clock = RunningClock(step: Self.step)
        self.init(limits: limits) { clock.now }
    }

    init(limits: Limits = Limits(), now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.limits = limits
        self.now = now
    }

    public var counts: Counts { state.withLock { $0.counts } }
    /// The number of stored bodies, complete or not.
    public var count: Int { state.withLock { state in state.entries.values.filter { $0.body != nil }.count } }
    public var byteCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.data.count } } }

    /// - Throws: ``HookFault``
    func begin(_ id: HookID, _ start: HookMessage.Body, purpose: HookMessage.Purpose, origin: String) throws {
        let waiter: CheckedContinuation<Void, Never>?
        waiter = try state.withLock { state in
            expire(&state)
            guard state.entries[id]?.body == nil else { throw HookFault(.invalid, "the id is in use") }
            guard state.entries[id]?.hasFailed != true else {
                throw HookFault(.unknown, "the request of this body is over")
            }
            guard start.body.size <= limits.body, state.promised <= limits.total - start.body.size,
                state.entries.count < limits.count
            else {
                state.counts.refused += 1
                throw HookFault(.tooLarge, "a body of \(start.body.size) bytes is over what the app keeps")
            }
            var entry = state.entries[id] ?? Entry(touched: now())
            entry.body = start.body
            entry.origin = origin
            entry.purpose = purpose
            entry.touched = now()
            if let data = start.data { entry.data = data }
            let waiter = entry.isComplete ? entry.waiter : nil
            if entry.isComplete { entry.waiter = nil }
            state.entries[id] = entry
            return waiter
        }
        waiter?.resume()
        sweep()
    }

    /// Frees what has outlived ``Limits/lifetime`` while no message comes: the page may be idle.
    private func sweep() {
        let isFirst = state.withLock { state in
            if state.entries.isEmpty || state.isSwept { return false }
            state.isSwept = true
            return true
        }
        guard isFirst else { return }
        let pause = min(limits.lifetime, Self.step)
        Task { [weak self] in
            while (try? await Task.sleep(for: pause)) != nil {
                let isOver = self?.state.withLock { state in
                    self?.expire(&state)
                    if state.entries.isEmpty { state.isSwept = false }
                    return state.entries.isEmpty
                }
                if isOver ?? true { return }
            }
        }
    }

    /// - Throws: ``HookFault``
    func append(_ id: HookID, number: Int, _ data: Data, origin: String) throws {
        let waiter: CheckedContinuation<Void, Never>? = try state.withLock { state in
            guard var entry = state.entries[id], let body = entry.body, !entry.hasFailed else {
                throw HookFault(.unknown, "no body of this id is being handed over")
            }
            guard entry.origin == origin else { throw HookFault(.origin, "the body is another page's") }
            guard number == entry.nextChunk, data.count <= body.size - entry.data.count else {
                fail(id, &state)?.resume()
                throw HookFault(.invalid, "the body's chunks do not make up the body")
            }
            // Copied here and not while it grows: nobody else holds it, so it grows in place.
            state.entries[id] = nil
            entry.data.append(data)
            entry.nextChunk += 1
            entry.touched = now()
            let waiter = entry.isComplete ? entry.waiter : nil
            if entry.isComplete { entry.waiter = nil }
            state.entries[id] = entry
            return waiter
        }
        waiter?.resume()
    }

    /// The page does not send the rest, or its request has ended.
    func cancel(_ id: HookID, origin: String) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let entry = state.entries[id] else {
                // It may have overtaken its body, which nobody would come for.
                guard state.entries.count < limits.count / 2, !state.taken.contains(where: { $0.id == id }) else {
                    return nil
                }
                state.entries[id] = Entry(touched: now())
                return giveUp(id, &state)
            }
            // One that has failed is its request's to take away, which has not looked yet.
            guard entry.origin == origin || entry.body == nil, !entry.hasFailed else { return nil }
            if entry.waiter != nil { return giveUp(id, &state) }
            state.entries[id] = nil
            return nil
        }
        waiter?.resume()
        sweep()
    }

    /// The page is gone; what its forms sent stays for the page that comes.
    func leave(nonce: String, origin: String) {
        let waiters = state.withLock { state in
            state.entries.filter {
                $0.key.nonce == nonce && $0.value.origin == origin && $0.value.purpose == .request
                    && !$0.value.hasFailed
            }
            .keys.compactMap { id -> CheckedContinuation<Void, Never>? in
                if state.entries[id]?.waiter != nil { return giveUp(id, &state) }
                state.entries[id] = nil
                return nil
            }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Frees everything. Call it when the web view goes away.
    public func removeAll() {
        let waiters = state.withLock { state in
            defer { state.entries = state.entries.filter { $0.value.hasFailed } }
            return state.entries.keys.compactMap { giveUp($0, &state) }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The body of a request when it is complete; the store forgets it.
    /// - Returns: Nil if the body did not arrive in time or completely. The request must then not be sent.
    public func take(_ id: HookID) async -> (body: CapturedBody, data: Data)? {
        let watch = Task { await self.watch(id) }
        defer { watch.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    expire(&state)
                    if state.entries[id] == nil, state.taken.contains(where: { $0.id == id }) { return true }
                    var entry = state.entries[id] ?? Entry(touched: now())
                    // A second request for one body would wait for what the first takes.
                    if entry.isComplete || entry.hasFailed || entry.waiter != nil || Task.isCancelled { return true }
                    entry.waiter = continuation
                    state.entries[id] = entry
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { fail(id, &$0) }?.resume()
        }
        return state.withLock { state in
            guard let entry = state.entries[id] else {
                if !Task.isCancelled { state.counts.lost += 1 }
                return nil
            }
            guard entry.waiter == nil else { return nil }
            state.entries[id] = nil
            guard let body = entry.body, entry.isComplete, !entry.hasFailed else {
                if !Task.isCancelled, !entry.isGivenUp { state.counts.lost += 1 }
                return nil
            }
            state.counts.restored += 1
            state.taken.append(Taken(id: id, origin: entry.origin, purpose: entry.purpose))
            if state.taken.count > limits.count { state.taken.removeFirst() }
            return (body, entry.data)
        }
    }

    /// Keeps a body that was taken for the request's next hop: a redirect that the client follows sends it once more.
    func putBack(_ id: HookID, _ body: CapturedBody, _ data: Data) {
        state.withLock { state in
            expire(&state)
            guard state.entries[id] == nil, let at = state.taken.firstIndex(where: { $0.id == id }),
                state.promised <= limits.total - body.size, state.entries.count < limits.count
            else { return }
            let taken = state.taken.remove(at: at)
            var entry = Entry(touched: now())
            (entry.body, entry.data, entry.isReturned) = (body, data, true)
            (entry.origin, entry.purpose) = (taken.origin, taken.purpose)
            state.entries[id] = entry
        }
        sweep()
    }

    /// Ends the wait when nothing has come for a while.
    private func watch(_ id: HookID) async {
        while !Task.isCancelled {
            let left = state.withLock { state in
                state.entries[id].map { limits.patience - (now() - $0.touched) }
            }
            // Not asked for yet: the wait begins now.
            let wait = left ?? limits.patience
            if wait <= .zero {
                state.withLock { fail(id, &$0) }?.resume()
                return
            }
            do {
                try await Task.sleep(for: min(max(wait, .milliseconds(5)), Self.step))
            } catch {
                return
            }
        }
    }

    private func fail(_ id: HookID, _ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard var entry = state.entries[id] else { return nil }
        let waiter = entry.waiter
        entry.waiter = nil
        entry.hasFailed = true
        entry.body = nil
        entry.data = Data()
        entry.touched = now()
        state.entries[id] = entry
        return waiter
    }

    private func giveUp(_ id: HookID, _ state: inout State) -> CheckedContinuation<Void, Never>? {
        state.entries[id]?.isGivenUp = true
        return fail(id, &state)
    }

    private func expire(_ state: inout State) {
        let limit = now() - limits.lifetime
        for (id, entry) in state.entries where entry.waiter == nil && entry.touched < limit {
            state.entries[id] = nil
            if !entry.hasFailed, !entry.isReturned { state.counts.expired += 1 }
        }
    }
}
