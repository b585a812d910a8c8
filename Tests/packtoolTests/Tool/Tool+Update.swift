import Foundation
import Testing

extension Tool {
    /// Updates a device from a server until it has a version whose `app.js` is a comment with its number: another server shows a change
    /// within seconds.
    func update(_ device: String, from url: String, channel: String, to version: String) async throws {
        var last: Outcome?
        for _ in 1...40 {
            let outcome = try await run("client", "update", "--store", device, "--channel", channel, "--registry", url)
            #expect([0, 2].contains(outcome.exitCode), "\(outcome)")
            if try listing(device).values.contains(Data("// \(version)".utf8)) { return }
            last = outcome
            try await Task.sleep(for: .milliseconds(250))
        }
        Issue.record("\(device) has not got \(version): \(String(describing: last))")
    }
}
