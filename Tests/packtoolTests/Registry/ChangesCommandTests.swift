import Foundation
import PackJSON
import Testing

/// Approvals and schedules with the real executable over a real server.
struct ChangesCommandTests {
    private struct Scene {
        let live: LiveRegistry
        let ann: [String: String]
        let bob: [String: String]

        init() async throws {
            live = try await LiveRegistry()
            for version in ["1.0.0", "1.1.0", "1.2.0"] {
                try live.tool.write(["sites/\(version)/index.html": "<p>\(version)</p>"])
                try await live.tool.run(
                    "build", "sites/\(version)", "--package", "shop", "--package-version", version, "--out", "packages"
                ).expectSuccess()
            }
            try await live.tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "stable").expectSuccess()
            ann = try await ["PACKTOOL_TOKEN": live.token("--publish", "--release", "--channel", "stable")]
            bob = try await ["PACKTOOL_TOKEN": live.token("--release", "--channel", "stable")]
        }

        /// Publishes the versions after the first, each for everybody.
        func publishAll() async throws {
            for version in ["1.1.0", "1.2.0"] {
                try await live.tool.run(
                    "publish", "packages/shop-\(version).zip", "--channel", "stable", "--registry", live.folder
                ).expectSuccess()
            }
        }

        func run(_ person: [String: String], _ arguments: String...) async throws -> Outcome {
            try await live.tool.run(arguments + ["--registry", live.url], environment: person)
        }

