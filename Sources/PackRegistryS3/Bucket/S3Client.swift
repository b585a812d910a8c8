import Foundation
import PackFormat
import PackRegistryAPI
import Synchronization

/// A request to a store, before it is signed.
struct S3Request: Sendable {
    var method: String
    /// The whole name of the object; nil: the bucket.
    var key: String?
    var query: [(String, String)] = []
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The digest of the body, where it is known already.
    var digest: Digest?
    /// The most bytes that the answer's body may have.
    var maximumByteCount = 1 << 20
    /// Whether an answer is not whole or not what was asked for, so that it is asked for again.
    var isFaulty: @Sendable (HTTPAnswer) -> HTTPFailure? = { _ in nil }
}

/// Sends requests to a store: signed, and again for a while if the store is away or asks for patience.
///
/// Every request here may be repeated: it reads, or leaves the same behind the second time, or has a condition that the second one
/// does not meet.
final class S3Client: Sendable {
    private struct State {
        /// What the store's clock has more than ours, in seconds.
        var skew: TimeInterval = 0
        var wasReached = false
    }

    let location: S3Location
    /// For messages.
    let name: String
    let limits: S3Limits
    private let connections: HTTPConnections
    private let chain: CredentialChain
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(
        _ location: S3Location, name: String, limits: S3Limits, _ connections: HTTPConnections,
        _ chain: CredentialChain, now: @escaping @Sendable () -> Date
    ) {
        self.location = location
        self.name = name
        self.limits = limits
        self.connections = connections
        self.chain = chain
        self.now = now
    }

    /// - Parameter expected: The statuses that mean something to the caller; all others are errors.
    /// - Throws: ``RegistryError``
    func send(_ request: S3Request, expecting expected: Set<Int>) async throws -> HTTPAnswer {
        do { return try await answer(to: request, expecting: expected) } catch let fault as S3Fault {
            throw await error(for: fault)
        }
    }

    /// ``send(_:expecting:)`` that throws the ``S3Fault`` itself.
    func answer(to request: S3Request, expecting expected: Set<Int>) async throws -> HTTPAnswer {
        let begun = ContinuousClock.now
        var attempt = 0
        var wasRefreshed = false
        var wasSet = false
        var damagedCount = 0
        while true {
            let credentials = try await chain.credentials()
            let fault: S3Fault
            do {
                let answer = try await connections.send(signed(request, credentials))
                if let failure = request.isFaulty(answer) { throw failure }
                state.withLock { $0.wasReached = true }
                if expected.contains(answer.status) { return answer }
                fault = S3Fault(answer)
                if fault.isOfCredentials, !wasRefreshed {
                    wasRefreshed = true
                    await chain.forget(credentials)
                    continue
                }
                if fault.isOfClock, !wasSet, setClock(by: answer) {
                    wasSet = true
                    continue
                }
                if fault.isOfBytes, damagedCount < 2 {
                    damagedCount += 1
                    continue
                }
            } catch let failure as HTTPFailure {
                fault = S3Fault(failure)
            }
            let patience = state.withLock { $0.wasReached } ? limits.patience : limits.firstPatience
            guard fault.isPassing, .now - begun < patience else { throw fault }
            try await Task.sleep(for: pause(attempt))
            attempt += 1
        }
    }

    func error(for fault: S3Fault) async -> RegistryError { await fault.error(name, origin: chain.origin) }

    /// "Full jitter": no two wait equally long, so that a store that comes back is not met by all at once.
    private func pause(_ attempt: Int) -> Duration {
        let longest = min(.milliseconds(100) * (1 << min(attempt, 10)), limits.longestPause)
        return .milliseconds(10) + longest * Double.random(in: 0...1)
    }

    private func signed(_ request: S3Request, _ credentials: S3Credentials) -> HTTPExchange {
        let path = location.path(request.key)
        let content = RequestSignature.Content(
            method: request.method, host: location.host, path: path, query: request.query, fields: request.fields)
        let digest = request.digest ?? Digest(of: request.body)
        let signature = RequestSignature(credentials, region: location.region)
        var exchange = HTTPExchange(
            method: request.method, url: location.url(path: path, query: request.query), time: limits.attempt)
        exchange.fields =
            [("Host", location.host)] + request.fields
            + signature.fields(for: content, payload: digest.hex, at: storeTime)
        exchange.body = request.body
        exchange.maximumByteCount = request.maximumByteCount
        return exchange
    }

    /// A URL at which anybody reads an object for a while.
    /// - Parameter key: the whole name of the object.
    /// - Throws: ``RegistryError`` where there are no credentials.
    func readingURL(of key: String, seconds: Int) async throws -> String {
        let credentials = try await chain.credentials()
        let path = location.path(key)
        let content = RequestSignature.Content(method: "GET", host: location.host, path: path, query: [], fields: [])
        let signature = RequestSignature(credentials, region: location.region)
        return location.url(path: path, query: signature.query(for: content, seconds: seconds, at: storeTime))
    }

    /// What the store's clock says now.
    private var storeTime: Date { now().addingTimeInterval(state.withLock { $0.skew }) }

    /// Takes over the store's time. Only signatures follow it.
    private func setClock(by answer: HTTPAnswer) -> Bool {
        guard let text = answer.field("Date"), let time = HTTPTime.parse(text) else { return false }
        state.withLock { $0.skew = time.timeIntervalSince(now()) }
        return true
    }
}
