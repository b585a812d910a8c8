extension RolloutExplanation {
    /// What is known of how a device takes a release that admits it.
    public struct Taking: Hashable, Sendable {
        /// The version that the device runs; nil: not known, or none.
        public var running: SemanticVersion?
        /// On the device's clock; nil: not known.
        public var time: LocalTime?
        /// The versions whose files are on the device: they need no network.
        public var installed: Set<VersionID>

        public init(running: SemanticVersion? = nil, time: LocalTime? = nil, installed: Set<VersionID> = []) {
            self.running = running
            self.time = time
            self.installed = installed
        }
    }

    /// One part of a release's policy: when and how the devices that it admits take it.
    public struct Term: Hashable, Sendable {
        public enum Effect: String, Hashable, Sendable {
            /// Nothing keeps the device waiting.
            case met
            /// The device waits for it.
            case waits
            /// It tells the app how urgent the release is, or depends on what is not known here.
            case told
        }

        /// As `packtool rollout` has it, such as `network unmetered`.
        public let condition: String
        public let effect: Effect
        /// What the device is, or what the term does.
        public let seen: String
    }

    static func terms(
        of release: Release, in content: ChannelFile.Package, app: String, _ package: PackageID, _ device: DeviceFacts,
        _ taking: Taking
    ) -> [Term] {
        let decided = RolloutDecision.terms(
            of: release, in: content, app: app, package: package, device: device, running: taking.running)
        let policy = decided.policy
        var terms: [Term] = []
        if policy.isMandatory {
            let why = decided.skipped.map { "the device skips \($0), which was mandatory" }
            terms.append(
                Term(condition: "mandatory", effect: .told, seen: why ?? "the app should not go on without it"))
        }
        if let install = policy.install {
            let when: String =
                switch install {
                case .now: "pages get it at once"
                case .nextPage: "the next page that opens gets it"
                case .nextStart: "it is active when the app starts next"
                }
            terms.append(Term(condition: "install \(install.rawValue)", effect: .told, seen: when))
        }
        if policy.network == .unmetered {
            let isHere =
                if case .version(let version, let manifest) = release.offer {
                    taking.installed.contains(VersionID(version: version, manifest: manifest))
                } else { true }
            terms.append(
                Term(
                    condition: "network unmetered", effect: isHere || device.network == .unmetered ? .met : .waits,
                    seen: isHere ? "it is on the device" : device.network?.rawValue ?? "not known"))
        }
        if let window = policy.window {
            let effect = taking.time.map { window.contains($0) ? Term.Effect.met : .waits } ?? .told
            terms.append(
                Term(
                    condition: window.description, effect: effect,
                    seen: taking.time.map { "\($0.day.rawValue) \(LocalWindow.text($0.minute)) on the device's clock" }
                        ?? "by the device's clock"))
        }
        return terms
    }
}
