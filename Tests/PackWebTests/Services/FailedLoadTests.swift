import Foundation
import PackWebOnline
import Testing

/// Navigations that bring no page.
struct FailedLoadTests {
    private func error(_ domain: String, _ code: Int, at url: String? = nil) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: "<The> \"host\" & more"]
        if let url { info[NSURLErrorFailingURLErrorKey] = URL(string: url) }
        return NSError(domain: domain, code: code, userInfo: info)
    }

    @Test func `a load that was given up or became a download is no failure`() {
        #expect(FailedLoad(error(NSURLErrorDomain, -999)).isGivenUp)
        #expect(FailedLoad(error("WebKitErrorDomain", 102)).isGivenUp)
        #expect(FailedLoad(error("WebKitErrorDomain", 204)).isGivenUp)
        #expect(!FailedLoad(error(NSURLErrorDomain, -1009)).isGivenUp)
        #expect(!FailedLoad(error("WebKitErrorDomain", 101)).isGivenUp)
        #expect(!FailedLoad(error("other", -999)).isGivenUp)
    }

    @Test func `its page says why, leads back to the address, and runs nothing of either`() {
        let failed = FailedLoad(error(NSURLErrorDomain, -1009, at: "https://shop.package/a?b=1&c=%22%3Cscript%3E"))
        #expect(failed.url == "https://shop.package/a?b=1&c=%22%3Cscript%3E")
        #expect(failed.page.contains(#"<a href="https://shop.package/a?b=1&amp;c=%22%3Cscript%3E">"#))
        #expect(failed.page.contains("&lt;The> &quot;host&quot; &amp; more"))
        #expect(failed.page.contains("default-src 'none'"))
        let named = FailedLoad(error(NSURLErrorDomain, -1009), at: "h5pack://shop/\"><script>")
        #expect(named.page.contains(#"href="h5pack://shop/&quot;>&lt;script>""#))
    }

    @Test(
        arguments: [
            ("attachment", true), ("attachment; filename=\"a.html\"", true), ("Attachment ;filename=a", true),
            ("inline", false), (" INLINE; filename=a.pdf", false), ("", false), ("later", true),
        ] as [(String, Bool)])
    func `what a server calls an attachment is saved`(field: String, isAttachment: Bool) {
        #expect(TransferHead(status: 200, headers: ["Content-Disposition": field]).isAttachment == isAttachment)
        #expect(!TransferHead(status: 200, headers: [:]).isAttachment)
    }
}
