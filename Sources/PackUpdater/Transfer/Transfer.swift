import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why one attempt failed.
struct TransferFailure: Error {
    let reason: String
    /// Another attempt may succeed.
    let isTransient: Bool
    /// The server is there and answered; another way to the same content may work.
    var isAnswer = false
    /// What a busy server asked for.
    var retryAfter: Duration?
}

/// One request under way: what is done with its answer, and when it is refused. Lives in its transport's actor.
final class Transfer {
    private let task: URLSessionDataTask
    private let file: DownloadFile?
    private let maximumByteCount: Int
    private(set) var status = 0
    private(set) var validator: String?
    /// The body, where there is no file for it.
    private(set) var bytes: [UInt8] = []
    /// Bytes of this answer's body.
    private(set) var received = 0
    private var failure: (any Error)?
    private var retryAfter: Duration?
    /// The bytes that this answer must have; nil where the server did not say.
    private var announced: Int?
    private var continuation: CheckedContinuation<Void, any Error>?

    init(task: URLSessionDataTask, file: DownloadFile?, maximumByteCount: Int) {
        self.task = task
        self.file = file
        self.maximumByteCount = maximumByteCount
    }

    func start(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = continuation
        task.resume()
    }

    func cancel(_ error: any Error) {
        if failure == nil { failure = error }
        task.cancel()
    }

    private func refuse(_ reason: String) {
        cancel(TransferFailure(reason: reason, isTransient: false))
    }

    func receive(_ response: HTTPURLResponse) {
        status = response.statusCode
        validator = response.value(forHTTPHeaderField: "ETag")
        retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init).map { .seconds(max(0, $0)) }
        let length = response.value(forHTTPHeaderField: "Content-Length").flatMap(Int.init)
        let offset = status == 206 ? file?.offset ?? 0 : 0
        guard [200, 206].contains(status) else { return }
        announced = length
        if let length, length > maximumByteCount - offset {
            return refuse("it has \(length + offset) bytes where at most \(maximumByteCount) are expected")
        }
        if status == 206 {
            guard let file, file.offset > 0 else { return refuse("it is a part that nobody asked for") }
            let range = response.value(forHTTPHeaderField: "Content-Range") ?? ""
            guard range.hasPrefix("bytes \(file.offset)-") else {
                return refuse("it is the part \"\(range)\" where the bytes from \(file.offset) were asked for")
            }
        } else if let file {
            do { try file.restart(validator: validator) } catch { cancel(error) }
        }
    }

    func receive(_ data: Data) {
        guard failure == nil, status == 200 || status == 206 else { return }
        received += data.count
        let offset = status == 206 ? file?.offset ?? 0 : 0
        guard received <= maximumByteCount - offset else {
            return refuse("it is longer than \(maximumByteCount) bytes")
        }
        if let file {
            do { try file.append(data) } catch { cancel(error) }
        } else {
            bytes += data
        }
    }

    func finish(_ error: (any Error)?) {
        let outcome: (any Error)?
        if let failure {
            outcome = failure
        } else if let error {
            let isCancelled = (error as? URLError)?.code == .cancelled
            outcome =
                isCancelled
                ? CancellationError()
                : TransferFailure(reason: (error as NSError).localizedDescription, isTransient: true)
        } else if [200, 206].contains(status), let announced, announced != received {
            outcome = TransferFailure(
                reason: "it ended after \(received) of \(announced) bytes", isTransient: true)
        } else {
            outcome = nil
        }
        if let outcome { continuation?.resume(throwing: outcome) } else { continuation?.resume() }
        continuation = nil
    }

    /// What a status that is no answer means.
    var statusFailure: TransferFailure {
        TransferFailure(
            reason: "the server answered with status \(status)",
            isTransient: status == 408 || status == 429 || status >= 500, isAnswer: true, retryAfter: retryAfter)
    }
}
