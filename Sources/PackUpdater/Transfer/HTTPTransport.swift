import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Reads the published view over HTTP with a client of its own: limited in length and time, resumable by Range and
/// If-Range (RFC 9110 sections 13.1.5 and 14), without a cache or cookies.
package final class HTTPTransport: UpdateTransport {
    private let base: URL
    private let limits: TransferLimits
    private let client: any NetworkClient

    /// - Parameter base: The address of the view, with or without a slash at its end.
    package init(base: URL, limits: TransferLimits = TransferLimits(), reach: UpdaterNetwork) {
        self.base = base
        self.limits = limits
        // Ours are finer; this stall is the net below them.
        client = reach.client(NetworkLimits(parallelism: limits.parallelism, stall: limits.stall + .seconds(5)))
    }

    package func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
        try await retrying(path) {
            let headers = validator.map { ["If-None-Match": $0] } ?? [:]
            let transfer = try await run(path, file: nil, maximumByteCount: maximumByteCount, headers: headers)
            switch transfer.status {
            case 200: return .bytes(transfer.bytes, validator: transfer.validator)
            case 304 where validator != nil: return .unchanged
            case 404, 410: return .missing
            default: throw transfer.statusFailure
            }
        }
    }

    package func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
        try await retrying(path, progress: { Durable.size(of: file) ?? 0 }, within: 2 * maximumByteCount) {
            let target = try DownloadFile(file)
            var headers: [String: String] = [:]
            if let validator = target.validator {
                headers = ["Range": "bytes=\(target.offset)-", "If-Range": validator]
            }
            let transfer: TransferAnswer
            do {
                transfer = try await run(path, file: target, maximumByteCount: maximumByteCount, headers: headers)
            } catch let failure as TransferFailure {
                if failure.endsPart { try DownloadFile.remove(file) }
                throw failure
            }
            switch transfer.status {
            case 200, 206: return true
            case 404, 410:
                try DownloadFile.remove(file)
                return false
            case 416:
                // The whole is here already, and under this ETag; else what is here is too long: start over.
                if target.offset > 0, transfer.wholeByteCount == target.offset { return true }
                try DownloadFile.remove(file)
                throw TransferFailure(reason: "the server cannot continue the download", isTransient: true)
            default: throw transfer.statusFailure
            }
        }
    }

    /// Tries again after a failure that may pass. Progress counts: a bad line that moves on is not given up. A server
    /// that gives a byte each time is, and one that has begun anew until more came than `limit`: they would hold the
    /// device for ever.
    private func retrying<Result>(
        _ path: String, progress: () -> Int = { 0 }, within limit: Int = 0, _ body: () async throws -> Result
    ) async throws -> Result {
        var attempt = 0
        var gained = 0
        while true {
            attempt += 1
            let before = progress()
            do {
                return try await body()
            } catch let failure as TransferFailure {
                let gain = progress() - before
                gained += max(0, gain)
                if gain >= limits.leastProgress, gained <= limit { attempt = 1 }
                try await wait(after: failure, attempt: attempt, path: path)
            }
        }
    }

    private func address(_ path: String) -> URL { base.appending(path: path) }

    private func wait(after failure: TransferFailure, attempt: Int, path: String) async throws {
        let address = address(path).absoluteString
        let final: UpdateError =
            failure.isOverload
            ? .overloaded(address: address, reason: failure.reason, retryAfter: failure.retryAfter)
            : failure.isTransient && !failure.isAnswer
                ? .unreachable(address: address, reason: failure.reason)
                : .badAnswer(address: address, reason: failure.reason)
        guard failure.isTransient, attempt < limits.attempts else { throw final }
        var pause = limits.backoff * (1 << min(attempt - 1, 6))
        if let asked = failure.retryAfter {
            guard asked <= limits.longestRetryAfter else { throw final }
            pause = max(pause, asked)
        }
        try await Task.sleep(for: pause)
    }

    private func run(
        _ path: String, file: DownloadFile?, maximumByteCount: Int, headers: [String: String]
    ) async throws -> TransferAnswer {
        var request = NetworkRequest(address(path), maximumByteCount: DownloadAttempt.limit(maximumByteCount))
        request.fields = headers
        let meter = DownloadMeter.current
        let exchange = client.exchange(request)
        let watch = Task { try await self.watch(exchange) }
        defer { watch.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.start(
                    DownloadAttempt(
                        file: file, maximumByteCount: maximumByteCount, continuation: continuation,
                        report: { meter?.report(path, received: $0, expected: $1) }))
                // Who was cancelled before the start has cancelled nothing.
                if Task.isCancelled { exchange.end(CancellationError()) }
            }
        } onCancel: {
            exchange.cancel(CancellationError())
        }
    }

    /// Ends a transfer that stands still or crawls.
    private func watch(_ exchange: any NetworkExchange) async throws {
        let tick = min(limits.stall / 4, .seconds(1))
        var last = 0
        var still: Duration = .zero
        var window: (elapsed: Duration, start: Int) = (.zero, 0)
        while true {
            try await Task.sleep(for: tick)
            guard let received = exchange.received else { return }
            still = received == last ? still + tick : .zero
            last = received
            window.elapsed += tick
            if still >= limits.stall {
                let reason = "nothing came for \(limits.stall)"
                return exchange.cancel(TransferFailure(reason: reason, isTransient: true))
            }
            guard window.elapsed >= limits.rateWindow else { continue }
            if received - window.start < limits.minimumRate * max(1, Int(limits.rateWindow.components.seconds)) {
                let reason = "it came slower than \(limits.minimumRate) bytes a second"
                return exchange.cancel(TransferFailure(reason: reason, isTransient: true))
            }
            window = (.zero, received)
        }
    }
}
