import Foundation
import PackTrust

/// How long signatures are valid. Offline roles are valid for long, because people must sign them; online roles for a
/// short time, because their expiry ends a freeze attack.
package enum MetadataLifetime {
    private static let day: TimeInterval = 86_400

    package static let root = 2 * 365 * day
    package static let targets = 2 * 365 * day
    package static let package = 365 * day
    package static let channels = 30 * day
    package static let snapshot = 30 * day
    package static let timestamp = 7 * day

    /// Online roles are renewed when less than this share of their life is left.
    package static let renewedBelow = 0.5

    /// Versions of a role that stay readable, for clients that are in the middle of an update: one may stand still while so many changes
    /// are made.
    package static let keptVersions = 64

    /// The versions of a role that a registry keeps beside its newest one: of root all, because a device that was off for years
    /// follows the chain.
    package static func keptVersions(of role: String, newest: Int) -> [Int] {
        guard newest > 0 else { return [] }
        let first = role == TopLevelRole.root.rawValue ? 1 : max(1, newest - keptVersions + 1)
        return Array(first...newest)
    }
}
