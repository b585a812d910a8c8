import PackFormat
import Testing

struct ProductVersionTests {
    @Test(arguments: [
        ("0123456789ab", "2026-11-24", "(commit 0123456789ab of 2026-11-24, "),
        ("0123456789ab", "", "(commit 0123456789ab, "),
        ("", "", "("), ("", "2026-11-24", "("),
    ])
    func `an executable says its version, commit and build`(commit: String, date: String, source: String) {
        let text = ProductVersion.stamp(commit: commit, date: date)
        let build = text.firstMatch(of: /(debug|release|unoptimized) build for (linux|macos)-(x86_64|arm64)\)$/)
        #expect(build.map { text == "\(ProductVersion.text) \(source)\($0.output.0)" } == true, "\(text)")
    }
}
