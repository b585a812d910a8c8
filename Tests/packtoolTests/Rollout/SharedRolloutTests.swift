import Foundation
import PackJSON
import TestSupport
import Testing

/// Two servers and a cron job take the steps of one plan; the registry's rows are in PostgreSQL.
@Suite(.onFolder) struct SharedRolloutTests {
    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
    /// Each kill costs up to a minute: the killed server may have had the lease.
    private static let kills = isLong ? 12 : 2
    private static let shares = (1...(isLong ? 40 : 12)).map { $0 * 2 } + [100]

    private let server: PostgresServer
    private let database: String
    private let tool: Tool

    init() async throws {
        (server, database, tool) = try await Tool.onPostgres()
    }

    /// A `packtool serve`, and what it says is its address.
    private func serve() async throws -> (process: RunningTool, url: String) {
        let process = try tool.start("serve", "--port", "0")
        let line = try #require(await process.line(holding: "http://127.0.0.1:"), "it did not start")
        return (process, String(try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output))
    }

    /// `packtool rollout run`, again and again, until there is a file `stop`.
    private func startCron() throws -> RunningTool {
        let script = """
            while [ ! -e stop ]; do
                "\(Tool.executable.path)" rollout run --quiet || echo "failed with $?"
                sleep 0.\(Int.random(in: 2...6))
            done
            """
        return try tool.start(URL(fileURLWithPath: "/bin/bash"), ["-c", script])
    }

    /// What a device that asks a server finds in the signed channel file: the share of the newest release.
    private func shareSeen(by store: String, at url: String) async throws -> Int {
        let update = try await tool.run(
            "client", "update", "--store", store, "--device", store, "--channel", "beta", "--registry", url)
        try #require([0, 2].contains(update.exitCode), "\(update)")
        let explained = try await tool.run("client", "explain", "--store", store, "--json").expectSuccess()
        let releases = try explained.json().object().object("packages").object("shop").array("releases")
        let newest = try #require(releases.first).object().object("release")
        #expect(try newest.string("version") == "1.1.0")
        return try newest["percent"]?.integer("percent") ?? 100
    }

    private func version(in store: String) async throws -> String {
        try await tool.run("client", "status", "--store", store, "--json").expectSuccess().json().object().object(
            "packages"
        ).object("shop").string("active")
    }

    private func status() async throws -> JSONObject {
        let status = try await tool.run("rollout", "status", "shop", "--json").expectSuccess()
        return try #require(status.json().object().array("rollouts").first).object()
    }

