/// Pages before somebody signed in, and those that say what is wrong.
package enum PlainPages {
    /// - Parameter fault: why the last attempt failed.
    package static func signIn(fault: String? = nil) -> DashboardPage {
        DashboardPage("Sign in") {
            if let fault { tag("p", .class("notice bad"), .role("alert")) { foreign(fault) } }
            tag("form", .of("method", "post"), .action(.signIn), .class("stack")) {
                tag("label", .for("token")) { "Access token" }
                void(
                    "input", .id("token"), .name("token"), .type("password"), .of("autocomplete", "current-password"),
                    .of("spellcheck", "false"), .of("size", "50"), .flag("required"))
                tag("button", .type("submit")) { "Sign in" }
            }
            tag("p", .class("quiet")) {
                "packtool token create NAME --observe makes one for reading; --release lets it change what channels offer."
            }
        }
    }

    package static func fault(_ title: String, _ text: String) -> DashboardPage {
        DashboardPage(title, crumbs: [("Packages", .home)]) {
            tag("p", .class("notice bad"), .role("alert")) { foreign(text) }
            tag("p") { tag("a", .href(.home)) { "To the packages" } }
        }
    }
}
