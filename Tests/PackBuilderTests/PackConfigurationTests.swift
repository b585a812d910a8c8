import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackBuilder

struct PackConfigurationTests {
    private func read(_ text: String) throws -> PackConfiguration {
        try PackConfiguration(parsing: Array(text.utf8), named: "packtool.json")
    }

    private func message(_ text: String) -> String {
        do {
            _ = try read(text)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test func `a full configuration with comments is read`() throws {
        let configuration = try read(
            """
            {
                // which package
                "package": "checkout", "version": "1.4.0", "entry": "start.html", "app": "shop",
                "registry": "https://packages.example.com", "channel": "beta",
                "ignore": ["*.psd"], "shared": { "name": "web-common", "include": ["vendor/**"], "auto": true },
                "budget": { "total": "1.5 MB", "file": 1000, "files": { "*.js": "300 KiB" } },
                "origins": ["https://m.example.com/"], "requires": { "app": ">=3.2.0" }, "spa": true,
                "headers": { "X-A": "b" }, "base": "/static-files", "serviceWorker": true,
                "api": { "/api/": "https://api.example.com/" }, "compression": "max", "out": "zips", /* the end */
            }
            """)
        #expect(configuration.package?.text == "checkout")
        #expect(configuration.version?.description == "1.4.0")
        #expect(configuration.budget.total == 1_500_000)
        #expect(configuration.budget.file == 1000)
        #expect(configuration.budget.files == [.init(pattern: "*.js", limit: 300 << 10)])
        #expect(
            configuration.shared == .init(name: try PackageID("web-common"), include: ["vendor/**"], isAutomatic: true))
        #expect(configuration.headers == ["x-a": "b"])
        #expect(configuration.isSinglePage)
        #expect(configuration.base == .path(try BasePath("/static-files/")))
        #expect(configuration.wantsServiceWorker)
        #expect(configuration.api.targets == ["/api/": "https://api.example.com/"])
    }

    @Test func `a size is read and shown at the borders of its type, and none is negative`() {
        #expect(ByteCount.text(.max) == "9223372036 GB" || ByteCount.text(.max) == "9223372037 GB")
        #expect(ByteCount.text(.min).hasPrefix("-922337203"))
        #expect(ByteCount.text(1_450_000) == "1.5 MB")
        for text in ["-9223372036854775808", "-1", "-1 kB", "99999999999999999999"] {
            #expect(ByteCount.parse(text) == nil, "\(text)")
            #expect(message("{\"budget\": {\"total\": \"\(text)\"}}").contains("a size is a number of bytes"))
        }
    }

    @Test func `an unknown key is an error with its place and a suggestion`() {
        #expect(
            message("{\n  \"package\": \"a\",\n  \"verson\": \"1.0.0\"\n}")
                == "packtool.json:3:3: the key \"verson\" is not known; did you mean \"version\"?")
        #expect(
            message("{ \"shared\": { \"includes\": [] } }").contains(
                "1:15: the key \"shared.includes\" is not known; did you mean \"include\"?"))
        #expect(message("{ \"zzzzzzzz\": 1 }").contains("known keys are app, package"))
    }

    @Test func `a value of the wrong type or form is an error with its place`() {
        #expect(
            message("{\n\"package\": 5}").contains("packtool.json:2:1: \"package\" must be a string, not an integer"))
        #expect(message("{\"package\": \"No Way\"}").contains("packtool.json:1:2"))
        #expect(message("{\"version\": \"1\"}").contains("is not a version"))
        #expect(message("{\"compression\": \"best\"}").contains("none of fast, standard, max"))
        #expect(message("{\"budget\": {\"total\": \"big\"}}").contains("a size is"))
        #expect(
            message("{\n\"base\": \"assets/\"}")
                == "packtool.json:2:1: \"base\": \"assets/\" is not a base: it does not begin with /; "
                + "use the path that the build is made for, such as /static-files/")
        #expect(
            message("{\"api\": {\"/api/\": \"http://api.example.com/\"}}")
                == "packtool.json:1:2: \"api\": \"http://api.example.com/\" is not allowed in api: http is for a host on "
                + "this device only: use https; say {\"/api/\": \"https://api.example.com/\"}")
        #expect(
            message("{\n\"headers\": {\"X Bad\": \"a\"}}").contains(
                "packtool.json:2:1: \"headers\": \"X Bad\" is no name of a header"))
        // What only an answer knows would be dropped by whoever serves the file.
        #expect(
            message(#"{ "headers": { "Set-Cookie": "a=b" } }"#).contains(
                "\"headers\": \"Set-Cookie\" is set by whoever serves the file"))
        #expect(
            message("{\n\"origins\": [\"m.example.com\"]}").contains(
                "packtool.json:2:1: \"origins\": the origin \"m.example.com\" is not"))
        #expect(message("{\"a\": 1").contains("packtool.json:1:"))
        #expect(message("[]").contains("must be an object"))
    }

    // MARK: The schema

    private func schema() throws -> JSONObject {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try JSONValue(parsing: Data(contentsOf: root.appending(path: "templates/config/packtool.schema.json")))
            .object()
    }

    @Test func `the schema and the reader know the same keys`() throws {
        let properties = try schema().object("properties")
        func keys(_ object: JSONObject) -> Set<String> { Set(object.members.map(\.key)) }
        func inner(_ name: String) throws -> Set<String> {
            try keys(properties.object(name).object("properties"))
        }
        #expect(keys(properties) == Set(PackConfiguration.keys))
        #expect(try inner("shared") == Set(PackConfiguration.sharedKeys))
        #expect(try inner("budget") == Set(PackConfiguration.budgetKeys))
        #expect(try inner("audit") == Set(PackConfiguration.auditKeys))
        #expect(try inner("requires") == Set(PackConfiguration.requiresKeys))
        #expect(try inner("state") == Set(PackConfiguration.stateKeys))
    }

    @Test func `the reader accepts every example of the schema, and refuses every other type`() throws {
        func check(_ properties: JSONObject, wrap: (JSONObject) -> JSONObject) throws {
            for member in properties.members {
                let property = try member.value.object()
                if let nested = property["properties"] {
                    try check(nested.object()) { inner in wrap([member.key: .object(inner)]) }
                    continue
                }
                let examples = try property.array("examples")
                for example in examples {
                    let document = JSONValue.object(wrap([member.key: example])).compactText
                    #expect(throws: Never.self) { try read(document) }
                }
                let kinds = Set(examples.map(\.kind))
                for other: JSONValue in ["text", 7, true, ["a"], .object([:]), .null]
                where !kinds.contains(other.kind) && member.key != "$schema" {
                    // A size may be written as a number although the example is a text.
                    if property["$ref"] != nil, case .integer = other { continue }
                    let document = JSONValue.object(wrap([member.key: other])).compactText
                    #expect(throws: BuildError.self, "\(document)") { try read(document) }
                }
            }
        }
        try check(schema().object("properties")) { $0 }
    }

    @Test func `the nearest file above counts, and its paths are relative to it`() throws {
        let project = try Project(["packtool.json": "{\"out\": \"zips\"}", "a/b/dist/index.html": ""])
        let found = try #require(try PackConfiguration.nearest(to: project("a/b/dist")))
        #expect(found.file?.path == project("packtool.json").path)
        #expect(found.resolve("zips").path == project("zips").path)
    }
}
