/// Wakes the maintenance of a registry after a change; several changes in a row wake it once.
struct ChangeSignal: Sendable {
    let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func raise() { continuation.yield() }
}
