import Foundation

/// `fleet PLAN.json`: what a fleet of devices asks a content delivery network and its origin for around a release, by a sample of
/// devices that decide with the code of the device.
///
/// Prints lines of a kind and its values, which scripts/bench-fleet.py makes tables of.
@main
struct FleetBenchmark {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { throw Fault("usage: fleet PLAN.json") }
        let plan = try JSONDecoder().decode(
            FleetPlan.self, from: Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
        var day = try ReleaseDay(plan)
        try day.run()
        day.printResults()
    }
}

struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
