import Foundation
import PackFormat
import Testing

@testable import PackImporter

struct HandWrittenListTests {
    @Test func `a table counts in place of the system's lists`() throws {
        let fixture = try ExportFixture(
            [
                "Production.json": "broken",
                "import.csv": "\u{FEFF}file,version,channel,created,note,app,percent,mandatory,disabled\r\n"
                    + "old/a.zip,1.0.0,stable,2024-03-01,\"One, \"\"two\"\"\nthree\",>=3.0.0 <4.0.0,,,\r\n"
                    + "\r\nb.zip, 1.1.0 ,stable,2024-03-02T10:00:00Z,,,12.5,yes,no\r\n"
                    + "b.zip,1.1.0,beta,2024-03-03 10:00:00+02:00,,,,,yes",
            ], zips: ["old/a.zip", "b.zip"])
        let releases = try fixture.read(.codepush).releases
        #expect(
            releases.map(\.summary) == [
                "1.0.0 on stable app >=3.0.0 <4.0.0 from old/a.zip", "1.1.0 on stable 12.5 % mandatory from b.zip",
                "1.1.0 on beta disabled from b.zip",
            ])
        #expect(releases[0].words == "One, \"two\"\nthree")
        #expect(releases.map { $0.created?.timeIntervalSince1970 } == [1_709_251_200, 1_709_373_600, 1_709_452_800])
    }

    @Test func `the same as JSON, and a file's name is its version`() throws {
        let fixture = try ExportFixture(
            [
                "import.json": """
                {"versions": [{"file": "1.0.0.zip", "channel": "stable", "percent": 5, "mandatory": true},
                              {"file": "x.zip", "version": "1.1.0", "percent": "0.5", "disabled": false}]}
                """
            ], zips: ["1.0.0.zip", "x.zip"])
        #expect(
            try fixture.read(.zips).releases.map(\.summary) == [
                "1.0.0 on stable 5 % mandatory from 1.0.0.zip", "1.1.0 0.5 % from x.zip",
            ])
    }

    @Test(arguments: [
        ("file,date\na.zip,x", "import.csv: line 1: there is no column \"date\""),
        ("file,file\na.zip,x", "import.csv: line 1: a column is named twice"),
        ("file,version\na.zip,1.0.0,stable", "import.csv: line 2: it has 3 values for 2 columns"),
        ("file,version\n\n,1.0.0", "import.csv: line 3: \"file\" is missing"),
        ("file,version\n../a.zip,1.0.0", "import.csv: line 2: \"../a.zip\" is not the path of a zip in the folder"),
        ("file,version\n/etc/passwd,1.0.0", "\"/etc/passwd\" is not the path of a zip in the folder: it is absolute"),
        ("file,version\nb.zip,1.0.0", "import.csv: line 2: there is no file \"b.zip\" in the folder"),
        ("file,version\na.zip,1.0", "import.csv: line 2: version: "),
        ("file,version,created\na.zip,1.0.0,yesterday", "created: \"yesterday\" is not a time"),
        ("file,version,app\na.zip,1.0.0,1.x", "app: "),
        ("file,version,percent\na.zip,1.0.0,101", "percent: "),
        ("file,version,mandatory\na.zip,1.0.0,maybe", "mandatory: \"maybe\" is not yes or no"),
        ("file,version\n\"a.zip,1.0.0", "import.csv: line 2: a quote is not closed"),
        ("file,version\na\"b.zip,1.0.0", "import.csv: line 2: a quote is inside a value"),
        ("", "import.csv: it is empty"),
    ])
    func `what is wrong in a table is named with its line`(table: String, fault: String) throws {
        let fixture = try ExportFixture(["import.csv": table], zips: ["a.zip"])
        #expect(fixture.fault(.zips).contains(fault), "\(fixture.fault(.zips))")
    }

    @Test func `two lists, an unknown field and a wrong type are refused`() throws {
        let both = try ExportFixture(["import.csv": "file\n", "import.json": "{}"], zips: ["a.zip"])
        #expect(both.fault(.zips).contains("keep one of the two"))
        let field = try ExportFixture(
            ["import.json": #"{"versions": [{"file": "a.zip", "date": ""}]}"#], zips: ["a.zip"])
        #expect(field.fault(.zips) == "import.json: the field \"date\" is not known")
        let type = try ExportFixture(
            ["import.json": #"{"versions": [{"file": "a.zip", "version": 1}]}"#], zips: ["a.zip"])
        #expect(type.fault(.zips) == "import.json: \"version\" must be a string, not an integer")
    }
}
