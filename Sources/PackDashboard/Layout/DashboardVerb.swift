package import PackFormat

/// Something that the dashboard can do. Each is first shown with its effect, and done when that page's form is sent.
package enum DashboardVerb: Hashable, Sendable {
    /// A word for a release with a plan.
    package enum Word: String, Hashable, Sendable, CaseIterable {
        case start, pause, resume, advance, halt, complete, rollback, retry
    }

    case rollout(Word, PackageID, ChannelName, SemanticVersion)
    /// Another share for a release, by hand.
    case share(Share, PackageID, ChannelName, SemanticVersion)
    /// Offers an older version to everyone; nil: the newest earlier one.
    case rollBack(PackageID, ChannelName, to: SemanticVersion?)
    case rollBackToEmbedded(PackageID, ChannelName)
    case promote(PackageID, SemanticVersion, from: ChannelName, to: ChannelName, Share)
    case gate(PackageID, ChannelName, isOn: Bool)
    /// Shows what a withdrawal would do. It needs the publisher's key, which no server has.
    case withdraw(PackageID, SemanticVersion)
    case revokeToken(String)
    /// Says yes to a proposed change, or no.
    case approve(Int)
    case reject(Int)

    /// The verb as the fields of a form and of an address.
    package var fields: [(name: String, value: String)] {
        switch self {
        case .rollout(let word, let package, let channel, let version):
            Self.fields("rollout-\(word.rawValue)", package, channel, ("version", version.description))
        case .share(let share, let package, let channel, let version):
            Self.fields(
                "share", package, channel, ("version", version.description), ("percent", share.percentText))
        case .rollBack(let package, let channel, let version):
            Self.fields("roll-back", package, channel) + (version.map { [("to", $0.description)] } ?? [])
        case .rollBackToEmbedded(let package, let channel): Self.fields("roll-back-embedded", package, channel)
        case .promote(let package, let version, let from, let to, let share):
            Self.fields(
                "promote", package, from, ("version", version.description), ("to", to.text),
                ("percent", share.percentText))
        case .gate(let package, let channel, let isOn): Self.fields(isOn ? "gate-on" : "gate-off", package, channel)
        case .withdraw(let package, let version):
            [("verb", "withdraw"), ("package", package.text), ("version", version.description)]
        case .revokeToken(let id): [("verb", "revoke-token"), ("token", id)]
        case .approve(let id): [("verb", "approve"), ("change", "\(id)")]
        case .reject(let id): [("verb", "reject"), ("change", "\(id)")]
        }
    }

    private static func fields(
        _ verb: String, _ package: PackageID, _ channel: ChannelName, _ more: (String, String)...
    ) -> [(name: String, value: String)] {
        [("verb", verb), ("package", package.text), ("channel", channel.text)] + more
    }

    /// Reads the fields of a form or of an address; other fields are ignored.
    /// - Throws: for a field that is missing or that is not what its name says.
    package init(fields: [String: String]) throws(DashboardFault) {
        func value(_ name: String) throws(DashboardFault) -> String {
            guard let value = fields[name], !value.isEmpty else {
                throw DashboardFault(.invalid, "The field \(name) is empty: go back and fill it in.")
            }
            return value
        }
        func parsed<Value>(_ name: String, _ what: String, _ parse: (String) throws -> Value) throws(DashboardFault)
            -> Value
        {
            let text = try value(name)
            guard let value = try? parse(text) else {
                throw DashboardFault(.invalid, "The field \(name) is not \(what): \u{201C}\(text.prefix(80))\u{201D}.")
            }
            return value
        }
        func package() throws(DashboardFault) -> PackageID { try parsed("package", "a package") { try PackageID($0) } }
        func channel(_ name: String = "channel") throws(DashboardFault) -> ChannelName {
            try parsed(name, "the name of a channel") { try ChannelName($0) }
        }
        func version(_ name: String = "version") throws(DashboardFault) -> SemanticVersion {
            try parsed(name, "a version") { try SemanticVersion($0) }
        }
        func share() throws(DashboardFault) -> Share {
            try parsed("percent", "a percentage from 0 to 100, with two decimals at most") { try Share($0) }
        }
        let verb = try value("verb")
        switch verb {
        case "share": self = try .share(share(), package(), channel(), version())
        case "roll-back":
            self = try .rollBack(package(), channel(), to: fields["to"] == nil ? nil : version("to"))
        case "roll-back-embedded": self = try .rollBackToEmbedded(package(), channel())
        case "promote": self = try .promote(package(), version(), from: channel(), to: channel("to"), share())
        case "gate-on", "gate-off": self = try .gate(package(), channel(), isOn: verb == "gate-on")
        case "withdraw": self = try .withdraw(package(), version())
        case "approve", "reject":
            let id = try parsed("change", "the number of a change") { text -> Int in
                guard let id = Int(text), id > 0 else { throw DashboardFault.noPage }
                return id
            }
            self = verb == "approve" ? .approve(id) : .reject(id)
        case "revoke-token": self = .revokeToken(try value("token"))
        default:
            guard verb.hasPrefix("rollout-"), let word = Word(rawValue: String(verb.dropFirst("rollout-".count))) else {
                throw DashboardFault(.invalid, "The dashboard cannot \u{201C}\(verb.prefix(80))\u{201D}.")
            }
            self = try .rollout(word, package(), channel(), version())
        }
    }

    /// The page from which the verb is chosen, and to which it leads.
    package var page: DashboardPath {
        switch self {
        case .rollout(_, let package, let channel, _), .share(_, let package, let channel, _),
            .rollBack(let package, let channel, _), .rollBackToEmbedded(let package, let channel),
            .promote(let package, _, _, let channel, _), .gate(let package, let channel, _):
            .offer(channel, package)
        case .withdraw(let package, let version): .version(package, version)
        case .revokeToken: .tokens
        case .approve(let id), .reject(let id): .change(id)
        }
    }
}
