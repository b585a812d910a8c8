/// Why the dashboard has no page for a request: a sentence for the person who sent it.
package struct DashboardFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The address or the form is not understood.
        case invalid
        case notFound
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    static let noPage = DashboardFault(.notFound, "There is no page at this address.")
}
