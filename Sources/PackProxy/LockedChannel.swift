import Foundation
import NIOCore

/// The listening channel, set and removed from any thread.
final class LockedChannel: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var channel: (any Channel)?

    func set(_ channel: any Channel) { lock.withLock { self.channel = channel } }

    func take() -> (any Channel)? {
        lock.withLock {
            defer { channel = nil }
            return channel
        }
    }
}
