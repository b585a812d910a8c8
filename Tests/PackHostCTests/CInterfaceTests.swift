import Foundation
import TestSupport
import Testing

/// Programs in C, compiled against packhost.h and run with libpackhost against a real registry.
@Suite(.serialized)
struct CInterfaceTests {
    @Test func `an app in C installs, shows, confirms, takes the next version and goes back`() throws {
        let served = try ServedShop()
        let said = try CProgram(named: "update.c").run(served.arguments(), answer: served.answer)
        #expect(said == "publish 2.0.0 two\npublish 3.0.0 three\ndone\n")
    }

    @Test func `a version that an app in C never confirms is left after its starts`() throws {
        let served = try ServedShop()
        let app = try CProgram(named: "start.c")
        let first = try CProgram(named: "first.c")
        #expect(try first.run(served.arguments()) == "confirmed\n")
        try served.publish("2.0.0", "two")
        // The first start still has the first version, and downloads the second.
        let titles = try (0..<5).map { _ in try app.run(served.arguments()) }
        #expect(titles == ["one\n", "two\n", "two\n", "one\n", "one\n"])
    }

    @Test func `nothing that a program in C does wrong ends its process, also from eight threads`() throws {
        let served = try ServedShop()
        #expect(try CProgram(named: "first.c").run(served.arguments()) == "confirmed\n")
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"
        #expect(try CProgram(named: "misuse.c").run(served.arguments() + [isLong ? "10000" : "1000"]) == "done\n")
        // And the store is as good as before.
        #expect(try CProgram(named: "start.c").run(served.arguments()) == "one\n")
    }

    @Test func `a limit, a close and a canceller end a call of C, also from inside its slow callback`() throws {
        // Hardly compressible, so that its download has dozens of events.
        let data = (0..<200_000).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        let served = try ServedShop(data: data)
        #expect(try CProgram(named: "limits.c").run(served.arguments()) == "done\n")
    }

    @Test func `a release's hours are those of the device's time zone`() throws {
        let served = try ServedShop()
        _ = try served.project.run(
            "rollout", "set", "shop", "--channel", "stable", "--window", "22:00-05:00", "--yes")
        let program = try CProgram(named: "explain.c")
        // Half an hour beside the others; with summer time, south and north; and what names no zone, which is GMT.
        for name in ["Asia/Kolkata", "America/New_York", "Pacific/Chatham", "UTC"] {
            let zone = try #require(TimeZone(identifier: name))
            let before = Date.now
            let said = try program.run(served.arguments(name.filter(\.isLetter)), environment: ["TZ": name])
            // A minute may end while it runs.
            let possible = [before, Date.now].map { moment in
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = zone
                let parts = calendar.dateComponents([.hour, .minute, .weekday], from: moment)
                let day = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][parts.weekday! - 1]
                return "\(day) \(String(format: "%02d:%02d", parts.hour!, parts.minute!)) on the device's clock"
            }
            #expect(possible.contains { said.contains($0) }, "\(name): \(possible[0]) is not in \(said)")
        }
    }

    @Test(arguments: ["c", "cpp"])
    func `the program of docs/C-API.md runs as it stands there`(_ language: String) throws {
        let document = try String(
            contentsOf: CProgram.checkout.appendingPathComponent("docs/C-API.md"), encoding: .utf8)
        let program = try #require(document.firstMatch(of: /```c\n(?<program>.*?)```/.dotMatchesNewlines()))
        let served = try ServedShop()
        let source = served.project.url.appendingPathComponent("app.\(language)")
        // The header is installed there, and here it is beside the library's sources.
        try Data(program.output.program.utf8).write(to: source)
        let said = try CProgram(source).run(served.arguments())
        #expect(said.contains("shop 1.0.0: "), "\(said)")
        #expect(said.contains("200 installed\n"), "\(said)")
        #expect(said.contains("content-type: text/html; charset=utf-8\n"), "\(said)")
        #expect(said.contains("<title>one</title>"), "\(said)")
        #expect(try served.project.run("client", "status", "--store", served.arguments()[0]).contains("confirmed"))
    }

    @Test func `the library exports every function of its header, and no other of that name`() throws {
        let header = try String(
            contentsOf: CProgram.checkout.appendingPathComponent("Sources/CPackHost/packhost.h"), encoding: .utf8)
        let declared = header.matches(of: /(?:int32_t|uint32_t|const char \*) ?(packhost_\w+)\(/).map { $0.output.1 }
        let symbols = try CProgram.symbols()
        let exported = symbols.matches(of: /T (packhost_\w+)/).map { $0.output.1 }
        #expect(declared.count > 20)
        #expect(Set(declared) == Set(exported))
    }
}
