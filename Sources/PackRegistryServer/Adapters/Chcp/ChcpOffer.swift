import PackFormat

/// What a channel offers to clients that say nothing of their devices.
struct ChcpOffer: Sendable {
    /// When a client installs what it fetched.
    enum Update: String, Sendable {
        case now
        case resume
        case start
    }

    let manifest: Manifest
    let release: Release
    /// The lowest number of an app that can run it, as its `config.xml` has it; 0 for all.
    let nativeInterface: Int

    /// Clients compare it with what they have, and name a folder by it: a version that is offered once more, after
    /// another one, has another name.
    var name: String { "\(manifest.version)-\(release.id)" }

    /// nil: the client's own, which is the next start.
    var update: Update? {
        switch release.policy.install {
        case .now: .now
        case .nextPage: .resume
        case .nextStart: .start
        case nil: nil
        }
    }
}
