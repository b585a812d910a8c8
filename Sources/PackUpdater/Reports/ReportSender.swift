import PackFormat
import PackJSON

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Takes a report to the registry. Tests have their own.
package protocol ReportTransport: Sendable {
    /// - Returns: the status of the answer, and the seconds that the server asks to wait.
    /// - Throws: where no answer came.
    func post(_ body: [UInt8], to address: URL) async throws -> (status: Int, retryAfter: Int?)
}

/// Sends over HTTP, with a client of its own: no cookies, no cache, a short answer and little time.
package final class HTTPReportTransport: ReportTransport {
    private static let timeout = Duration.seconds(20)
    private static let maximumAnswerByteCount = 1 << 16

    private let client: any NetworkClient

    package init(reach: UpdaterNetwork) {
        client = reach.client(NetworkLimits(stall: Self.timeout, total: Self.timeout))
    }

    package func post(_ body: [UInt8], to address: URL) async throws -> (status: Int, retryAfter: Int?) {
        var request = NetworkRequest(address, maximumByteCount: Self.maximumAnswerByteCount)
        request.method = "POST"
        request.body = body
        request.fields = ["Content-Type": "application/json"]
        let exchange = client.exchange(request)
        let answer = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.start(
                    DownloadAttempt(
                        file: nil, maximumByteCount: Self.maximumAnswerByteCount, continuation: continuation))
                if Task.isCancelled { exchange.end(CancellationError()) }
            }
        } onCancel: {
            exchange.cancel(CancellationError())
        }
        return (answer.status, (answer.statusFailure.retryAfter?.components.seconds).map { Int($0) })
    }
}

/// Sends what waits in an outbox, in batches, until it is empty or an attempt comes to nothing.
struct ReportSender {
    let outbox: ReportOutbox
    let address: URL
    /// The one that the device looks at now.
    let channel: ChannelName
    let transport: any ReportTransport

    /// - Returns: how many events were taken.
    func send(at now: Int) async throws -> Int {
        var sent = 0
        while let pending = try outbox.pending(), pending.identity.notBefore <= now {
            guard let batch = Self.batch(pending, channel), let last = batch.events.last else { break }
            let body = Array(JSONValue.object(batch.json).compactText.utf8)
            let answer: (status: Int, retryAfter: Int?)
            do {
                answer = try await transport.post(body, to: address)
            } catch {
                try outbox.putOff(asked: nil)
                throw error
            }
            switch answer.status {
            case 200...299:
                try outbox.remove(through: last.sequence, of: batch.sender)
                sent += batch.events.count
            case 400, 413, 422:
                // It would be refused each time.
                try outbox.remove(through: last.sequence, of: batch.sender)
            default:
                try outbox.putOff(asked: answer.retryAfter)
                return sent
            }
        }
        return sent
    }

    /// The next batch: the oldest events, as far as they are of one channel. Nil if nothing waits.
    /// - Parameter channel: of events that do not say theirs.
    static func batch(_ pending: ReportOutbox.Pending, _ channel: ChannelName) -> ReportBatch? {
        guard let first = pending.lines.first else { return nil }
        let own = first.channel ?? channel
        let lines = pending.lines.prefix(ReportBatch.maximumEventCount).prefix { ($0.channel ?? channel) == own }
        return ReportBatch(sender: pending.identity.id, channel: own, events: lines.map(\.event))
    }
}
