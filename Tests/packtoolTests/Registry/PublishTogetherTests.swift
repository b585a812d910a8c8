import Foundation
import Testing

/// Several commands at once on one registry.
struct PublishTogetherTests {
    @Test func `six processes make one registry and publish at once, and all succeed`() async throws {
        let tool = try Tool()
        let starting = try (1...6).map { _ in try tool.start("init", "--template", "jenkins", "--template", "config") }
        var made = 0
        for process in starting {
            let outcome = await process.outcome()
            #expect(outcome.exitCode == 0 || outcome.exitCode == 2, "\(outcome)")
            if outcome.standardOutput.contains(".packtool/registry") { made += 1 }
        }
        #expect(made >= 1)
        for number in 1...6 {
            try tool.write(["d\(number)/index.html": "<h1>\(number)</h1>"])
            let built = try await tool.run(
                "build", "d\(number)", "--package", "p\(number % 3)", "--package-version", "1.0.\(number)", "--quiet")
            try #require(built.exitCode == 0, "\(built)")
        }
        // One that begins so late that it finds a higher version offered would ask first.
        let running = try (1...6).map { number in
            try tool.start("publish", "packages/p\(number % 3)-1.0.\(number).zip", "--channel", "beta", "--yes")
        }
        for process in running {
            let outcome = await process.outcome()
            #expect(outcome.exitCode == 0, "\(outcome)")
        }
        let status = try await tool.run("status")
        for number in 1...6 {
            #expect(
                status.standardOutput.split(separator: "\n").contains {
                    $0.hasPrefix("p\(number % 3)       1.0.\(number) ")
                },
                "\(status)")
        }
        #expect(try await tool.run("keys", "list").exitCode == 0)
        #expect(try tool.listing(".packtool/registry/uploads").keys.sorted() == ["lock"])
    }
}
