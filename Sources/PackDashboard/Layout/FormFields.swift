/// Hidden fields that forms of the dashboard send.
package enum FormFields {
    /// The field with ``DashboardViewer/formToken``.
    package static let tokenName = "form"
    /// The field with the state that the person saw.
    package static let stateName = "seen"
    package static let reasonName = "reason"
    /// The name of the button that makes a way back at once, without approvals.
    package static let emergencyName = "emergency"

    static func token(_ viewer: DashboardViewer) -> HTML { hidden(tokenName, viewer.formToken) }

    static func hidden(_ name: String, _ value: String) -> HTML {
        void("input", .type("hidden"), .name(name), .value(value))
    }
}
