public import PackFormat
public import PackUpdater
import PackWeb

/// The settings that an app gives its host.
public struct PackHostConfiguration: Sendable {
    /// The settings of the device: store, registry, channel, root of trust, limits.
    public var updater: UpdaterConfiguration
    /// The custom schemes of the app's web views, in lower case; empty for a proxy or a server.
    public var schemes: Set<String>
    /// The app's own rules. They come before the `api` of a package's manifest.
    public var rules = WebRules()
    /// The services on this device, as `HOST:PORT`, that a package's `api` may lead to (`WebSettings.loopbackServices`).
    public var loopbackServices: Set<String> = []

    public init(updater: UpdaterConfiguration, schemes: Set<String> = []) {
        self.updater = updater
        self.schemes = schemes
    }
}
