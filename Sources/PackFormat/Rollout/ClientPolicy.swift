/// How a device takes a release that it is admitted to: when, over which network, and from when on.
///
/// A policy never admits a device. It only makes one wait, or tells the app how urgent a release is.
public struct ClientPolicy: Hashable, Sendable {
    /// Says nothing: the app's own settings hold.
    public static let standard = ClientPolicy(
        uncheckedInstall: nil, network: .any, window: nil, isMandatory: false)

    /// When pages get the new version.
    public enum Install: String, Hashable, Sendable, CaseIterable {
        /// As soon as it is installed: the app shows the page on view again.
        case now
        /// With the next page that opens; open pages keep their version.
        case nextPage
        /// When the app starts next.
        case nextStart
    }

    public enum Network: String, Hashable, Sendable, CaseIterable {
        case any
        case unmetered
    }

    /// nil: what the app has configured.
    public let install: Install?
    public let network: Network
    /// The local time in which a device may take the release; nil: always.
    public let window: LocalWindow?
    /// The app should not go on without it. It waits for no network and no window. A device that skips a mandatory release
    /// takes the newer one as mandatory.
    public let isMandatory: Bool

    /// - Throws: ``FormatError/invalidPolicy(_:)`` for a mandatory release that is to wait.
    public init(
        install: Install? = nil, network: Network = .any, window: LocalWindow? = nil, isMandatory: Bool = false
    ) throws(FormatError) {
        guard !isMandatory || network == .any && window == nil else {
            throw .invalidPolicy(
                "a mandatory release waits for no network and no time of day: leave out one of the two")
        }
        self.init(uncheckedInstall: install, network: network, window: window, isMandatory: isMandatory)
    }

    private init(uncheckedInstall install: Install?, network: Network, window: LocalWindow?, isMandatory: Bool) {
        self.install = install
        self.network = network
        self.window = window
        self.isMandatory = isMandatory
    }

    /// Whether a device may have to wait for it.
    public var delays: Bool { network != .any || window != nil }

    /// The same without what a device would wait for.
    var mandatory: ClientPolicy {
        ClientPolicy(uncheckedInstall: install, network: .any, window: nil, isMandatory: true)
    }

    /// What a device waits for; nil where it may go on.
    /// - Parameters:
    ///   - network: nil where the app does not say, and then a policy that names a network is not met.
    ///   - needsNetwork: false where the version's files are on the device already.
    public func delay(network: NetworkKind?, needsNetwork: Bool = true, at time: LocalTime) -> String? {
        if self.network == .unmetered, needsNetwork, network != .unmetered {
            return "it waits for an unmetered network"
                + (network == nil ? ", and the app does not say what this one is" : "")
        }
        if let window, !window.contains(time) { return "it waits for its time, \(window) local time" }
        return nil
    }

    /// Such as `mandatory; install nextStart; network unmetered; mon-fri 22:00-05:00`; empty where it says nothing.
    public var text: String {
        var parts = isMandatory ? ["mandatory"] : []
        if let install { parts.append("install \(install.rawValue)") }
        if network != .any { parts.append("network \(network.rawValue)") }
        if let window { parts.append(window.description) }
        return parts.joined(separator: "; ")
    }
}
