import PackFormat
import PackRegistryAPI

/// What may be done with a package on a channel. Each link and form leads to a page that says the effect.
struct OfferActions {
    let package: PackageID
    let channel: ChannelName
    let releases: [Release]
    let isGateOff: Bool
    let rollout: RolloutStatus?
    let channels: [ChannelName]

    /// The words that make sense in a state.
    static func words(in state: RolloutStatus.State) -> [DashboardVerb.Word] {
        switch state {
        case .scheduled: [.start, .pause, .rollback]
        case .running: [.advance, .pause, .halt, .complete, .rollback, .retry]
        case .paused: [.resume, .advance, .complete, .rollback, .retry]
        // Its steps are for whoever has said that the problems are over.
        case .halted: [.resume, .rollback]
        case .completed: [.rollback, .retry]
        case .rolledBack: []
        }
    }

    var html: HTML {
        tag("section", .labelledBy("actions")) {
            tag("h2", .id("actions")) { "Change" }
            tag("p", .class("quiet")) { "Each of these first shows what it would do." }
            tag("ul", .class("actions")) {
                if let rollout, let version = rollout.version {
                    for word in Self.words(in: rollout.state) {
                        link("\(Self.name(word)) \(version)", .rollout(word, package, channel, version))
                    }
                }
                if !releases.isEmpty {
                    link("Roll back to the version before", .rollBack(package, channel, to: nil))
                    link("Roll back to what the app embeds", .rollBackToEmbedded(package, channel))
                }
                if isGateOff {
                    link("Turn the gate on", .gate(package, channel, isOn: true))
                } else {
                    link("Turn the gate off", .gate(package, channel, isOn: false))
                }
            }
            if let release = releases.first, let version = release.version {
                shareForm(release, version)
                if !channels.isEmpty { promotionForm(version) }
            }
        }
    }

    static func name(_ word: DashboardVerb.Word) -> String {
        switch word {
        case .start: "Start"
        case .pause: "Pause"
        case .resume: "Resume"
        case .advance: "Advance"
        case .halt: "Halt"
        case .complete: "Complete"
        case .rollback: "Take back"
        case .retry: "Retry"
        }
    }

    private func link(_ name: String, _ verb: DashboardVerb) -> HTML {
        tag("li") { tag("a", .class("button"), .href(.verb(verb))) { name } }
    }

    private func shareForm(_ release: Release, _ version: SemanticVersion) -> HTML {
        tag("form", .of("method", "get"), .action(.perform), .class("inline")) {
            FormFields.hidden("verb", "share")
            FormFields.hidden("package", package.text)
            FormFields.hidden("channel", channel.text)
            FormFields.hidden("version", version.description)
            tag("label", .for("share")) { "Share of \(version) in percent" }
            void(
                "input", .id("share"), .name("percent"), .value(release.rollout.share.percentText),
                .of("inputmode", "decimal"), .of("size", "6"), .flag("required"))
            tag("button", .type("submit")) { "Show the effect" }
        }
    }

    private func promotionForm(_ version: SemanticVersion) -> HTML {
        tag("form", .of("method", "get"), .action(.perform), .class("inline")) {
            FormFields.hidden("verb", "promote")
            FormFields.hidden("package", package.text)
            FormFields.hidden("channel", channel.text)
            FormFields.hidden("version", version.description)
            tag("label", .for("to")) { "Promote \(version) to" }
            tag("select", .id("to"), .name("to")) {
                for channel in channels { tag("option", .value(channel.text)) { channel.text } }
            }
            tag("label", .for("promoted")) { "for percent" }
            void(
                "input", .id("promoted"), .name("percent"), .value("100"), .of("inputmode", "decimal"),
                .of("size", "6"), .flag("required"))
            tag("button", .type("submit")) { "Show the effect" }
        }
    }
}
