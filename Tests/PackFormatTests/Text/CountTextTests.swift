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

    @Test func `places are said as people say them`() {
        let places = [1, 2, 3, 4, 11, 12, 13, 21, 22, 103, 111, 1_001].map(CountText.ordinal)
        #expect(
            places == [
                "first", "second", "third", "4th", "11th", "12th", "13th", "21st", "22nd", "103rd", "111th", "1,001st",
            ])
    }
}
