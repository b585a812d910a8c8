import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import PackSystem

/// `packtool simulate`: what a rollout will do to a population of devices, before it does.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Simulate a rollout on a described population of devices.",
        discussion: HelpText.flowing(
            """
            Simulates the newest release of a package on a channel, or PACKAGE@VERSION if it is not offered
            yet. Several packages, and a package whose release belongs to a set, are simulated as one set. Each
            simulated device checks at its own times and decides like a real one.

            --plan FILE takes the shares of a rollout plan from now on, with its start, hours and cap, as the
            runner would if devices are well. --step 5@0h --step 25@24h --step 100@3d is the share from each time
            on. Without either all devices are in the share at once.

            The population is JSON (docs/schema/population.schema.json): the number of devices, and the weights
            of platforms, app versions, installed versions and check intervals. --population reports takes what
            devices reported in the last days (packtool stats); a file of that name is ./reports. The registry is not changed.
            """))

    @Argument(help: ArgumentHelp("The packages.", valueName: "PACKAGE[@VERSION]"))
    var packages: [PackageArgument]

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(
        help: ArgumentHelp("The population (JSON), or reports: the devices that report.", valueName: "FILE|reports"))
    var population: String

    @Option(help: ArgumentHelp("The plan of the rollout (JSON).", valueName: "FILE"))
    var plan: String?

    @Option(
        help: ArgumentHelp("A share from a time on, such as 25@24h; may be given several times.", valueName: "P@TIME"),
        transform: { try SimulationStep($0) })
    var step: [SimulationStep] = []

    @Option(
        help: ArgumentHelp(
            "Which devices, for a release that is not offered yet; given twice, one of the two.",
            valueName: "CONDITIONS"),
        transform: { try Audience($0) })
    var audience: [Audience] = []

    @Option(help: ArgumentHelp("Write the curve as an image (SVG).", valueName: "FILE"))
    var svg: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard plan == nil || step.isEmpty else { throw ValidationError("give either --plan or --step") }
        for (first, second) in zip(step, step.dropFirst()) {
            guard first.moment.time < second.moment.time else {
                throw ValidationError("the steps must be in the order of their times")
            }
            guard first.moment.share < second.moment.share else {
                throw ValidationError(
                    "a share only grows: \(second.moment.share) is not more than \(first.moment.share)")
            }
        }
    }

    func run() async throws {
        let given = try fromFile()
        let session = try await RegistrySession(registry, console: options.console)
        let described = if let given { given } else { try await reported(session) }
        let scene = try await SimulationScene(
            packages, on: channel, audiences: audience, population: described, session: session)
        let moments = try moments(scene, described)
        let simulation = try RolloutSimulation(
            scene.file, targets: scene.targets, moments: moments, population: described, downloads: scene.downloads)
        let clock = ContinuousClock()
        let begun = clock.now
        let result = try await simulate(simulation, described.deviceCount)
        let report = SimulationReport(simulation, result, names: scene.names, elapsed: clock.now - begun)
        if let svg {
            do { try Data(report.svg.utf8).write(to: URL(filePath: svg)) } catch {
                throw CommandFailure("\(svg) cannot be written: \(error.localizedDescription)")
            }
        }
        options.console.result(report.text, json: .object(report.json))
        for gap in scene.gaps(in: described) { options.console.note("note: \(gap)") }
        if let svg { options.console.note("the curve was written to \(svg)") }
        for window in Set(scene.targets.values.compactMap(\.policy.window)) {
            options.console.note(
                "the release waits for \(window) by each device's clock, which a population does not describe: devices "
                    + "get it up to a week later than shown here")
        }
    }

    /// nil: the devices that report.
    private func fromFile() throws -> Population? {
        guard population != "reports" else { return nil }
        guard let bytes = FileManager.default.contents(atPath: population) else {
            throw CommandFailure(
                "there is no population \(population) that can be read: give a JSON file, or --population reports for the devices "
                    + "that report")
        }
        return try Population(parsing: Array(bytes))
    }

    private func reported(_ session: RegistrySession) async throws -> Population {
        let reported = try await session.registry.stats(StatsQuery(channel: channel)).population
        guard reported.devices > 0 else {
            throw CommandFailure(
                "no device of \(channel) reported what it is and has in the last \(PresenceCount.days) days: an app lets it with "
                    + "ReportSettings(includesFacts: true) (docs/REPORTS.md), or describe the devices in a file",
                kind: "notFound")
        }
        return try Population(parsing: Array(JSONValue.object(reported.json).compactText.utf8))
    }

    private func moments(
        _ scene: SimulationScene, _ described: Population
    ) throws -> [RolloutSimulation.Moment] {
        guard let plan else { return step.isEmpty ? [.init(time: 0, share: .whole)] : step.map(\.moment) }
        // What the plan says of the number of devices is what its runner goes by; else they are those described.
        let known = try (try? PlanFile.read(plan, devices: nil)) ?? PlanFile.read(plan, devices: described.deviceCount)
        let now = Date()
        options.console.note("Times count from now, \(WireTime.text(now)).")
        return try RolloutSimulation.moments(of: known, from: scene.share, now: now)
    }

    /// On all cores, some thousand devices at a time: nothing is kept of a device.
    private func simulate(_ simulation: RolloutSimulation, _ count: Int) async throws -> SimulationResult {
        let line = ProgressLine(options.console)
        let part = 5_000
        let starts = stride(from: 0, to: count, by: part)
        var total = SimulationResult(
            columnCount: RolloutSimulation.columnCount, momentCount: simulation.moments.count)
        try await ConcurrentTasks.run(starts, atMost: ProcessInfo.processInfo.activeProcessorCount) { start in
            simulation.run(start..<min(count, start + part))
        } taking: { _, result in
            total.add(result)
            line.show("simulated \(CountText.number(total.deviceCount)) of \(CountText.text(count, "device"))")
        }
        line.clear()
        return total
    }
}

/// `25@24h`.
struct SimulationStep {
    let moment: RolloutSimulation.Moment

    init(_ text: String) throws {
        let parts = text.split(separator: "@", maxSplits: 1)
        guard parts.count == 2 else { throw ValidationError("a step is a share and a time, such as 25@24h") }
        let time =
            parts[1].allSatisfy({ "0hdms".contains($0) }) && parts[1].hasPrefix("0")
            ? 0 : try Population.seconds(String(parts[1]))
        moment = RolloutSimulation.Moment(time: time, share: try Share(String(parts[0])))
    }
}
