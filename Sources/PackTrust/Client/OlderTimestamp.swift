/// Of several servers behind one address one shows a change about a second after another. Whoever meets the older timestamp then asks
/// again, and is refused only if it stays (TUF 1.0.34 §5.4.3).
public enum OlderTimestamp {
    /// About two seconds in all.
    public static let pauses: [Duration] = [.milliseconds(700), .milliseconds(1_500)]

    /// Does a refresh again while the timestamp is older than the one that is trusted.
    /// - Parameter pauses: How long it waits before each time.
    /// - Throws: what the last refresh throws.
    public static func passed(
        after pauses: [Duration] = OlderTimestamp.pauses, isolation: isolated (any Actor)? = #isolation,
        _ refresh: () async throws -> Void
    ) async throws {
        for pause in pauses {
            do { return try await refresh() } catch TrustError.rollback(role: "timestamp", _, _) {
                try await Task.sleep(for: pause)
            }
        }
        try await refresh()
    }
}
