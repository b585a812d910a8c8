import Foundation
import PackWeb
import PackWebOnline
import Testing

/// The script as a web view gets it; what it does is tested in BrowserTests.
struct PageHookTests {
    private func configuration(_ hook: PageHook) throws -> [String: Any] {
        let start = try #require(hook.script.range(of: ")({", options: .backwards)).upperBound
        let text = "{" + String(hook.script[start...].dropLast(3))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `a message is the default text of the hook's own prompt, and any other prompt is the page's`() {
        let message = #"{"v":1,"type":"cookies"}"#
        #expect(PageHook.message(inPrompt: PageHook.promptText, defaultText: message) == message)
        #expect(PageHook.message(inPrompt: PageHook.promptText, defaultText: nil) == nil)
        for text in ["", "Your name?", "packtool:1 ", "packtool:2", "packtool:1\(message)", "PACKTOOL:1"] {
            #expect(PageHook.message(inPrompt: text, defaultText: message) == nil, "\(text)")
        }
    }

    @Test func `the script carries its settings and nothing that ends a script element`() throws {
        var hook = PageHook(strategy: .bodies, transport: .messageHandler("packtool"))
        hook.hosts = ["a.test", "</script><b>"]
        hook.schemes = ["h5pack"]
        hook.handlesForms = false
        hook.sharesCookies = true
        hook.largestBody = 5
        hook.load = PageHook.Load(package: "shop", version: "1.0.0", token: "t\"<\u{2028}")
        let values = try configuration(hook)
        #expect(values["strategy"] as? String == "bodies")
        #expect(values["handler"] as? String == "packtool")
        #expect(values["endpoint"] == nil)
        #expect(values["prompt"] as? String == PageHook.promptText)
        #expect(values["hosts"] as? [String] == ["a.test", "</script><b>"])
        #expect(values["schemes"] as? [String] == ["h5pack"])
        #expect(values["forms"] as? Bool == false)
        #expect(values["cookies"] as? Bool == true)
        #expect(values["largestBody"] as? Int == 5)
        #expect((values["load"] as? [String: String])?["token"] == "t\"<\u{2028}")
        #expect(!hook.script.contains("</script"))
    }

    @Test
    func `in a view that runs it everywhere, the script begins with the origins in whose frames it does something`() {
        let hook = PageHook(strategy: .off, transport: .messageHandler("packtool"))
        let script = hook.script(in: ["https://shop.package", "h5pack://</script>"])
        let guarded =
            #"if (["https://shop.package","h5pack://\u003C/script>"].includes(location.protocol + "//" + location.host)) "#
        #expect(script == guarded + hook.script)
    }

    @Test func `a chunk in base64 and its frame fit into one message`() throws {
        let hook = PageHook(strategy: .full, transport: .endpoint("/-/bridge"))
        #expect(try configuration(hook)["endpoint"] as? String == "/-/bridge")
        #expect(hook.chunkSize % 3 == 0, "base64 of a chunk has no filling")
        #expect(hook.chunkSize / 3 * 4 < 1 << 19)
    }
}
