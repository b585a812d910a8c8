import Foundation
import PackJSON
import Synchronization
import TestSupport
import Testing

/// Three servers, four publishers, two release managers and devices, while anything is killed: a server, the database, the bucket, a command.
/// `PACKTOOL_LONG` kills as often as issue 16 wants.
@Suite(.onFolder) struct ServerKillTests {
    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
    private static let kills = isLong ? 200 : 6

    @Test func `whatever is killed, nothing acknowledged is lost, no device is refused, and some order explains all`()
        async throws
    {
        let owner = try Tool()
        let crowd = try await ServerCrowd(owner: owner)
        for (package, channel) in [("one", "beta"), ("two", "beta"), ("site", "stable")] {
            try await CrowdClients.build(package, "1.0.0", with: owner)
            try await owner.output(of: [
                "publish", "packages/\(package)-1.0.0.zip", "--channel", channel, "--new-channel",
            ])
        }
        try await Self.plan(owner)
        var token: [String: String] = [:]
        for (name, rights) in [("ci", ["--publish", "--release"]), ("manager", ["--release"])] {
            token[name] = try await owner.run(["token", "create", name, "--json"] + rights).json().object().string(
                "token")
        }
        let key = try String(decoding: owner.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        let publisher = ["PACKTOOL_TOKEN": try #require(token["ci"]), "PACKTOOL_KEY": key]
        let manager = ["PACKTOOL_TOKEN": try #require(token["manager"])]

        let clients = CrowdClients(of: crowd)
        let watch = try owner.start(URL(filePath: "/bin/bash"), ["-c", Self.watching(crowd)])
        defer { watch.kill(SIGKILL) }
        try await withThrowingTaskGroup { group in
            group.addTask { try await crowd.serve() }
            defer { crowd.end() }
            try await crowd.waitUntilReady(with: owner)
            // Those that end when the killing has ended.
            try await withThrowingTaskGroup { tasks in
                for number in 0..<4 {
                    tasks.addTask { try await clients.publish(number, on: crowd.machine(publisher)) }
                }
                for number in 0..<2 { tasks.addTask { try await clients.manage(number, on: crowd.machine(manager)) } }
                tasks.addTask { try await clients.read(on: crowd.machine(manager)) }
                for _ in 0..<2 { tasks.addTask { try await clients.update(on: crowd.machine([:])) } }
                tasks.addTask { try await clients.kill(times: Self.kills) }
                try await tasks.waitForAll()
            }
            try await crowd.waitUntilReady(with: owner)
            try await judge(clients, crowd, owner, watch.lines)
            crowd.end()
            try await group.waitForAll()
        }
    }

    /// A release with more steps than there is time for. The server whose clock is fast takes the first of them at once.
    private static func plan(_ owner: Tool) async throws {
        try await CrowdClients.build("plan", "1.0.0", with: owner)
        try await owner.output(of: ["publish", "packages/plan-1.0.0.zip", "--channel", "beta", "--rollout", "0"])
        let steps = (10..<100).map { "{\"share\": \($0), \"for\": \"1m\"}" }.joined(separator: ", ")
        try owner.write(["plan.json": "{\"steps\": [\(steps), {\"share\": 100}]}"])
        try await owner.output(of: ["rollout", "plan", "--channel", "beta", "--plan", "plan.json", "--yes"])
    }

    /// A script that asks each server and the bucket for the timestamp, again and again, and prints who has which version.
    private static func watching(_ crowd: ServerCrowd) -> String {
        let signed =
            "--aws-sigv4 aws:amz:\(SeaweedServer.region):s3 --user '\(SeaweedServer.keyID):\(SeaweedServer.secret)' "
            + "\(crowd.bucket.endpoint)/\(SeaweedServer.bucket)/crowd"
        let sources = crowd.urls + [signed]
        let asks = sources.enumerated().map { index, source in
            "ask \(index) \(source)/metadata/timestamp.json"
        }
        return """
            ask() {
                source=$1; shift
                version=$(curl -sf --max-time 2 "$@" | grep -o '"version":[0-9]*' | tail -1) || return 0
                echo "$source ${version#*:}"
            }
            while :; do
                \(asks.joined(separator: "\n    "))
                sleep 0.1
            done
            """
    }

    private func judge(
        _ clients: CrowdClients, _ crowd: ServerCrowd, _ owner: Tool, _ watched: [String]
    ) async throws {
        let entries = try await owner.run("audit", "--limit", "10000", "--json").json().object().array("entries")
            .reversed().map { try Entry($0.object()) }
        clients.history.withLock { history in
            #expect(history.faults(log: entries.compactMap(\.value)) == [])
            print(
                "servers: \(Self.kills) kills, \(crowd.startCount) starts of 3 servers, \(history.acknowledgedCount) changes "
                    + "acknowledged, \(history.readingCount) values read")
            // All went on between the kills.
            #expect(history.acknowledgedCount > 3 && history.readingCount > 3)
        }
        #expect(clients.refusals.withLock { $0 } == [])
        #expect(clients.updateCount.withLock { $0 } > 1)
        // Each step of the plan once, and in its order. A short run has hardly time for one.
        let steps = entries.filter {
            $0.subject == "plan@1.0.0 on beta" && ["rollout start", "rollout step"].contains($0.action)
        }.map(\.detail)
        #expect((steps.count > 1 || !Self.isLong) && zip(steps, steps.dropFirst()).allSatisfy { $0 < $1 }, "\(steps)")

        for source in 0...crowd.urls.count {
            let versions = watched.filter { $0.hasPrefix("\(source) ") }.compactMap { Int($0.dropFirst(2)) }
            #expect(versions.count > 3 && versions == versions.sorted(), "\(source) went back: \(versions)")
        }
        let newest = try #require(entries.last { $0.action == "release" && $0.subject == "site on stable" })
        let version = try #require(newest.detail.split(separator: " ").first)
        for url in crowd.urls {
            let device = try crowd.machine(["PACKTOOL_REGISTRY": url])
            // A server whose bucket was away looks at it again after ten seconds.
            try await device.update("store", from: url, channel: "stable", to: "site \(version)")
        }
        let check = try await owner.output(of: ["registry", "check"])
        #expect(check.contains("all sound"), "\(check)")
    }

    /// An entry of the audit log.
    private struct Entry {
        let action: String
        let subject: String
        let detail: String

        init(_ json: JSONObject) throws {
            action = try json.string("action")
            subject = try json.string("subject")
            detail = try json.string("detail")
        }

        /// What a client asked for.
        var value: ChangeHistory.Value? {
            if action == "publish", let (_, package, version) = subject.firstMatch(of: /^(.*)@(.*)$/)?.output {
                return ChangeHistory.Value(object: "publish \(package)", text: String(version))
            }
            guard action == "rollout", let (_, package) = subject.firstMatch(of: /^(.*) on beta$/)?.output,
                let (_, whole, part) = detail.firstMatch(of: /at (\d+)(?:\.(\d+))? %/)?.output
            else { return nil }
            let hundredths = (String(part ?? "") + "00").prefix(2)
            return ChangeHistory.Value(object: "share \(package)", text: "\(Int(whole) ?? 0)\(hundredths)")
        }
    }
}
