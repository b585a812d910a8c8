import PackRegistryAPI

/// A page without its frame.
package struct DashboardPage: Sendable {
    package let title: String
    /// The pages above it, the nearest last.
    let crumbs: [(name: String, path: DashboardPath)]
    let content: [HTML]

    init(
        _ title: String, crumbs: [(name: String, path: DashboardPath)] = [], @HTMLBuilder content: () -> [HTML]
    ) {
        self.title = title
        self.crumbs = crumbs
        self.content = content()
    }

    /// The page with its frame: a whole document.
    /// - Parameter viewer: Nil before somebody signed in.
    package func document(app: String, _ viewer: DashboardViewer?) -> [UInt8] {
        var bytes = Array("<!DOCTYPE html>\n".utf8)
        tag("html", .of("lang", "en")) {
            head(app)
            tag("body") {
                tag("a", .class("skip"), .anchor("main")) { "To the content" }
                header(app, viewer)
                main(viewer)
                tag("footer") {
                    tag("p") { "Times are in UTC. Each page shows the state when it was loaded." }
                }
            }
        }.write(to: &bytes)
        return bytes
    }

    private func head(_ app: String) -> HTML {
        tag("head") {
            void("meta", .of("charset", "utf-8"))
            void("meta", .name("viewport"), .of("content", "width=device-width, initial-scale=1"))
            void("meta", .name("color-scheme"), .of("content", "light dark"))
            tag("title") { "\(title) – \(app) – packtool" }
            void("link", .of("rel", "stylesheet"), .href(.style))
            void("link", .of("rel", "icon"), .type("image/svg+xml"), .href(.icon))
        }
    }

    private func header(_ app: String, _ viewer: DashboardViewer?) -> HTML {
        tag("header") {
            tag("p", .class("app")) {
                tag("a", .href(.home)) { foreign(app) }
            }
            if let viewer {
                tag("nav", .label("Pages")) {
                    tag("ul") {
                        tag("li") { tag("a", .href(.home)) { "Packages" } }
                        tag("li") { tag("a", .href(.device(nil))) { "Device" } }
                        if viewer.scope.allows(.release) {
                            tag("li") { tag("a", .href(.changes(isAll: false))) { "Changes" } }
                        }
                        if viewer.scope.allows(.admin) {
                            tag("li") { tag("a", .href(.audit(page: 1))) { "Audit log" } }
                            tag("li") { tag("a", .href(.tokens)) { "Tokens" } }
                        }
                    }
                }
                tag("form", .class("session"), .of("method", "post"), .action(.signOut)) {
                    tag("span") { foreign(viewer.name) }
                    FormFields.token(viewer)
                    tag("button", .type("submit")) { "Sign out" }
                }
            }
        }
    }

    private func main(_ viewer: DashboardViewer?) -> HTML {
        tag("main", .id("main")) {
            if !crumbs.isEmpty {
                tag("nav", .class("crumbs"), .label("Where this page is")) {
                    tag("ol") {
                        for crumb in crumbs { tag("li") { tag("a", .href(crumb.path)) { foreign(crumb.name) } } }
                    }
                }
            }
            tag("h1") { foreign(title) }
            if let notice = viewer?.notice {
                tag("p", .class("notice"), .role("status")) { foreign(notice) }
            }
            content
        }
    }
}
