/// One release of a deployment's history, in the words of CodePush's command line and server (`appVersion`), or in those of
/// App Center (`target_binary_range`).
struct CodePushRelease: Decodable {
    let label: String?
    let appVersion: String?
    let targetBinaryRange: String?
    let description: String?
    let isDisabled: Bool?
    let isMandatory: Bool?
    /// In percent; nil for all devices.
    let rollout: Double?
    let packageHash: String?
    let uploadTime: ForeignTime?
    /// `Upload`, `Promote` or `Rollback`.
    let releaseMethod: String?
    let originalLabel: String?
    let originalDeployment: String?

    /// The versions of the app that may have it.
    var range: String? { appVersion ?? targetBinaryRange }

    /// Such as `promoted from Staging v7`; nil for an upload.
    var source: String? {
        guard let originalLabel else { return nil }
        let place = originalDeployment.map { "\($0) \(originalLabel)" } ?? originalLabel
        return switch releaseMethod {
        case "Promote": "promoted from \(place)"
        case "Rollback": "rolled back to \(originalLabel)"
        default: nil
        }
    }
}
