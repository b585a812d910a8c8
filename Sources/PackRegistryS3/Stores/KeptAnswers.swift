import PackFormat
import Synchronization

/// What the store answered about objects a moment ago. A publisher asks which objects are missing and sends them at once, so each
/// is asked for once and not twice.
///
/// Neither answer does harm when it is old: an object that is stored by now is stored once more, and that one is there is believed only
/// while the registry has it recorded, because a prune removes others.
final class KeptAnswers: Sendable {
    private struct Answer {
        let isThere: Bool
        let time: ContinuousClock.Instant
    }

    /// Longer than an upload takes.
    private static let time: Duration = .seconds(600)
    private let answers: Mutex<RecentCache<Object, Answer>>

    /// - Parameter count: of the newest answers, which are always kept; up to twice as many are.
    init(keeping count: Int = 200_000) {
        answers = Mutex(RecentCache(maximumCount: 2 * count))
    }

    func keep(_ found: [(object: Object, isThere: Bool)]) {
        let now = ContinuousClock.now
        answers.withLock { answers in
            for (object, isThere) in found { answers.insert(Answer(isThere: isThere, time: now), for: object) }
        }
    }

    /// Those that are known.
    func of(_ objects: [Object]) -> [Object: Bool] {
        let oldest = ContinuousClock.now - Self.time
        return answers.withLock { answers in
            var known: [Object: Bool] = [:]
            for object in objects {
                if let answer = answers.peek(object), answer.time > oldest { known[object] = answer.isThere }
            }
            return known
        }
    }
}
