import Foundation
import PackFormat

/// `rollout DEVICES SEED`: what a million devices with random facts take while the share of a release grows, by the code of the
/// device and by that of the server, and how long they and a channel file of 2,000 packages need.
///
/// Prints lines of a kind and its values, which scripts/bench-rollout.sh makes a table of. Times are those of one core.
@main
struct RolloutBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard arguments.count == 2, arguments[0] >= 10, let seed = UInt64(exactly: arguments[1]) else {
            throw Fault("usage: rollout DEVICES SEED, with at least 10 devices")
        }
        var rollout = try MeasuredRollout(seed: seed)
        let first = arguments[0] / 10
        try await rollout.run(first)
        print("memory", first, PeakMemory.kilobytes, separator: "\t")
        try await rollout.run(arguments[0] - first)
        print("memory", arguments[0], PeakMemory.kilobytes, separator: "\t")
        rollout.printResults()
        try await MeasuredChannel().run()
    }
}

struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
