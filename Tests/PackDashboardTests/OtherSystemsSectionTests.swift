import Testing

@testable import PackDashboard

/// What the dashboard says of clients of other systems.
@Suite("OtherSystemsSectionTests") struct OtherSystemsSectionTests {
    @Test func `each system has a row with what its clients do, and none is signed to the page`() throws {
        let systems = [
            OtherSystem(name: "Alpha", namesDevices: true, reports: true, returnsToApp: false),
            OtherSystem(name: "Beta", namesDevices: false, reports: false, returnsToApp: true),
        ]
        let text = try #require(OtherSystemsSection(systems: systems).html).text
        #expect(
            text.contains(
                #"<th scope="row">Alpha</th><td>no</td><td>yes</td><td>yes</td><td>no</td></tr>"#
                    + #"<tr><th scope="row">Beta</th><td>no</td><td>no</td><td>no</td><td>yes</td></tr>"#), "\(text)")
        #expect(text.contains("docs/MIGRATING.md") && text.contains("PackHost"))
    }

    @Test func `a name is text`() throws {
        let system = OtherSystem(name: "<b>&", namesDevices: true, reports: true, returnsToApp: true)
        let text = try #require(OtherSystemsSection(systems: [system]).html).text
        #expect(text.contains("&lt;b&gt;&amp;") && !text.contains("<b>"))
    }

    @Test func `there is no section where no other system is answered`() {
        #expect(OtherSystemsSection(systems: []).html == nil)
    }
}
