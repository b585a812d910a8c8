package import Foundation

/// Which entries of the audit log are read: the newest of those that have all that is asked for.
package struct AuditQuery: Hashable, Sendable {
    package static let maximumLimit = 10_000

    /// How many entries at most.
    package var limit: Int
    /// A token's name or its id, or the whole of ``AuditEntry/actor``.
    package var actor: String?
    /// The whole of ``AuditEntry/action`` or its first word: `rollout` finds `rollout step`.
    package var action: String?
    /// Words of ``AuditEntry/subject``, all of them: `shop@1.2.0` is two, a package and a version.
    package var subject: [String] = []
    /// The time of the oldest entry. A time that an answer had finds its entry: see ``earliest``.
    package var since: Date?
    /// ``since``, and a millisecond more: times on the wire are rounded to one (``WireTime``), up too.
    package var earliest: Date? { since?.addingTimeInterval(-0.001) }

    package init(limit: Int) {
        self.limit = limit
    }

    package var isForAll: Bool { actor == nil && action == nil && subject.isEmpty && since == nil }

    package func matches(_ entry: AuditEntry) -> Bool {
        if let earliest, entry.time < earliest { return false }
        if let action, entry.action != action, !entry.action.hasPrefix(action + " ") { return false }
        if let actor, entry.actor != actor, !entry.actor.hasPrefix(actor + " ("), !entry.actor.hasSuffix("(\(actor))") {
            return false
        }
        return subject.isEmpty || Set(subject.flatMap(Self.words)).isSubset(of: Self.words(of: entry.subject))
    }

    private static func words(of text: String) -> [Substring] {
        text.split { " @,".contains($0) }
    }
}
