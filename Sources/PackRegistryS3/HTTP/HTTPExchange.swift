import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import PackFormat

/// One request to a server, and its whole answer.
struct HTTPExchange: Sendable {
    var method: String
    /// With path and query encoded as they are sent.
    var url: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Of an answer that says that it has a larger body, no body is read. One that has it without a word is a failure.
    var maximumByteCount = 1 << 20
    /// An answer that is not there as a whole after this time is a failure.
    var time: Duration
}

/// The answer of a server, whatever its status.
struct HTTPAnswer: Sendable {
    let status: Int
    let fields: HTTPHeaders
    let body: [UInt8]
    /// The body is larger than what was to be read, and was not.
    var isTooLarge = false

    func field(_ name: String) -> String? { fields.first(name: name) }
}

/// There is no answer, or none that is whole.
struct HTTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
}

/// Connections to servers, which are kept for the next requests.
///
/// Redirects are not followed, because a signature is for one host, and no proxy of the environment is asked.
final class HTTPConnections: Sendable {
    private let client: HTTPClient

    /// - Parameter silence: a connection on which nothing comes or goes for so long is given up.
    /// - Parameter hosts: addresses of names, as `/etc/hosts` has them.
    /// - Parameter authorities: certificates in PEM form that are trusted besides the system's; empty: none.
    /// - Throws: what NIOSSL says of authorities that are no certificates.
    init(
        count: Int, connecting: Duration, silence: Duration, hosts: [String: String] = [:], authorities: String = ""
    ) throws {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if !authorities.isEmpty {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(Array(authorities.utf8)))]
            configuration.tlsConfiguration = tls
        }
        configuration.httpVersion = .http1Only
        configuration.timeout = HTTPClient.Configuration.Timeout(
            connect: TimeAmount(connecting), read: TimeAmount(silence), write: TimeAmount(silence))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = count
        configuration.dnsOverride = hosts
        // Repeating is for those who know the deadline.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Shorter than what servers and load balancers keep: a request on a connection that is just being closed is lost.
        configuration.connectionPool.idleTimeout = .seconds(15)
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    deinit {
        client.shutdown { _ in }
    }

    /// - Throws: ``HTTPFailure``, or `CancellationError`
    func send(_ exchange: HTTPExchange) async throws -> HTTPAnswer {
        try await withThrowingTaskGroup(of: HTTPAnswer?.self) { group in
            group.addTask { try await self.answer(to: exchange) }
            group.addTask {
                try await Task.sleep(for: exchange.time)
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else {
                throw HTTPFailure(description: "no whole answer within \(exchange.time.components.seconds) seconds")
            }
            return answer
        }
    }

    private func answer(to exchange: HTTPExchange) async throws -> HTTPAnswer {
        var request = HTTPClientRequest(url: exchange.url)
        request.method = HTTPMethod(rawValue: exchange.method)
        for (name, value) in exchange.fields { request.headers.add(name: name, value: value) }
        request.headers.replaceOrAdd(name: "User-Agent", value: ProductVersion.userAgent("packtool"))
        // An empty body has its length too: some stores refuse a PUT without.
        if !exchange.body.isEmpty || exchange.method == "PUT" || exchange.method == "POST" {
            request.body = .bytes(ByteBuffer(bytes: exchange.body))
        }
        do {
            let response = try await client.execute(request, deadline: .distantFuture)
            let status = Int(response.status.code)
            let count = response.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
            guard exchange.method == "HEAD" || count <= exchange.maximumByteCount else {
                return HTTPAnswer(status: status, fields: response.headers, body: [], isTooLarge: true)
            }
            let body = try await response.body.collect(upTo: exchange.maximumByteCount)
            return HTTPAnswer(status: status, fields: response.headers, body: Array(body.readableBytesView))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw HTTPFailure(description: Self.text(error))
        }
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case is NIOTooManyBytesError: "the answer is larger than what was asked for"
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            "its certificate is signed by no authority that is trusted here: give the authority with --ca or PACKTOOL_CA"
        default: "\(error)"
        }
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
