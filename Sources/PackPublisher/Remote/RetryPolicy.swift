import Foundation

/// When to repeat a request that the registry has refused for now, or for which nobody was there.
package struct RetryPolicy: Sendable {
    /// The number of attempts, including the first.
    package var maximumAttempts = 5
    /// The pause before the second attempt, unless the registry names one. It doubles with each.
    package var firstPause: Duration = .milliseconds(500)
    /// The longest pause, whatever the registry asks for.
    package var longestPause: Duration = .seconds(30)
    /// How long an address at which nobody listens is asked again: a server that starts anew is there in some seconds.
    package var patience: Duration = .seconds(20)
    /// The longest pause then.
    package static let longestPauseForServer: Duration = .seconds(4)
    /// Is told, before the first pause of a request, what it waits for.
    package var notice: @Sendable (String) -> Void = { _ in }
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    package init() {}

    /// The pause after a try that was turned away; nil when it was the last.
    /// - Parameter retryAfter: the value of `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3).
    func pause(afterAttempt attempt: Int, retryAfter: String?, now: Date) -> Duration? {
        guard attempt < maximumAttempts else { return nil }
        let asked = retryAfter.flatMap { Self.duration($0, now: now) }
        return min(max(asked ?? backoff(attempt), .zero), longestPause)
    }

    /// The pause after a try for which nobody was there; nil when the patience is over.
    /// - Parameter waited: All pauses before.
    func pauseForServer(afterAttempt attempt: Int, waited: Duration) -> Duration? {
        let pause = min(backoff(attempt), Self.longestPauseForServer)
        return waited + pause <= patience ? pause : nil
    }

    private func backoff(_ attempt: Int) -> Duration {
        // Half to one and a half, so that clients that were turned away together do not come back together.
        firstPause * (1 << min(attempt - 1, 16)) * Double.random(in: 0.5...1.5)
    }

    private static func duration(_ text: String, now: Date) -> Duration? {
        if let seconds = Int(text), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter.date(from: text).map { .seconds(max(0, $0.timeIntervalSince(now))) }
    }
}
