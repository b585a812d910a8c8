import Foundation
import PackJSON
import Synchronization
import TestSupport
import Testing

/// Publishers, release managers, readers and devices of a ``ServerCrowd``, each on a machine of its own. Each asks any of the servers, as behind a
/// load balancer, and notes what it asked for and what it was told.
final class CrowdClients: Sendable {
    let history = Mutex(ChangeHistory())
    /// What devices said that was not about a server that is away.
    let refusals = Mutex<[String]>([])
    /// How often a device got something new.
    let updateCount = Mutex(0)
    private let crowd: ServerCrowd
    private let isOver = Mutex(false)
    /// Commands that run, to be killed.
    private let commands = Mutex<[Int: RunningTool]>([:])

    init(of crowd: ServerCrowd) {
        self.crowd = crowd
    }

    static func build(_ package: String, _ version: String, with tool: Tool) async throws {
        try tool.write([
            "\(package)/index.html": "<title>\(version)</title>", "\(package)/app.js": "// \(package) \(version)",
        ])
        try await tool.output(of: ["build", package, "--package", package, "--package-version", version, "--quiet"])
    }

    private var isEnding: Bool { isOver.withLock { $0 } }

    private var anyURL: String { crowd.urls[Int.random(in: crowd.urls.indices)] }

    /// Runs a command, which may be killed.
    private func command(_ tool: Tool, _ arguments: [String], at url: String) async throws -> Outcome {
        let running = try tool.start(arguments, environment: ["PACKTOOL_REGISTRY": url])
        let number = Int.random(in: 0 ..< .max)
        commands.withLock { $0[number] = running }
        defer { commands.withLock { $0[number] = nil } }
        return await running.outcome()
    }

    /// Two publish versions of a package, and two others offer theirs. Each version is given again until it is acknowledged.
    func publish(_ number: Int, on tool: Tool) async throws {
        let package = number < 2 ? "one" : "site"
        var count = 0
        while !isEnding {
            count += 1
            let version = "1.\(number + 1).\(count)"
            try await Self.build(package, version, with: tool)
            let arguments = ["publish", "packages/\(package)-\(version).zip", "--no-wait", "--yes"]
            let value = ChangeHistory.Value(object: "publish \(package)", text: version)
            history.withLock { $0.begin(value) }
            while true {
                let outcome = try await command(
                    tool, arguments + (number < 2 ? [] : ["--channel", "stable"]), at: anyURL)
                if outcome.exitCode == 0 || outcome.exitCode == 2 { break }
                expectFailureOfKills(outcome)
            }
            history.withLock { $0.acknowledge(value) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
        }
    }

    /// Sets shares that nobody set before. What fails is not tried again: it may be done or not.
    func manage(_ number: Int, on tool: Tool) async throws {
        var count = 0
        while !isEnding {
            count += 1
            // Odd hundredths of the one, even ones of the other.
            let hundredths = 101 + 2 * count + number
            let share = "\(hundredths / 100).\(String(hundredths % 100 + 100).dropFirst())"
            let package = Bool.random() ? "one" : "two"
            let value = ChangeHistory.Value(object: "share \(package)", text: "\(hundredths)")
            history.withLock { $0.begin(value) }
            let outcome = try await command(
                tool, ["rollout", package, "--channel", "beta", "--percent", share, "--yes"], at: anyURL)
            if outcome.exitCode == 0 {
                history.withLock { $0.acknowledge(value) }
            } else {
                expectFailureOfKills(outcome)
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
        }
    }

    func read(on tool: Tool) async throws {
        while !isEnding {
            let begun = ChangeHistory.Instant.now
            let outcome = try await command(tool, ["status", "--channel", "beta", "--json"], at: anyURL)
            guard outcome.exitCode == 0 else {
                expectFailureOfKills(outcome)
                continue
            }
            let ended = ChangeHistory.Instant.now
            for (package, share) in try Self.shares(outcome) {
                history.withLock {
                    $0.read(ChangeHistory.Value(object: "share \(package)", text: share), from: begun, to: ended)
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...300)))
        }
    }

    /// A device that asks any server, as behind a load balancer. One server shows what another one changed within about a second.
    func update(on tool: Tool) async throws {
        while !isEnding {
            let outcome = try await command(
                tool, ["client", "update", "--store", "store", "--channel", "stable"], at: anyURL)
            if outcome.exitCode == 0 { updateCount.withLock { $0 += 1 } }
            // What one package of several met is said among the results, all else as an error.
            let said = outcome.standardOutput + outcome.standardError
            if outcome.exitCode != 0, outcome.exitCode != 2, outcome.exitCode != -SIGKILL,
                !["cannot be reached", "asks to come back"].contains(where: { said.contains($0) })
            {
                refusals.withLock { $0.append("\(outcome)") }
            }
            try await Task.sleep(for: .milliseconds(2_000))
        }
    }

    func kill(times: Int) async throws {
        try await Task.sleep(for: .seconds(2))
        for _ in 0..<times {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1_500)))
            switch Int.random(in: 0..<9) {
            case 0...3: crowd.killServer(Int.random(in: 0..<3))
            case 4: try? crowd.database.killPostmaster()
            case 5: try? crowd.database.killBackend()
            case 6: try? crowd.bucket.killServer()
            default: commands.withLock { $0.values.randomElement() }?.kill(SIGKILL)
            }
        }
        isOver.withLock { $0 = true }
    }

    /// What the channel offers of each package, as a share of the newest release.
    private static func shares(_ status: Outcome) throws -> [(package: String, share: String)] {
        try status.json().object().object("channels").object("beta").members.compactMap { member in
            // All devices have none.
            guard let newest = try member.value.array().first?.object(), newest["share"] != nil else { return nil }
            return (member.key, String(try newest.integer("share")))
        }
    }

    /// A command that meets what was killed says so, and not that something is wrong with what it was given.
    private func expectFailureOfKills(_ outcome: Outcome) {
        guard outcome.exitCode != -SIGKILL else { return }
        let expected = ["cannot be reached", "connection", "try again", "503", "published one meanwhile"]
        #expect(
            outcome.exitCode == 1 && expected.contains { outcome.standardError.contains($0) },
            "a command failed: \(outcome)")
    }
}
