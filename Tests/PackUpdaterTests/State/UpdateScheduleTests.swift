import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// When an app looks for updates. No clock.
struct UpdateScheduleTests {
    private let schedule = UpdateSchedule(interval: .seconds(3_600), jitter: 0.1, backoff: .seconds(30))

    @Test func `the channel says how often, unless the app's user has chosen`() throws {
        let poll = try ChannelPoll(seconds: 900, jitter: 300)
        #expect(schedule.wait(after: .done, failures: 0, poll: nil, random: 0) == .seconds(3_600))
        #expect(schedule.wait(after: .done, failures: 0, poll: nil, random: 1) == .seconds(3_960))
        #expect(schedule.wait(after: .done, failures: 0, poll: poll, random: 0) == .seconds(900))
        #expect(schedule.wait(after: .done, failures: 0, poll: poll, random: 1) == .seconds(1_200))
        let own = UpdateSchedule(interval: .seconds(60), jitter: 0, obeysChannel: false)
        #expect(own.wait(after: .done, failures: 0, poll: poll, random: 1) == .seconds(60))
    }

    @Test func `a failed check is repeated sooner, later each time, and never later than a regular one`() {
        var last = Duration.zero
        for failures in 1...20 {
            let wait = schedule.wait(after: .failed, failures: failures, poll: nil, random: 1)
            #expect(wait >= last && wait <= .seconds(3_960))
            last = wait
        }
        #expect(schedule.wait(after: .failed, failures: 1, poll: nil, random: 1) == .seconds(30))
        #expect(schedule.wait(after: .failed, failures: 1, poll: nil, random: 0) == .seconds(15))
        #expect(schedule.wait(after: .failed, failures: .max, poll: nil, random: 0.5) == .seconds(3_780))
    }

    @Test func `an overloaded server is asked when it wants to be, and not by all at once`() {
        for random in [0, 0.3, 1.0] {
            let short = schedule.wait(
                after: .overloaded(retryAfter: .seconds(600)), failures: 1, poll: nil, random: random)
            #expect(short >= .seconds(600) && short <= .seconds(900))
            let long = schedule.wait(
                after: .overloaded(retryAfter: .seconds(86_400)), failures: 1, poll: nil, random: random)
            #expect(long >= .seconds(86_400))
            // One that says nothing gets more time than a network that is away.
            #expect(
                schedule.wait(after: .overloaded(retryAfter: nil), failures: 3, poll: nil, random: random)
                    > schedule.wait(after: .failed, failures: 3, poll: nil, random: random))
        }
    }

    // MARK: A version that does not fit the app

    private func installed(_ text: String) throws -> PackageState.Installed {
        try PackageState.Installed(
            id: VersionID(version: SemanticVersion(text), manifest: Digest(of: Array(text.utf8))),
            release: .init(id: "r", retry: 0))
    }

    @Test func `a version that does not fit a new app is left for one that does, without a failure`() throws {
        let (one, two, embedded) = try (installed("1.0.0"), installed("2.0.0"), installed("0.5.0"))
        let package = try PackageID("shop")
        var state = StoreState(deviceID: "d")
        state[package].active = .init(installed: two, isConfirmed: true)
        state[package].previous = one
        state[package].embedded = embedded
        func leave(_ state: inout StoreState, for fitting: PackageState.Installed?) -> PackageState.WentBack? {
            state.leaveUnfitting(package, reason: "no") { installed, _ in installed == fitting }.first?.wentBack
        }
        let fitting = leave(&state, for: embedded)
        #expect(fitting?.from == two && fitting?.to == embedded)
        let left = state[package]
        #expect(left.active?.installed == embedded && left.failures.isEmpty && left.lastWorking != nil)

        var none = StoreState(deviceID: "d")
        none[package].active = .init(installed: two, isConfirmed: true)
        none[package].previous = one
        let before = none
        #expect(leave(&none, for: nil) == nil && none == before)
        #expect(leave(&none, for: two) == nil && none == before)
        #expect(leave(&none, for: one)?.to == one)
        #expect(none[package].active?.isConfirmed == true)
    }
}