        /// What a device gets with its next check.
        func device() async throws -> String {
            _ = try await live.tool.run(
                "client", "update", "--store", "device", "--channel", "stable", "--registry", live.url, "--root",
                ".packtool/root.json", "--activate", "now")
            return try await live.tool.run("client", "status", "--store", "device").standardOutput
        }
    }

    @Test func `a token for one channel takes no version from the devices of another`() async throws {
        let scene = try await Scene()
        let ci = try await ["PACKTOOL_TOKEN": scene.live.token("--publish", "--release", "--channel", "beta")]
        for more in ["--dry-run", "--yes"] {
            let refused = try await scene.run(ci, "withdraw", "shop@1.0.0", "--reason", "x", more)
            expectClearError(refused, naming: ["stable offers shop 1.0.0, and ", "has no right there"])
        }
        #expect(try await scene.device().contains("1.0.0"))
        // Whoever has the channel may.
        try await scene.run(scene.ann, "withdraw", "shop@1.0.0", "--reason", "x", "--yes").expectSuccess()
    }

    @Test func `a rollback that is done once more takes nothing else back`() async throws {
        let scene = try await Scene()
        try await scene.publishAll()
        try await scene.run(scene.ann, "rollback", "shop", "--channel", "stable").expectSuccess()
        let again = try await scene.run(scene.ann, "rollback", "shop", "--channel", "stable")
        expectClearError(
            again, naming: ["stable was rolled back from shop 1.2.0 by ", "and offers shop 1.1.0 now", "--again"])
        #expect(try await scene.device().contains("1.1.0"))
        try await scene.run(scene.ann, "rollback", "shop", "--channel", "stable", "--again").expectSuccess()
        #expect(try await scene.device().contains("1.0.0"))
    }

    @Test func `a rollback says why, on a channel with approvals only to others`() async throws {
        let scene = try await Scene()
        let owner = ["--registry", scene.live.folder]
        try await scene.publishAll()
        let back = try await scene.run(
            scene.ann, "rollback", "shop", "--channel", "stable", "--reason", "the cart is empty"
        ).expectSuccess()
        #expect(back.standardOutput.contains("roll shop back") && back.standardOutput.contains("\n  made "), "\(back)")
        #expect(try await scene.device().contains("1.1.0"))
        let log = try await scene.live.tool.run(["audit", "--limit", "5"] + owner)
        #expect(log.standardOutput.contains("roll shop back; the cart is empty"), "\(log)")
        try await scene.live.tool.run(["channel", "stable", "--approvals", "1"] + owner).expectSuccess()
        let refused = try await scene.run(
            scene.ann, "rollback", "shop", "--channel", "stable", "--again", "--reason", "the cart is empty")
        expectClearError(refused, naming: ["stable requires 1 approval of a change", "--propose"])
        for (person, code) in [(scene.ann, 0), (scene.bob, 2)] as [([String: String], Int32)] {
            let proposed = try await scene.run(
                person, "rollback", "shop", "--channel", "stable", "--again", "--propose")
            #expect(proposed.exitCode == code, "\(proposed)")
            #expect(
                proposed.standardError.contains("nothing to do: change 3 proposes that already") == (code == 2),
                "\(proposed)")
        }
        #expect(try await scene.device().contains("1.1.0"))
    }

    @Test func `a rollback of several releases that must be approved asks for no yes`() async throws {
        let scene = try await Scene()
        let owner = ["--registry", scene.live.folder]
        for (version, share) in [("1.1.0", "30"), ("1.2.0", "10")] {
            try await scene.live.tool.run(
                ["publish", "packages/shop-\(version).zip", "--channel", "stable", "--rollout", share] + owner
            ).expectSuccess()
        }
        let asks = try await scene.run(scene.ann, "rollback", "shop", "--channel", "stable")
        expectClearError(asks, naming: ["takes back 2 releases of shop", "--yes"], exitCode: 3)
        try await scene.live.tool.run(["channel", "stable", "--approvals", "1"] + owner).expectSuccess()
        let refused = try await scene.run(scene.ann, "rollback", "shop", "--channel", "stable")
        expectClearError(refused, naming: ["stable requires 1 approval of a change"])
        #expect(!refused.standardError.contains("--yes"), "\(refused)")
    }

    @Test func `who approves a promotion is told of a halt, and a job that runs again is done`() async throws {
        let scene = try await Scene()
        let owner = ["--registry", scene.live.folder]
        try scene.live.tool.write(["plan.json": #"{"steps": [{"share": 10, "for": "1d"}, {"share": 100}]}"#])
        try await scene.live.tool.run(
            ["publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--new-channel", "--rollout", "0"] + owner
        ).expectSuccess()
        try await scene.live.tool.run(
            ["rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes"] + owner
        ).expectSuccess()
        try await scene.live.tool.run(["channel", "stable", "--approvals", "1"] + owner).expectSuccess()
        let promote = ["promote", "shop@1.1.0", "--from", "beta", "--to", "stable", "--propose", "--yes"]
        let live = ["--registry", scene.live.url]
        try await scene.live.tool.run(promote + live, environment: scene.ann).expectSuccess()
        let before = try await scene.run(scene.bob, "changes")
        #expect(!before.standardOutput.contains("attention"), "\(before)")
        // After it was proposed.
        try await scene.live.tool.run(
            ["rollout", "halt", "shop", "--channel", "beta", "--reason", "loses orders"] + owner
        ).expectSuccess()
        let after = try await scene.run(scene.bob, "changes", "show", "2")
        #expect(after.standardOutput.contains("  attention: the rollout of shop 1.1.0 on beta is halted ("), "\(after)")
        #expect(after.standardOutput.contains(": loses orders)"), "\(after)")
        let json = try await scene.run(scene.bob, "changes", "show", "2", "--json").json().object()
        #expect(try json.array("notes").count == 1, "\(json)")
        try await scene.run(scene.bob, "changes", "approve", "2").expectSuccess()
        let rerun = try await scene.live.tool.run(promote + live, environment: scene.ann)
        expectClearError(rerun, naming: ["there is nothing to do: it is so on stable already"], exitCode: 2)
        let published = try await scene.run(
            scene.ann, "publish", "packages/shop-1.1.0.zip", "--channel", "stable", "--propose")
        #expect(published.exitCode == 0 && published.standardError.contains("there is nothing to do"), "\(published)")
    }

    @Test func `the gate is off at once, and the log says why`() async throws {
        let scene = try await Scene()
        try await scene.live.tool.run(
            ["channel", "stable", "--approvals", "1", "--registry", scene.live.folder]
        ).expectSuccess()
        try await scene.run(
            scene.ann, "gate", "shop", "--channel", "stable", "--off", "--reason", "a blank page", "--yes"
        ).expectSuccess()
        let gate = try await scene.run(scene.ann, "gate", "shop", "--channel", "stable")
        #expect(gate.standardOutput.contains("is off"), "\(gate)")
        let log = try await scene.live.tool.run(["audit", "--limit", "5", "--registry", scene.live.folder])
        #expect(log.standardOutput.contains("switch the gate of shop off; a blank page"), "\(log)")
        let on = try await scene.run(scene.ann, "gate", "shop", "--channel", "stable", "--on", "--reason", "x")
        #expect(on.exitCode == 64 && on.standardError.contains("--reason goes with --off"), "\(on)")
    }

    @Test func `where others must approve, no command asks for a yes that would not be enough`() async throws {
        let scene = try await Scene()
        let owner = ["--registry", scene.live.folder]
        for version in ["1.1.0", "1.2.0"] {
            try await scene.live.tool.run(
                ["publish", "packages/shop-\(version).zip", "--channel", "beta", "--new-channel"] + owner
            ).expectSuccess()
        }
        try await scene.live.tool.run(
            ["promote", "shop@1.1.0", "--from", "beta", "--to", "stable", "--yes"] + owner
        ).expectSuccess()
        try await scene.live.tool.run(["channel", "stable", "--approvals", "1"] + owner).expectSuccess()
        for command in [
            ["promote", "shop", "--from", "beta", "--to", "stable"], ["release", "shop@1.0.0", "--channel", "stable"],
            ["rollout", "set", "shop", "--channel", "stable", "--percent", "5"],
        ] {
            for more in [[], ["--yes"]] {
                let refused = try await scene.live.tool.run(
                    command + more + ["--registry", scene.live.url], environment: scene.ann)
                expectClearError(refused, naming: ["stable requires 1 approval of a change", "--propose"])
                #expect(!refused.standardError.contains("--yes"), "\(refused)")
            }
        }
        #expect(try await scene.device().contains("1.1.0"))
    }

    @Test func `a change is proposed, refused alone, approved by another, and reaches a device`() async throws {
        let scene = try await Scene()
        let (ann, bob) = (scene.ann, scene.bob)
        #expect(try await scene.device().contains("1.0.0"))
        let raised = try await scene.live.tool.run(
            "channel", "stable", "--approvals", "1", "--registry", scene.live.folder)
        #expect(raised.exitCode == 0 && raised.standardOutput.contains("requires 1 approval of a change"), "\(raised)")
        let shown = try await scene.run(ann, "channel", "stable")
        #expect(shown.standardOutput == "stable requires 1 approval of a change\n", "\(shown)")
        #expect(try await scene.run(ann, "channel", "stable", "--json").json().object().integer("approvals") == 1)

        let alone = try await scene.run(ann, "publish", "packages/shop-1.1.0.zip", "--channel", "stable")
        #expect(alone.exitCode == 1 && alone.standardError.contains("propose it with --propose"), "\(alone)")
        let proposed = try await scene.run(
            ann, "publish", "packages/shop-1.1.0.zip", "--channel", "stable", "--propose", "--reason", "new checkout")
        #expect(proposed.exitCode == 0, "\(proposed)")
        #expect(proposed.standardOutput.contains("shop on stable: 1.1.0 in place of 1.0.0"), "\(proposed)")
        #expect(proposed.standardError.contains("packtool changes approve 2"), "\(proposed)")
        let rerun = try await scene.run(
            ann, "publish", "packages/shop-1.1.0.zip", "--channel", "stable", "--propose", "--reason", "run 2")
        #expect(
            rerun.exitCode == 0 && rerun.standardError.contains("nothing to do: change 2 proposes that already"),
            "\(rerun)")
        #expect(try await scene.device().contains("1.0.0"))

        let list = try await scene.run(bob, "changes")
        #expect(list.standardOutput.contains("waiting for approval: it has 0 of 1 approval"), "\(list)")
        #expect(list.standardOutput.contains("new checkout"), "\(list)")
        let own = try await scene.run(ann, "changes", "approve", "2")
        #expect(own.exitCode == 1 && own.standardError.contains("somebody else has to approve it"), "\(own)")
        let approved = try await scene.run(bob, "changes", "approve", "2", "--json")
        #expect(approved.exitCode == 0, "\(approved)")
        #expect(try approved.json().object().object("change").string("state") == "executed")
        #expect(try await scene.device().contains("1.1.0"))
        #expect(try await scene.run(bob, "changes", "approve", "2").exitCode == 2)

        // The way back is quick, and named.
        let slow = try await scene.run(ann, "rollback", "shop", "--channel", "stable")
        #expect(
            slow.exitCode == 1
                && slow.standardError.contains("In an emergency nobody is asked: --emergency --reason TEXT"), "\(slow)")
        let forward = try await scene.run(ann, "rollout", "shop", "--channel", "stable", "--retry")
        #expect(
            forward.standardError.contains("propose it with --propose") && !forward.standardError.contains("emergency"),
            "\(forward)")
        let silent = try await scene.run(ann, "rollback", "shop", "--channel", "stable", "--emergency")
        #expect(silent.exitCode == 1 && silent.standardError.contains("--reason"), "\(silent)")
        let quick = try await scene.run(
            ann, "rollback", "shop", "--channel", "stable", "--emergency", "--reason", "it fails")
        #expect(quick.exitCode == 0, "\(quick)")
        #expect(try await scene.device().contains("1.0.0"))

        let offer = try await scene.run(
            ann, "publish", "packages/shop-1.2.0.zip", "--channel", "stable", "--propose", "--json")
        let change = try #require(try offer.json().object().array("proposed").first).object().object("change")
        let id = String(try change.integer("id"))
        let no = try await scene.run(bob, "changes", "reject", id, "--reason", "not today")
        #expect(no.exitCode == 0 && no.standardOutput.contains("not today"), "\(no)")
        #expect(try await scene.run(bob, "changes", "approve", id).exitCode == 1)
        let audit = try await scene.live.tool.run("audit", "--registry", scene.live.folder).standardOutput
        for text in [
            "change propose", "change approve", "change execute", "change reject", ", approved by ",
            ", in an emergency",
        ] {
            #expect(audit.contains(text), "\(text): \(audit)")
        }
    }

    @Test func `a server makes an approved change when its time comes`() async throws {
        let scene = try await Scene()
        let time = Date().addingTimeInterval(4).formatted(.iso8601)
        let proposed = try await scene.run(
            scene.ann, "publish", "packages/shop-1.1.0.zip", "--channel", "stable", "--at", time)
        #expect(
            proposed.exitCode == 0 && proposed.standardOutput.contains("needs no approval, to be made at"),
            "\(proposed)")
        #expect(try await scene.device().contains("1.0.0"))
        var state = ""
        for _ in 0..<40 where state != "executed" {
            try await Task.sleep(for: .milliseconds(500))
            let shown = try await scene.run(scene.bob, "changes", "show", "1", "--json")
            state = try shown.json().object().string("state")
        }
        #expect(state == "executed")
        #expect(try await scene.device().contains("1.1.0"))
        let early = try await scene.run(
            scene.ann, "gate", "shop", "--channel", "stable", "--off", "--yes", "--at", "2020-01-01T00:00:00Z")
        #expect(early.exitCode == 1 && early.standardError.contains("is past"), "\(early)")
        let word = try await scene.run(scene.ann, "gate", "shop", "--channel", "stable", "--off", "--at", "tomorrow")
        #expect(word.exitCode == 64 && word.standardError.contains("with its time zone"), "\(word)")
    }
}
