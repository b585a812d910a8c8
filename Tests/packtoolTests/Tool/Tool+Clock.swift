import Foundation

extension Tool {
    /// Starts packtool with another clock than this machine's.
    /// - Parameter clock: how many seconds it is ahead.
    func start(_ arguments: [String], clock: Int) throws -> RunningTool {
        // A script makes the library that moves it. To wait here for a compiler could take as long as what another thread starts meanwhile.
        try start(
            Self.project.appending(path: "Tests/Tools/moved_clock.sh"),
            ["\(clock)", Self.executable.path] + arguments,
            environment: ["TMPDIR": FileManager.default.temporaryDirectory.path])
    }
}
