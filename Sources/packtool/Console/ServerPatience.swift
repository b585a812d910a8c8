import Foundation
import PackPublisher

/// How long commands wait for a server that is not there: one that starts anew is, in some seconds.
enum ServerPatience {
    private static let variable = "PACKTOOL_WAIT"

    /// - Throws: ``CommandFailure`` where the environment names a time that is none.
    static func policy(_ console: Console) throws -> RetryPolicy {
        var policy = RetryPolicy()
        policy.notice = { console.note($0) }
        guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else { return policy }
        guard let seconds = Int(text), (0...3600).contains(seconds) else {
            throw CommandFailure(
                "\(variable) is \"\(text)\": give the seconds that commands wait for a server, 0 to 3600",
                kind: "invalid")
        }
        policy.patience = .seconds(seconds)
        return policy
    }
}
