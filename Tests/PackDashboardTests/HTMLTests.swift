import PackFormat
import TestSupport
import Testing

@testable import PackDashboard
@testable import PackRegistryAPI

struct HTMLTests {
    @Test func `text and values of attributes never become markup`() {
        let hostile = "</td><script>alert(1)</script>\"'><img src=x onerror=y>&amp;\u{0}\u{85}\u{1B}[31m"
        let text = tag("p", .class(hostile)) { hostile }.text
        #expect(!text.contains("<script"))
        #expect(text.hasPrefix("<p class=\"&lt;/td&gt;&lt;script&gt;"))
        #expect(!text.utf8.contains(0) && !text.utf8.contains(0x1B))
        #expect(text.contains("&amp;amp;"))
    }
}
