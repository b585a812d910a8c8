import PackFormat
import Testing

struct CountTextTests {
    @Test(arguments: [
        (0, "0 devices"), (1, "1 device"), (2, "2 devices"), (999, "999 devices"), (1_000, "1,000 devices"),
        (50_000, "50,000 devices"), (1_234_567, "1,234,567 devices"), (-1_000, "-1,000 devices"),
    ])
    func `a count is read as people write it`(count: Int, text: String) {
        #expect(CountText.text(count, "device") == text)
    }

    @Test func `a noun may have a plural of its own`() {
        #expect(CountText.text(1, "entry", plural: "entries") == "1 entry")
        #expect(CountText.text(2, "entry", plural: "entries") == "2 entries")
        #expect(CountText.number(.min) == "-9,223,372,036,854,775,808")
    }
}
