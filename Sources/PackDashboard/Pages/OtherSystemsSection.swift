/// What the clients of other systems cannot promise, beside the way to those that can. `docs/ADAPTERS.md` has more.
struct OtherSystemsSection {
    let systems: [OtherSystem]

    /// Nil where no system is answered.
    var html: HTML? {
        guard !systems.isEmpty else { return nil }
        return tag("section", .labelledBy("systems")) {
            tag("h2", .id("systems")) { "Clients of other systems" }
            tag("p") {
                tag("strong", .class("warn")) { "No signature of a publisher reaches these devices." }
                " Their clients believe whoever answers under the name of this server: trust is TLS and the server. They "
                "fetch no patches, and a release's policy (network, time of day) does not hold for them."
            }
            table.html
            tag("p") {
                "With PackHost in the app's next version, each page is verified from the publisher's key on. It uses the "
                "same registry, packages and channels beside these clients: see docs/MIGRATING.md, “To PackHost”."
            }
        }
    }

    private var table: Table {
        var table = Table(
            "What their clients do",
            [
                .text("System"), .text("Signed to the page"), .text("Shares and groups"), .text("Reports and gates"),
                .text("Back to the app's own pages"),
            ])
        for system in systems {
            table.add(
                cell(system.name), cell(Self.word(false)), cell(Self.word(system.namesDevices)),
                cell(Self.word(system.reports)), cell(Self.word(system.returnsToApp)))
        }
        return table
    }

    private static func word(_ isSo: Bool) -> String { isSo ? "yes" : "no" }
}
