/// One version of a role's signed metadata: its bytes never change.
package struct DocumentID: Hashable, Sendable {
    package let role: String
    package let version: Int

    package init(role: String, version: Int) {
        self.role = role
        self.version = version
    }
}
