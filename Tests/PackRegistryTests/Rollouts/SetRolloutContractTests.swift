import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Plans and rollbacks of sets, and audiences of plans: what is said before it is done, and what devices get.
struct SetRolloutContractTests {
    private static func plan(_ text: String) throws -> RolloutPlan {
        try RolloutPlan(parsing: Array(text.utf8), named: "plan")
    }

    /// Checkout 1.0.0 for everybody, then a set of checkout 1.1.0 and the new package help 1.0.0 for a tenth.
    private func stocked(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish([
            shop.page("1.0.0").zip, shop.page("1.1.0").zip, shop.page("1.0.0", package: "help").zip,
        ])
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        shop.clock.advance(seconds: 1)
        let versions = try [package(): version("1.1.0"), package("help"): version("1.0.0")]
        _ = try await shop.registry.release(
            ReleaseSet(versions: versions, rollout: Rollout(percent: 10)), on: channel())
        return shop
    }

    @Test(arguments: RegistryKind.allCases)
    func `a rollback of a set takes each package to what it had, and says so of all of them`(kind: RegistryKind)
        async throws
    {
        for name in ["checkout", "help"] {
            let shop = try await stocked(kind)
            try await kind.using(shop) { (registry) async throws in
                let ask = RolloutRequest(.rollBack, isDryRun: true)
                let preview = try await registry.rollout(ask, of: package(name), on: channel())
                #expect(
                    preview.effect
                        == "10 % of the devices leave checkout 1.1.0 and help 1.0.0, which are one set, on beta and go back: "
                        + "checkout to 1.0.0 and help to what the app embeds")
                let still = try await registry.channelFile(channel(), at: nil)
                #expect(
                    still?.packages[try package()]?.releases.compactMap(\.version?.description) == ["1.1.0", "1.0.0"])
                shop.clock.advance(seconds: 1)
                let done = try await registry.rollout(RolloutRequest(.rollBack), of: package(name), on: channel())
                #expect(done.isChanged && done.effect == preview.effect)
                #expect(try await shop.releases("checkout") == ["1.0.0@100"], "\(name)")
                #expect(try await shop.releases("help") == ["embedded@100"], "\(name)")
            }
        }
    }

    /// Checkout and help 1.0.0, 1.1.0 and 1.2.0, each pair for everybody as one.
    private func pairs(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        let versions = ["1.0.0", "1.1.0", "1.2.0"]
        try await shop.publisher().publish(
            versions.flatMap { [try shop.page($0).zip, try shop.page($0, package: "help").zip] })
        for text in versions {
            let set = try ReleaseSet(versions: [package(): version(text), package("help"): version(text)])
            _ = try await shop.registry.release(set, on: channel())
            shop.clock.advance(seconds: 1)
        }
        return shop
    }

    @Test(arguments: RegistryKind.allCases)
    func `a package that went back with its set goes further only if that is meant`(kind: RegistryKind) async throws {
        let shop = try await pairs(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            shop.clock.advance(seconds: 1)
            let name = try #require(try await registry.auditLog(limit: 1).first?.actor)
            let once = ChannelChange.rollBack(to: nil)
            let before = try await registry.auditLog(limit: 100)
            for text in ["help", "checkout"] {
                let (way, place) = (try package(text), try channel())
                var refused: [RegistryError?] = []
                refused.append(
                    await #expect(throws: RegistryError.self) { try await registry.change(once, of: way, on: place) })
                refused.append(
                    await #expect(throws: RegistryError.self) {
                        try await registry.preview(once, of: way, on: place, assuming: [])
                    })
                refused.append(
                    await #expect(throws: RegistryError.self) {
                        try await registry.rollout(RolloutRequest(.rollBack), of: way, on: place)
                    })
                refused.append(
                    await #expect(throws: RegistryError.self) {
                        try await registry.propose(ChangeProposal(.release(once, of: way), on: place))
                    })
                for error in refused {
                    #expect(error?.kind == .conflict)
                    // To the millisecond, as stores keep it.
                    let message = error?.message.replacing(#/ at 20[-0-9]+T[:0-9]+\.[0-9]{3}Z,/#, with: " at a moment,")
                    #expect(
                        message
                            == "beta was rolled back from checkout 1.2.0 and help 1.2.0, which were one set, by \(name) at "
                            + "a moment, and offers checkout 1.1.0 and help 1.1.0 now. Another rollback of \(text) would go "
                            + "back further. If that is meant: packtool rollback \(text) --channel beta --again, or --to VERSION"
                    )
                }
            }
            #expect(try await registry.auditLog(limit: 100) == before)
            let meant = try await registry.change(.accepting(.again, once), of: package("help"), on: channel())
            #expect(meant.isChanged && meant.others.keys.map(\.text) == ["checkout"])
            #expect(try await shop.releases() == ["1.0.0@100"])
            #expect(try await shop.releases("help") == ["1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a package with a newer release than that of the set keeps it when the set goes back`(kind: RegistryKind)
        async throws
    {
        let shop = try await pairs(kind)
        try await shop.publisher().publish([shop.page("1.3.0").zip])
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(.offer(version("1.3.0")), of: package(), on: channel())
            shop.clock.advance(seconds: 1)
            let kept =
                "checkout keeps 1.3.0, which is newer than the set: its 1.2.0 of the set is taken back beneath it"
            let dry = try await registry.rollout(
                RolloutRequest(.rollBack, isDryRun: true), of: package("help"), on: channel())
            #expect(dry.effect == "100 % of the devices leave help 1.2.0 on beta and go to 1.1.0; \(kept)")
            let once = ChannelChange.rollBack(to: nil)
            let preview = try await registry.preview(once, of: package("help"), on: channel(), assuming: [])
            #expect(preview.effect.contains("get help 1.1.0 in place of 1.2.0"), "\(preview.effect)")
            #expect(preview.effect.contains(kept), "\(preview.effect)")
            let back = try await registry.change(once, of: package("help"), on: channel())
            #expect(back.isChanged && back.others.keys.map(\.text) == ["checkout"])
            #expect(try await shop.releases("help") == ["1.1.0@100"])
            #expect(try await shop.releases() == ["1.3.0@100"])
            // The set's version is not offered again by the way back of the other.
            shop.clock.advance(seconds: 1)
            _ = try await registry.change(once, of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `after a newer version a rollback is a first one again, and a named version needs no more words`(
        kind: RegistryKind
    ) async throws {
        let shop = try await pairs(kind)
        try await shop.publisher().publish([shop.page("1.3.0", package: "help").zip])
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            shop.clock.advance(seconds: 1)
            _ = try await registry.change(.offer(version("1.3.0")), of: package("help"), on: channel())
            shop.clock.advance(seconds: 1)
            let back = try await registry.change(.rollBack(to: nil), of: package("help"), on: channel())
            #expect(back.isChanged && back.others.isEmpty)
            #expect(try await shop.releases("help") == ["1.1.0@100"])
            #expect(try await shop.releases() == ["1.1.0@100"])
            shop.clock.advance(seconds: 1)
            _ = try await registry.change(.rollBack(to: version("1.0.0")), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a plan with another audience says which devices leave the release`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let plan = try Self.plan(
                "{\"steps\": [{\"share\": 10, \"for\": \"1d\"}, {\"share\": 100}], \"devices\": 2000}")
            func ask(_ audiences: [Audience]?) async throws -> String {
                try await registry.rollout(
                    RolloutRequest(.plan(plan, audiences: audiences), isDryRun: true), of: package(), on: channel()
                ).effect
            }
            let narrowed = try await ask([Audience("platform=ios")])
            for part in [
                "until now it was for 10 % of the devices", "from now on for 10 % of the devices with platform=ios",
                "at most about 200,", "leave it with their next check and go back to 1.0.0", "its set: help",
            ] { #expect(narrowed.contains(part), "\(part): \(narrowed)") }
            #expect(try await !ask(nil).contains("leave"))
            let misspelt = await #expect(throws: RegistryError.self) { try await ask([Audience("group=tseters")]) }
            #expect(misspelt?.message.contains("beta has no group \"tseters\" (it has: none yet)") == true)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `each word for a set names the others before it is done, and holds for all of them`(kind: RegistryKind)
        async throws
    {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let plan = try Self.plan(
                "{\"steps\": [{\"share\": 20, \"for\": \"1d\"}, {\"share\": 60, \"for\": \"1d\"}, {\"share\": 100}]}")
            let words: [(verb: RolloutRequest.Verb, share: Int)] = [
                (.plan(plan), 20), (.advance(), 60), (.halt, 60), (.resume, 60), (.pause, 60), (.retry(), 60),
                (.complete, 100),
            ]
            for word in words {
                let preview = try await registry.rollout(
                    RolloutRequest(word.verb, isDryRun: true), of: package("help"), on: channel())
                #expect(
                    preview.effect.hasSuffix("; the same holds for its set: checkout 1.1.0"), "\(preview.effect)")
                let done = try await registry.rollout(RolloutRequest(word.verb), of: package("help"), on: channel())
                #expect(done.isChanged && done.effect == preview.effect)
                // Earlier devices, which know no sets, get none of it.
                let packages = try #require(await registry.channelFile(channel(), at: nil)).packages
                for (name, version) in [("checkout", "1.1.0"), ("help", "1.0.0")] {
                    let newest = try #require(packages[package(name)]?.releases.first)
                    #expect(newest.version?.description == version, "\(word.verb)")
                    #expect(newest.rollout.text == "\(word.share) %", "\(word.verb)")
                }
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a set has one plan, which every word and the state of each of its packages find`(kind: RegistryKind)
        async throws
    {
        let shop = try await stocked(kind)
        let steps = "[{\"share\": 20, \"for\": \"1d\"}, {\"share\": 60, \"for\": \"1d\"}, {\"share\": 100}]"
        let plan = try Self.plan("{\"devices\": 2000, \"steps\": \(steps)}")
        let other = try Self.plan("{\"steps\": [{\"share\": 70, \"for\": \"1d\"}, {\"share\": 100}]}")
        try await kind.using(shop) { (registry) async throws in
            func say(_ verb: RolloutRequest.Verb, _ name: String) async throws -> RolloutOutcome {
                try await registry.rollout(RolloutRequest(verb), of: package(name), on: channel())
            }
            /// Such as `running 20 %`, which is the same for both.
            func state() async throws -> String {
                var states: [String] = []
                for name in ["checkout", "help"] {
                    let all = try await registry.rollouts(of: package(name))
                    let status = try #require(all.count == 1 ? all.first : nil, "\(name): \(all)")
                    #expect(status.package == (try package(name)))
                    #expect(status.version?.description == (name == "help" ? "1.0.0" : "1.1.0"))
                    #expect(status.setText == "checkout 1.1.0 and help 1.0.0")
                    states.append("\(status.state.rawValue) \(status.share)")
                }
                #expect(states.first == states.last)
                return states.first ?? ""
            }
            #expect(try await registry.rollouts(of: package("help")).isEmpty)
            let attached = try await say(.plan(plan, audiences: nil, consent: []), "checkout")
            #expect(attached.status?.setText == "checkout 1.1.0 and help 1.0.0")
            #expect(try await state() == "running 20 %")
            let again = try await say(.plan(plan, audiences: nil, consent: []), "help")
            #expect(!again.isChanged && again.effect.contains("help 1.0.0 on beta has this plan already"), "\(again)")
            let paused = try await say(.pause, "help")
            #expect(
                paused.effect
                    == "pause help 1.0.0 on beta: 20 % of the devices, as before: about 400 of 2,000; the same holds for its "
                    + "set: checkout 1.1.0")
            #expect(paused.status?.package == (try package("help")))
            #expect(try await state() == "paused 20 %")
            shop.clock.advance(days: 3)
            #expect(try await registry.runRollouts().actions.isEmpty)
            #expect(try await say(.resume, "checkout").isChanged)
            #expect(try await say(.advance(to: 2), "help").isChanged)
            #expect(try await state() == "running 60 %")
            #expect(try await !say(.advance(to: 2), "checkout").isChanged)
            let packages = try #require(try await registry.channelFile(channel(), at: nil)).packages
            for (name, version) in ["checkout": "1.1.0", "help": "1.0.0"] {
                let newest = try #require(packages[package(name)]?.releases.first)
                #expect(newest.version?.description == version && newest.rollout.text == "60 %")
            }
            let plans = try await registry.planProgress(of: package("help"), on: channel(), at: nil)
            #expect(plans.values.map(\.step) == [2])
            // Another plan takes the place of the first, by whichever package it is given.
            #expect(try await say(.plan(other, audiences: nil, consent: []), "help").isChanged)
            #expect(try await state() == "running 70 %")
            #expect(try await registry.rollouts(of: package()).first?.plan == other)
            shop.clock.advance(days: 1.001)
            let run = try await registry.runRollouts()
            #expect(run.actions.map { "\($0.package) \($0.name) \($0.after)" } == ["checkout step 100 %"])
            #expect(try await state() == "completed 100 %")
            #expect(try await registry.runRollouts() == RolloutRun(actions: [], failures: [], next: nil))
            #expect(try await say(.rollBack, "help").isChanged)
            #expect(try await state() == "rolledBack 100 %")
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func
        `a newer release of the package that has the plan pauses it, and another package goes on with a plan of its own`(
            kind: RegistryKind
        ) async throws
    {
        let shop = try await stocked(kind)
        try await shop.publisher().publish([shop.page("1.2.0").zip])
        let plan = try Self.plan("{\"steps\": [{\"share\": 20, \"for\": \"1d\"}, {\"share\": 100}]}")
        try await kind.using(shop) { (registry) async throws in
            func attach(_ name: String) async throws -> RolloutOutcome {
                try await registry.rollout(RolloutRequest(.plan(plan)), of: package(name), on: channel())
            }
            func state() async throws -> RolloutStatus.State? {
                try await registry.rollouts(of: package("help")).first?.state
            }
            _ = try await attach("checkout")
            _ = try await registry.change(.offer(version("1.2.0"), Rollout(percent: 5)), of: package(), on: channel())
            #expect(try await registry.runRollouts().actions.map(\.name) == ["pause"])
            #expect(try await state() == .paused)
            let refused = await #expect(throws: RegistryError.self) {
                try await registry.rollout(RolloutRequest(.resume), of: package("help"), on: channel())
            }
            #expect(refused?.message.contains("a newer release of checkout, 1.2.0") == true)
            shop.clock.advance(seconds: 1)
            #expect(try await attach("help").status?.state == .running)
            #expect(try await state() == .running)
            shop.clock.advance(days: 1.001)
            let run = try await registry.runRollouts()
            #expect(run.actions.map { "\($0.package) \($0.name)" } == ["help step"], "\(run)")
            #expect(try await state() == .completed)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `who may release one package of a set does not stop the plan of another`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        let plan = try Self.plan("{\"steps\": [{\"share\": 20, \"for\": \"1d\"}, {\"share\": 100}]}")
        _ = try await shop.registry.rollout(
            RolloutRequest(.plan(plan, audiences: nil, consent: [])), of: package(), on: channel())
        let scope = TokenScope(actions: [.release], packages: [try package("help")])
        try await kind.using(shop, scope: scope) { (registry) async throws in
            let refused = await #expect(throws: RegistryError.self) {
                try await registry.rollout(RolloutRequest(.halt), of: package("help"), on: channel())
            }
            #expect(
                refused?.message.contains("no right to release for the package checkout") == true,
                "\(refused?.message ?? "")")
            #expect(try await registry.rollouts(of: package("help")).first?.state == .running)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `two plans that a set was given before it had one are one, the newer`(kind: StoreKind) async throws {
        /// As it was recorded then.
        struct SecondPlan: RegistryChange {
            let release: String
            let plan: RolloutPlan

            var query: FactsQuery { FactsQuery() }

            func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
                changes.rolloutNotes.append(ChangeSet.RolloutNote(release: release, kind: .plan(plan)))
            }
        }
        let bench = try await StoreBench(kind)
        for name in StoreBench.packages { try await bench.publish(name, "1.0.0") }
        let (alpha, other, beta) = try (PackageID("alpha"), PackageID("beta"), ChannelName("beta"))
        let one = try SemanticVersion("1.0.0")
        let set = try ReleaseSet(versions: [alpha: one, other: one], rollout: Rollout(percent: 5))
        let offered = try await bench.committer.commit(
            ReleaseSetOffer(set, on: beta, randomBits: 3), as: bench.ann
        ).outcome
        let plans = try [20, 30].map { try Self.plan("{\"steps\": [{\"share\": \($0)}], \"start\": \"manual\"}") }
        for (package, plan) in zip([other, alpha], plans) {
            let release = try #require(offered.releases[package]?.first?.id)
            try await bench.committer.commit(SecondPlan(release: release, plan: plan), as: bench.ann)
        }
        for package in [alpha, other] {
            var query = FactsQuery.unsigned
            query.rollouts = FactsQuery.Rollouts(of: package, on: beta)
            let found = try await bench.store.facts(query).rollouts
            #expect(found.map(\.package) == [package] && found.map(\.holder.package) == [alpha])
            #expect(found.first?.set.map(\.package) == [alpha, other])
            #expect(found.first.flatMap { RolloutState($0.events) }?.plan == plans[1])
        }
        let start = RolloutChange(RolloutRequest(.start), of: other, on: beta, randomBits: 9)
        #expect(try await bench.committer.commit(start, as: bench.ann).outcome.after.percent == 30)
    }

    @Test(arguments: RegistryKind.allCases)
    func `a set for a group that the channel does not have is refused`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let set = try ReleaseSet(
                versions: [package(): version("1.1.0"), package("help"): version("1.0.0")],
                rollout: Rollout(audiences: [Audience("group=tseters")]), consent: .again)
            let refused = await #expect(throws: RegistryError.self) { try await registry.release(set, on: channel()) }
            #expect(refused?.kind == .notFound && refused?.message.contains("no group \"tseters\"") == true)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a past moment is told with its policy`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        let policy = try ClientPolicy(network: .unmetered)
        _ = try await shop.registry.change(.setRollout(nil, policy: policy), of: package(), on: channel())
        shop.clock.advance(seconds: 60)
        let moment = shop.clock.now
        shop.clock.advance(seconds: 60)
        _ = try await shop.registry.change(.setRollout(nil, policy: .standard), of: package(), on: channel())
        try await kind.using(shop) { (registry) async throws in
            let past = try await registry.channelFile(channel(), at: moment)
            #expect(past?.packages[try package()]?.releases.first?.policy == policy)
            #expect(past?.packages[try package("help")]?.releases.first?.policy == policy)
            let now = try await registry.channelFile(channel(), at: nil)
            #expect(now?.packages[try package()]?.releases.first?.policy == .standard)
        }
    }
}
