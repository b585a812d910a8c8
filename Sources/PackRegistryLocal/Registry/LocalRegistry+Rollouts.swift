import Foundation
import PackRegistry
import PackRegistryAPI

extension LocalRegistry {
    /// Seconds after which a plan that somebody else changed is looked at again.
    private static let longestPause: TimeInterval = 10
    private static let shortestPause: TimeInterval = 0.2

    /// Takes the steps of plans and makes approved changes as they come due, until the task is cancelled.
    /// - Parameter report: told once of each rollout that cannot go on.
    func runRollouts(report: @escaping @Sendable (any Error) -> Void) async {
        var reported: Set<String> = []
        while !Task.isCancelled {
            var pause = Self.longestPause
            do {
                let run = try await registry(as: .system("rollout")).runRollouts()
                for failure in run.failures where !reported.contains(failure) {
                    report(RegistryError(.unusable, "a rollout cannot go on: \(failure)"))
                }
                reported = Set(run.failures)
                if let next = run.next { pause = min(max(next.timeIntervalSince(clock()), Self.shortestPause), pause) }
            } catch {
                if !Task.isCancelled { report(error) }
            }
            try? await Task.sleep(for: .seconds(pause))
        }
    }
}
