import ArgumentParser
import PackFormat
import PackHost
import PackUpdater
import Testing

@testable import packtool_kiosk

/// What the command line makes of a kiosk.
struct KioskSettingsTests {
    private func settings(_ more: String...) throws -> KioskSettings {
        try KioskSettings(KioskCommand.parse(["--store", "store", "--package", "shop"] + more))
    }

    @Test func `a kiosk looks as often as the channel says, unless the command line does`() throws {
        let poll = try ChannelPoll(seconds: 900, jitter: 60)
        func wait(_ schedule: UpdateSchedule?, _ poll: ChannelPoll?, random: Double = 0) throws -> Duration {
            try #require(schedule).wait(after: .done, failures: 0, poll: poll, random: random)
        }
        let standard = try settings().schedule
        #expect(try wait(standard, nil) == .seconds(300))
        #expect(try wait(standard, poll) == .seconds(900))
        #expect(try wait(standard, poll, random: 1) == .seconds(960))
        let own = try settings("--update-interval", "60").schedule
        #expect(try wait(own, poll, random: 1) == .seconds(60))
        #expect(try settings("--update-interval", "0").schedule == nil)
    }

    @Test func `what the command line says of the kiosk is what releases are asked for`() throws {
        let updater = try settings(
            "--app-version", "2024.3.1 (17)", "--tag", "place=hall", "--tag", "note=a=b", "--os-version", "12",
            "--locale", "de-AT", "--region", "CH", "--model", "NUC", "--network", "metered"
        ).host.updater
        #expect(updater.platform == "linux")
        #expect(updater.appVersion == (try AppVersion("2024.3.1 (17)")))
        #expect(updater.tags == ["place": "hall", "note": "a=b"])
        #expect(updater.osVersion == (try AppVersion("12")))
        #expect(updater.locale == "de-AT" && updater.region == "CH" && updater.model == "NUC")
        #expect(updater.network() == .metered)
        #expect(try settings().host.updater.appVersion == nil)
    }
}
