import HTTPTypes
import Hummingbird
import PackRegistryAPI

/// Data about clients: how many requests a client behind a proxy has running, and how many invalid tokens it has
/// sent.
struct ClientLimits: Sendable {
    private let proxies: TrustedProxies
    private let underWay: ClientTable
    private let failedTokens: FailedTokens

    init(limits: ServerLimits) {
        proxies = limits.trustedProxies
        underWay = ClientTable(limit: limits.maximumConnectionsPerAddress)
        let start = ContinuousClock.now
        failedTokens = FailedTokens(limit: limits.maximumFailedTokens) { ContinuousClock.now - start }
    }

    // Not inlined, for the reason that ``Bearer`` gives.
    /// Does what a request asks for. Connections are counted by ``ConnectionLimiter``; those of a proxy are many clients',
    /// so there the requests are.
    @inline(never)
    func admit<Result>(
        _ request: Request, from peer: String?, _ body: () async throws -> Result
    ) async throws -> Result {
        guard let peer, proxies.contains(peer) else { return try await body() }
        let client = proxies.client(of: peer, request.headers)
        guard underWay.enter(client) else {
            throw Problem.tooManyRequests(
                "\(client.map { "\($0)" } ?? "the client") has as many requests under way as it may",
                seconds: Problem.retrySeconds)
        }
        defer { underWay.leave(client) }
        return try await body()
    }

    /// The id that a trusted proxy gave the request in `X-Request-Id`, so that its log and ours name it alike. Nil from anybody
    /// else, and for a text that is not 8 to 64 letters, digits, `-` and `_`.
    func requestID(of request: Request, from peer: String?) -> String? {
        guard let peer, proxies.contains(peer), let id = request.headers[RequestIDField.name],
            (8...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || byte < 0x80 && Character(UnicodeScalar(byte)).isLetter
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            })
        else { return nil }
        return id
    }

    /// Whether a request brings an access token, or an id token to exchange.
    static func bringsToken(_ request: Request) -> Bool {
        request.headers[.authorization] != nil
            || request.uri.path.hasPrefix(Endpoints.exchangeToken.route.path)
    }

    /// Who asks, for the log.
    func client(of request: Request, from peer: String?) -> ClientAddress? {
        peer.flatMap { proxies.client(of: $0, request.headers) }
    }

    /// - Returns: the seconds until the next attempt counts anew, if these were too many.
    func countInvalidToken(of request: Request, from peer: String?) -> Int? {
        client(of: request, from: peer).flatMap { failedTokens.add($0) }
    }

    /// The problem itself, or that there were too many of its kind: tokens and id tokens that are not valid are counted.
    func judged(_ problem: Problem, _ request: Request, from peer: String?) -> Problem {
        guard problem.status == .unauthorized, Self.bringsToken(request),
            let client = client(of: request, from: peer),
            let seconds = failedTokens.add(client)
        else { return problem }
        return .tooManyRequests(
            "too many access tokens from \(client) were not valid: correct the token, and try again in "
                + "\(seconds) seconds", seconds: seconds)
    }
}
