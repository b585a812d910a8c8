import Foundation

/// The whole terminal, for a view that is drawn again and again. What was on it before comes back at the end.
final class TerminalScreen {
    private var before: termios?

    /// - Throws: where stdin or stdout is no terminal.
    init() throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandFailure("--watch needs a terminal: without one, run packtool status from time to time")
        }
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            before = settings
            // Single keys, and no echo. Ctrl-C still interrupts.
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        // Another screen, without a cursor.
        write("\u{1B}[?1049h\u{1B}[?25l")
    }

    deinit { end() }

    func end() {
        guard var settings = before else { return }
        before = nil
        write("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Columns and rows as of now.
    var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Draws lines from the top, and clears what is below. Nothing flickers: each line is overwritten.
    func draw(_ lines: [String]) {
        write("\u{1B}[H" + lines.map { "\($0)\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// The keys that are pressed, until stdin ends.
    static func keys() -> AsyncStream<UInt8> {
        let (stream, continuation) = AsyncStream<UInt8>.makeStream()
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) == 1 { continuation.yield(byte) }
            continuation.finish()
        }
        return stream
    }

    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
