import Foundation

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
}
