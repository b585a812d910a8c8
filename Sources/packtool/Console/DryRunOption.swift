import ArgumentParser

/// `--dry-run`, for commands that change a registry.
struct DryRunOption: ParsableArguments {
    @Flag(name: .customLong("dry-run"), help: "Say what would be done, and do nothing.")
    var isDryRun = false
}
