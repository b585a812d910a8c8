package import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Why one attempt failed.
package struct TransferFailure: Error {
    let reason: String
    /// Another attempt may succeed.
    let isTransient: Bool
    /// The server is there and answered; another way to the same content may work.
    var isAnswer = false
    /// The server has more to do than it can (429, 503).
    var isOverload = false
    /// What a busy server asked for.
    var retryAfter: Duration?
    /// What is on disk cannot be continued.
    var endsPart = false

    /// The connection failed, by an error of the client's.
    /// - Parameter text: the client's own words.
    package static func connection(_ text: String, _ refusal: CertificateRefusal?) -> TransferFailure {
        TransferFailure(reason: text + (refusal.map { ": \($0.advice)" } ?? ""), isTransient: true)
    }
}

/// What one request returned.
struct TransferAnswer: Sendable {
    let status: Int
    let validator: String?
    /// The body, if there is no file for it.
    let bytes: [UInt8]
    /// The length of the whole by a 416 answer (RFC 9110 section 15.5.17); nil if it does not say.
    let wholeByteCount: Int?
    fileprivate let retryAfter: Duration?

    /// What a status that is no answer means.
    var statusFailure: TransferFailure {
        TransferFailure(
            reason: "the server answered with status \(status)",
            isTransient: status == 408 || status == 429 || status >= 500, isAnswer: true,
            isOverload: status == 429 || status == 503, retryAfter: retryAfter)
    }
}

/// One running request: what happens to its answer, and when it is refused.
package struct DownloadAttempt: Sendable {
    private let file: DownloadFile?
    private let maximumByteCount: Int
    private let continuation: CheckedContinuation<TransferAnswer, any Error>
    /// Told of the bytes of the file that are here, and of all that it will have.
    private let report: @Sendable (_ received: Int, _ expected: Int?) -> Void
    private var status = 0
    private var validator: String?
    private var bytes: [UInt8] = []
    private var retryAfter: Duration?
    private var failure: (any Error)?
    package var isRefused: Bool { failure != nil }
    /// The bytes that this answer must have; nil if the server did not say.
    private var announced: Int?
    private var wholeByteCount: Int?
    /// Bytes of this answer's body.
    package private(set) var received = 0

    init(
        file: DownloadFile?, maximumByteCount: Int, continuation: CheckedContinuation<TransferAnswer, any Error>,
        report: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
    ) {
        self.report = report
        self.file = file
        self.maximumByteCount = maximumByteCount
        self.continuation = continuation
    }

    /// The first fault is the one that counts.
    package mutating func refuse(_ error: any Error) {
        if failure == nil { failure = error }
    }

    private mutating func refuse(_ reason: String) {
        refuse(TransferFailure(reason: reason, isTransient: false))
    }

    private var hasBody: Bool { status == 200 || status == 206 }
    private var offset: Int { status == 206 ? file?.offset ?? 0 : 0 }

    /// - Returns: whether the body may come.
    package mutating func receive(_ head: NetworkHead) -> Bool {
        status = head.status
        validator = head.field("ETag")
        retryAfter = head.field("Retry-After").flatMap(Int.init).map { .seconds(max(0, $0)) }
        if let coding = head.unwantedCoding {
            refuse(
                "it is compressed (\(coding)), which was not asked for: the server must send files as they are"
            )
            return false
        }
        let range = head.field("Content-Range") ?? ""
        if status == 416, range.hasPrefix("bytes */") { wholeByteCount = Int(range.dropFirst("bytes */".count)) }
        guard hasBody else { return true }
        announced = head.field("Content-Length").flatMap(Int.init)
        // Both numbers come from outside: they are compared and never added.
        if let announced, announced < 0 {
            refuse("it says that it has \(announced) bytes")
        } else if let announced, announced > maximumByteCount - offset {
            let place = offset > 0 ? " after the \(offset) that are here" : ""
            refuse("it has \(announced) bytes\(place), where at most \(maximumByteCount) in all are expected")
        } else if status == 206 {
            if let validator, let known = file?.validator, validator != known {
                refuse(
                    TransferFailure(
                        reason: "it is a part of \(validator) where a part of \(known) was asked for",
                        isTransient: true, isAnswer: true, endsPart: true))
            } else if offset == 0 || !range.hasPrefix("bytes \(offset)-") {
                refuse("it is the part \"\(range)\" where the bytes from \(offset) were asked for")
            }
        } else if let file {
            do { try file.restart(validator: validator) } catch { refuse(error) }
        }
        return failure == nil
    }

    /// The body of an error is of no use, but it may not cost more than an answer either.
    static func limit(_ maximumByteCount: Int) -> Int { max(maximumByteCount, 1 << 16) }

    /// - Returns: whether more may come.
    package mutating func receive(_ data: Data) -> Bool {
        guard failure == nil else { return false }
        received += data.count
        guard received <= (hasBody ? maximumByteCount - offset : Self.limit(maximumByteCount)) else {
            refuse("it is longer than \(maximumByteCount) bytes")
            return false
        }
        guard hasBody else { return true }
        if let file {
            do {
                try file.append(data)
                report(offset + received, announced.map { offset + $0 })
            } catch {
                refuse(error)
            }
        } else {
            bytes += data
        }
        return failure == nil
    }

    /// - Parameter error: why the client could not end it: ``TransferFailure/connection(_:_:)`` or a `CancellationError`.
    package consuming func finish(_ error: (any Error)?) {
        if let error = failure ?? error {
            continuation.resume(throwing: error)
        } else if hasBody, let announced, announced != received {
            continuation.resume(
                throwing: TransferFailure(
                    reason: "it ended after \(received) of \(announced) bytes", isTransient: true))
        } else {
            continuation.resume(
                returning: TransferAnswer(
                    status: status, validator: validator, bytes: bytes, wholeByteCount: wholeByteCount,
                    retryAfter: retryAfter))
        }
    }
}
