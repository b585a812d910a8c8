/// What a verb would do, before anybody does it.
package struct VerbPreview: Sendable {
    let verb: DashboardVerb
    /// Such as `Halt checkout 1.4.0 on stable`.
    package let title: String
    /// Sentences with numbers.
    package internal(set) var effects: [String]
    /// Names the state that the effect was computed from. A verb is done only while it is still so.
    package internal(set) var state: String
    /// False if nothing would change, or if it cannot be done here.
    package var isPossible = true
    /// What somebody else runs to do it, if it cannot be done here.
    var command: String?
    /// Whether it asks for a reason for the audit log.
    var asksReason = false
    /// Whether the form proposes it, because the channel requires approvals.
    var isProposal = false
    /// Whether a second button makes the proposal at once, without approvals.
    var allowsEmergency = false
    /// Whether pages get lost or devices go back: the button says so by its colour.
    var isGrave = false

    /// - Parameter warning: why the person sees the page again.
    package func page(_ viewer: DashboardViewer, warning: String? = nil) -> DashboardPage {
        DashboardPage(title, crumbs: [("Packages", .home), ("Back", verb.page)]) {
            if let warning { tag("p", .class("notice bad"), .role("alert")) { foreign(warning) } }
            tag("section", .labelledBy("effect")) {
                tag("h2", .id("effect")) { "What it does" }
                tag("ul", .class("effects")) {
                    for effect in effects { tag("li") { foreign(effect) } }
                }
                if let command {
                    tag("pre", .of("tabindex", "0"), .label("Command")) { tag("code") { foreign(command) } }
                }
            }
            if isPossible { form(viewer) }
            tag("p") { tag("a", .href(verb.page)) { isPossible ? "Leave it as it is" : "Back" } }
        }
    }

    private func form(_ viewer: DashboardViewer) -> HTML {
        tag("form", .of("method", "post"), .action(.perform), .class("stack")) {
            for field in verb.fields { FormFields.hidden(field.name, field.value) }
            FormFields.hidden(FormFields.stateName, state)
            FormFields.token(viewer)
            if asksReason {
                tag("label", .for("reason")) {
                    allowsEmergency ? "Reason, for the audit log. An emergency needs one" : "Reason, for the audit log"
                }
                void("input", .id("reason"), .name(FormFields.reasonName), .of("maxlength", "200"), .of("size", "40"))
            }
            tag("button", .type("submit"), .class(isGrave && !allowsEmergency ? "grave" : "act")) {
                isProposal ? "Propose: \(title)" : title
            }
            if allowsEmergency {
                tag("button", .type("submit"), .name(FormFields.emergencyName), .value("yes"), .class("grave")) {
                    "Emergency: \(title) at once"
                }
            }
        }
    }
}
