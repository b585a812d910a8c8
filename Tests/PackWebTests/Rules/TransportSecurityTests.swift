import Foundation
import PackWeb
import PackWebOnline
import Testing

struct TransportSecurityTests {
    /// As Xcode writes it.
    private func security(_ settings: String) throws -> TransportSecurity {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>CFBundleName</key><string>Shop</string>\(settings)</dict></plist>
            """
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        return TransportSecurity(try #require(list as? [String: Any]))
    }

    private func dictionary(_ content: String) -> String {
        "<key>NSAppTransportSecurity</key><dict>\(content)</dict>"
    }

    private func urls(_ texts: String...) -> [URL] { texts.compactMap { URL(string: $0) } }

    @Test func `plain http is named unless an exception of its domain allows it`() throws {
        let plain = try security("")
        #expect(plain.faults(of: urls("https://packages.example.com/", "https://shop.package/")) == [])
        let faults = plain.faults(of: urls("https://a.example/", "http://packages.example.com/view/"))
        #expect(faults.count == 1)
        #expect(faults.first?.contains("http://packages.example.com/view/ is not loaded") == true)

        let excepted = try security(
            dictionary(
                """
                <key>NSExceptionDomains</key><dict>
                <key>example.com</key><dict><key>NSIncludesSubdomains</key><true/>
                <key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
                <key>strict.example.com</key><dict/>
                <key>other.example</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>
                """))
        #expect(
            excepted.faults(of: urls("http://example.com/", "http://a.b.example.com/", "http://other.example/")) == [])
        let refused = urls("http://strict.example.com/", "http://below.other.example/", "http://notexample.com/")
        #expect(excepted.faults(of: refused).count == 3)
    }

    @Test func `local names need their own key, and web content's key is not for the app`() throws {
        let local = try security(dictionary("<key>NSAllowsLocalNetworking</key><true/>"))
        #expect(local.faults(of: urls("http://printer.local/", "http://127.0.0.1:8080/", "http://till/")) == [])
        #expect(local.faults(of: urls("http://example.com/")).count == 1)
        let web = try security(dictionary("<key>NSAllowsArbitraryLoadsInWebContent</key><true/>"))
        #expect(web.faults(of: urls("http://example.com/")).first?.contains("for web views only") == true)
    }

    @Test func `an exception that is wider than needed is named`() throws {
        let open = try security(dictionary("<key>NSAllowsArbitraryLoads</key><true/>"))
        #expect(open.faults(of: urls("http://example.com/")).count == 1)
        #expect(open.faults(of: []).first?.contains("NSAllowsArbitraryLoads") == true)
        // The narrower key wins, so the wide one opens nothing.
        let both = try security(
            dictionary(
                "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><true/>"))
        #expect(both.faults(of: []) == [])
        #expect(both.faults(of: urls("http://example.com/")).count == 1)
        let package = try security(
            dictionary(
                """
                <key>NSExceptionDomains</key><dict><key>shop.package</key>
                <dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>
                """))
        #expect(package.faults(of: []).first?.contains("https only") == true)
    }
}
