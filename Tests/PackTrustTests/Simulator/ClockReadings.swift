import Foundation
import Synchronization

/// A clock that counts how often it is read.
final class ClockReadings: Sendable {
    private let readings = Mutex(0)

    var count: Int { readings.withLock { $0 } }

    func next() -> Date {
        readings.withLock { $0 += 1 }
        return RepositoryModel.now
    }
}
