import Foundation
import Testing

@testable import PackImporter

struct ForeignTimeTests {
    @Test(arguments: [
        ("2021-03-04T05:06:07Z", 1_614_834_367.0), ("2021-03-04T05:06:07.25Z", 1_614_834_367.25),
        ("2021-03-04 05:06:07+00", 1_614_834_367), ("2021-03-04T06:06:07+01:00", 1_614_834_367),
        ("2021-03-03T23:36:07-0530", 1_614_834_367), ("2021-03-04", 1_614_816_000), ("2021-03-04T05:06", 1_614_834_360),
        ("2024-02-29", 1_709_164_800), ("2000-03-01", 951_868_800), ("1970-01-01T00:00:00Z", 0),
        ("1614834367000", 1_614_834_367),
    ])
    func `a time is read in any of its forms`(text: String, seconds: Double) {
        #expect(ForeignTime.date(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "yesterday", "2021-13-01", "2021-00-01", "2021-01-32", "2021-01-01T24:00:00Z", "21-01-01", "2021-01-01T10",
        "99999999999999999", "-99999999999", "nan", "2021-01-01T10:00:00 Europe",
    ])
    func `what is no time is none`(text: String) { #expect(ForeignTime.date(text) == nil) }
}
