import Foundation
import PackFormat
import PackHTTP
import PackRegistryAPI
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer: its head, and its body unless it was written to a file.
struct HTTPReply: Sendable {
    let status: Int
    let fields: [String: String]
    let body: [UInt8]
}

/// The destination of an answer's body, and its largest size.
enum HTTPSink: Sendable {
    case memory(maximumByteCount: Int)
    /// A 200 is written to the file; any other answer stays in memory.
    case file(URL)

    /// The body of an answer that says what went wrong.
    fileprivate static let maximumProblemByteCount = 1 << 20

    /// Of the body of any answer.
    fileprivate var maximumByteCount: Int {
        switch self {
        case .memory(let limit): max(limit, Self.maximumProblemByteCount)
        case .file: .max
        }
    }
}

/// Sends requests one by one over a shared URL session. Received bodies are limited, and sent bodies are streamed
/// from files. A redirect is an answer like any other, because a token must not follow it to another host.
final class HTTPExchange: Sendable {
    private let session: URLSession
    private let delegate: ExchangeDelegate

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 8
        let delegate = ExchangeDelegate()
        self.delegate = delegate
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// - Throws: `URLError`, or ``RegistryError`` if the answer is over its limit or the file cannot be written.
    func send(_ request: URLRequest, uploading file: URL? = nil, into sink: HTTPSink) async throws -> HTTPReply {
        var request = request
        request.acceptPlainAnswer(upTo: sink.maximumByteCount)
        let task = file.map { session.uploadTask(with: request, fromFile: $0) } ?? session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                delegate.expect(task.taskIdentifier, sink: sink, continuation: continuation)
                task.resume()
            }
        } onCancel: {
            delegate.cancel(task)
        }
    }
}

private final class ExchangeDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        let sink: HTTPSink
        let continuation: CheckedContinuation<HTTPReply, any Error>
        var limit = 0
        var body: [UInt8] = []
        var file: FileHandle?
        var failure: RegistryError?
        var isCancelled = false
    }

    private let exchanges = Mutex<[Int: Exchange]>([:])

    func expect(_ task: Int, sink: HTTPSink, continuation: CheckedContinuation<HTTPReply, any Error>) {
        exchanges.withLock { $0[task] = Exchange(sink: sink, continuation: continuation) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchanges.withLock { exchanges in
            if exchanges[task.taskIdentifier]?.isCancelled == false { completionHandler(nil) }
        }
    }

    /// Under the lock, so that no redirect is answered after it: Foundation on Linux stops the process then.
    func cancel(_ task: URLSessionTask) {
        exchanges.withLock { exchanges in
            exchanges[task.taskIdentifier]?.isCancelled = true
            task.cancel()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let isWelcome = exchanges.withLock { exchanges in
            guard var exchange = exchanges[dataTask.taskIdentifier] else { return false }
            defer { exchanges[dataTask.taskIdentifier] = exchange }
            switch exchange.sink {
            case .memory(let limit): exchange.limit = status == 200 ? limit : exchange.sink.maximumByteCount
            case .file where status != 200: exchange.limit = HTTPSink.maximumProblemByteCount
            case .file(let url):
                exchange.limit = .max
                if FileManager.default.createFile(
                    atPath: url.path(percentEncoded: false), contents: nil, attributes: [.posixPermissions: 0o644])
                {
                    exchange.file = try? FileHandle(forWritingTo: url)
                }
                if exchange.file == nil {
                    exchange.failure = RegistryError(.unusable, "\(url.path(percentEncoded: false)) cannot be written")
                }
            }
            if let coding = (response as? HTTPURLResponse)?.unwantedCoding {
                exchange.failure = RegistryError(
                    .unreachable,
                    "\(response.url?.host() ?? "the server") compresses its answers (\(coding)), which was not asked "
                        + "for: turn that off for the registry")
            }
            if response.expectedContentLength > exchange.limit {
                exchange.failure = Self.overLimit(exchange.limit, response.url)
            }
            return exchange.failure == nil
        }
        completionHandler(isWelcome ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isWelcome = exchanges.withLock { exchanges in
            guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            defer { exchanges[dataTask.taskIdentifier] = exchange }
            guard exchange.failure == nil else { return false }
            if let file = exchange.file {
                do { try file.write(contentsOf: data) } catch {
                    exchange.failure = RegistryError(.full, "the download cannot be written: \(error)")
                }
            } else if exchange.body.count + data.count > exchange.limit {
                exchange.failure = Self.overLimit(exchange.limit, dataTask.originalRequest?.url)
            } else {
                exchange.body += data
            }
            return exchange.failure == nil
        }
        if !isWelcome { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        try? exchange.file?.close()
        if let failure = exchange.failure {
            exchange.continuation.resume(throwing: failure)
        } else if let response = task.response as? HTTPURLResponse, error == nil {
            var fields: [String: String] = [:]
            for (name, value) in response.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
            exchange.continuation.resume(
                returning: HTTPReply(status: response.statusCode, fields: fields, body: exchange.body))
        } else {
            exchange.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
    }

    private static func overLimit(_ limit: Int, _ url: URL?) -> RegistryError {
        RegistryError(.tooLarge, "\(url?.path() ?? "the answer") is longer than the \(limit) bytes that are read")
    }
}
