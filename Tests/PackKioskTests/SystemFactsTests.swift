import PackFormat
import Testing

@testable import packtool_kiosk

/// What the machine tells by itself.
struct SystemFactsTests {
    private func facts(_ environment: [String: String], _ files: [String: String] = [:]) -> SystemFacts {
        SystemFacts(environment: environment) { files[$0] }
    }

    @Test func `the system's files and the environment are read as the system means them`() throws {
        let pi = facts(
            ["LANG": "en_GB.UTF-8", "LC_ALL": "de_AT.UTF-8@euro"],
            [
                "/etc/os-release": "NAME=Debian\nVERSION_ID=\"12\"\n",
                "/proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
            ])
        #expect(pi.osVersion == (try AppVersion("12")) && pi.locale == "de-AT" && pi.region == "AT")
        #expect(pi.model == "Raspberry Pi 4 Model B Rev 1.4")
        let box = facts(
            ["LANG": "fr"],
            ["/usr/lib/os-release": "VERSION_ID=24.04", "/sys/devices/virtual/dmi/id/product_name": "NUC11PAHi5\n"])
        #expect(box.osVersion == (try AppVersion("24.04")) && box.locale == "fr" && box.region == nil)
        #expect(box.model == "NUC11PAHi5")
    }

    @Test(arguments: ["", "C", "C.UTF-8", "POSIX", "x", "de-AT-oo_11"])
    func `what says nothing is unknown`(language: String) {
        let none = facts(
            ["LANG": language], ["/etc/os-release": "NAME=Debian\nVERSION_ID=rolling", "/proc/device-tree/model": "\0"])
        #expect(none.locale == nil && none.region == nil && none.osVersion == nil && none.model == nil)
    }
}