    private func prepare() async throws {
        try await tool.run("init", "--template", "config", "--app", "shop").expectSuccess()
        for (version, share) in [("1.0.0", "100"), ("1.1.0", "0")] {
            try tool.write(["dist/index.html": "<title>\(version)</title>"])
            try await tool.run("build", "dist", "--package", "shop", "--package-version", version, "--quiet")
                .expectSuccess()
            try await tool.run(
                "publish", "packages/shop-\(version).zip", "--channel", "beta", "--rollout", share
            ).expectSuccess()
        }
        let steps = Self.shares.map { "{\"share\": \($0)\($0 == 100 ? "" : ", \"for\": \"1s\"")}" }
        try tool.write(["plan.json": "{\"steps\": [\(steps.joined(separator: ",\n"))]}"])
    }

    /// Waits until just before or after a step is due, when a server is at work on it.
    private func waitForStep() async throws {
        let next = try await status().object("next")
        guard let text = try next["at"]?.string("at"),
            let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        else { return }
        let pause = date.timeIntervalSinceNow + Double.random(in: -0.05...0.4)
        if pause > 0 { try await Task.sleep(for: .seconds(min(pause, 5))) }
    }

    @Test func `two servers and a cron job take each step once, and go on where a server is killed`() async throws {
        try await prepare()
        var servers = try await [serve(), serve()]
        try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes").expectSuccess()
        let cron = try startCron()
        var seen: [Int] = []
        var killed = 0
        let end = ContinuousClock.now + .seconds(120 + 75 * Self.kills)
        while seen.last != 100, .now < end {
            // One device at both servers in turn: its store refuses a server that is behind the other.
            seen.append(try await shareSeen(by: "watch", at: servers[seen.count % 2].url))
            let distance = Self.shares.count / (Self.kills + 1)
            guard killed < Self.kills, let last = seen.last, last >= Self.shares[distance * (killed + 1)] else {
                continue
            }
            try await waitForStep()
            servers[killed % 2].process.kill(SIGKILL)
            _ = await servers[killed % 2].process.outcome()
            // The other one is asked while it is alone.
            seen.append(try await shareSeen(by: "watch", at: servers[(killed + 1) % 2].url))
            servers[killed % 2] = try await serve()
            killed += 1
        }
        #expect(killed == Self.kills)
        try await expectPlanDone(seenOnTheWay: seen)
        for server in servers { #expect(try await shareSeen(by: "new-\(server.url.suffix(5))", at: server.url) == 100) }
        #expect(try await version(in: "watch") == "1.1.0")

        try tool.write(["stop": ""])
        let outcome = await cron.outcome()
        #expect(outcome.exitCode == 0 && !outcome.standardOutput.contains("failed with"), "\(outcome)")
        for server in servers {
            server.process.kill(SIGTERM)
            #expect(await server.process.outcome().exitCode == 0)
        }
    }

    @Test func `two servers without a cron job take each step once`() async throws {
        try await prepare()
        let servers = try await [serve(), serve()]
        try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes").expectSuccess()
        var seen: [Int] = []
        let end = ContinuousClock.now + .seconds(180)
        while seen.last != 100, .now < end {
            seen.append(try await shareSeen(by: "watch", at: servers[seen.count % 2].url))
        }
        try await expectPlanDone(seenOnTheWay: seen)
    }

    /// Each step is once in the history of the release, in the audit log, and in the rollout's own account, in the plan's order; no device
    /// saw another share, or one that came before what it had seen.
    private func expectPlanDone(seenOnTheWay seen: [Int]) async throws {
        let shares = Self.shares
        let status = try await status()
        #expect(try status.string("state") == "completed")
        let steps = try status.array("steps").map { try $0.object() }
        let reached = try steps.map { try $0.string("reached") }
        #expect(reached.count == shares.count && reached == reached.sorted() && Set(reached).count == reached.count)
        // The rows themselves, by PostgreSQL's own client.
        let sql = """
            SELECT kind || ' ' || COALESCE(content::json->>'share', content::json->>'action', '') || ' '
                || CASE WHEN kind IN ('update', 'rollout') THEN actor ELSE '' END
            FROM packtool.releaseEvent
            WHERE release = (SELECT release FROM packtool.releaseEvent WHERE kind = 'plan') ORDER BY sequence
            """
        let events = try server.psql(sql, database: database).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let person = try #require(events.first { $0.hasPrefix("rollout start ") }).dropFirst("rollout start ".count)
        var expected = ["add 0", "update \(shares[0] * 100) \(person)", "plan", "rollout start \(person)"]
        expected += shares.dropFirst().flatMap {
            ["update \($0 * 100) system:rollout", "rollout step system:rollout"]
        }
        #expect(events.filter { !$0.hasPrefix("rollout complete") } == expected, "\(events)")
        let log = try await tool.run("audit", "--limit", "1000", "--json").json().object().array("entries")
        let taken = try log.map { try $0.object() }.filter { try $0.string("action") == "rollout step" }
        #expect(taken.count == shares.count - 1)
        for (entry, (before, after)) in zip(taken.reversed(), zip(shares, shares.dropFirst())) {
            #expect(try entry.string("actor") == "system:rollout")
            #expect(
                try entry.string("detail").hasPrefix("\(after) % of the devices in place of \(before) %"), "\(entry)")
        }
        #expect(seen == seen.sorted() && Set(seen).isSubset(of: shares) && seen.last == 100, "\(seen)")
        // The device looked often enough to see most of the steps.
        #expect(Set(seen).count >= shares.count / 4, "\(seen)")
    }
}
