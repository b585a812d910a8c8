package import PackRegistryAPI

/// Who looks at a page, and what the page needs for its forms.
package struct DashboardViewer: Sendable {
    /// The name and the id of the token.
    package let name: String
    package let scope: TokenScope
    /// What a form must send back (against requests that another site makes a browser send).
    package let formToken: String
    /// What the last verb did; shown once.
    package let notice: String?

    package init(name: String, scope: TokenScope, formToken: String, notice: String? = nil) {
        self.name = name
        self.scope = scope
        self.formToken = formToken
        self.notice = notice
    }
}
