#if os(Linux) || os(macOS)
    #if canImport(Glibc)
        import CSync
        import Glibc
    #else
        import Darwin
    #endif

    /// A program that this process started, with two descriptors for its standard input and output. Its standard error is this
    /// process's, and it has no other descriptor: a port stays taken as long as anybody has its socket.
    ///
    /// Foundation's `Process` puts what it starts into a group of its own, which a terminal's Ctrl-C does not reach, and which is stopped
    /// when it reads from the terminal. It also notices an end on Linux only when all that the program started has ended.
    package struct ChildProcess: Hashable, Sendable {
        private let id: pid_t

        /// Who ends a program.
        package enum Group: Sendable {
            /// This process. Ctrl-C on the terminal is not for it, and it ignores what this process ignores.
            case own
            /// Also a person: it may ask on the terminal, and Ctrl-C is for it too.
            case terminal
        }

        /// How a program ended.
        package enum End: Hashable, Sendable, CustomStringConvertible {
            case exited(status: Int32)
            case killed(signal: Int32)
            /// The system told nobody, because this process was started so that it does not (`SIGCHLD` ignored).
            case unknown

            package var description: String {
                switch self {
                case .exited(let status): "with status \(status)"
                case .killed(let signal): "by signal \(signal)"
                case .unknown: "in a way that the system does not tell"
                }
            }
        }

        /// Why no program was started, by the call's `errno`.
        package struct Failure: Error {
            private let code: Int32
            package var reason: String { SystemCall.text(code) }
            /// Whether it may work later, without any change.
            package var isTransient: Bool { [EMFILE, ENFILE, EAGAIN, ENOMEM].contains(code) }

            init(code: Int32) {
                self.code = code
            }
        }

        /// - Parameters:
        ///   - program: a path, or a name without a slash, which is looked up in `PATH`.
        ///   - arguments: what the program is called, and its arguments.
        package static func start(
            _ program: String, _ arguments: [String], input: OpenDescriptor, output: OpenDescriptor, group: Group
        ) throws(Failure) -> ChildProcess {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
                var flags = POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
                var flags: Int32 = 0
            #endif
            posix_spawn_file_actions_init(&actions)
            posix_spawnattr_init(&attributes)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                posix_spawnattr_destroy(&attributes)
            }
            switch group {
            case .own:
                flags |= POSIX_SPAWN_SETPGROUP
                posix_spawnattr_setpgroup(&attributes, 0)
            case .terminal:
                // The threads of tasks block most signals, and what a thread blocks, a program that it starts blocks too.
                flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
                var signals = sigset_t()
                sigemptyset(&signals)
                posix_spawnattr_setsigmask(&attributes, &signals)
                // Only what this process may have chosen for itself: after `nohup` or `&`, the program ignores what the shell said.
                for signal in [SIGPIPE, SIGCHLD] { sigaddset(&signals, signal) }
                posix_spawnattr_setsigdefault(&attributes, &signals)
            }
            posix_spawnattr_setflags(&attributes, Int16(flags))
            posix_spawn_file_actions_adddup2(&actions, input.number, 0)
            posix_spawn_file_actions_adddup2(&actions, output.number, 1)
            #if canImport(Darwin)
                posix_spawn_file_actions_addinherit_np(&actions, 2)
            #else
                posix_spawn_file_actions_addclosefrom_np(&actions, 3)
            #endif
            var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
            words.append(nil)
            defer { for word in words { free(word) } }
            var id = pid_t()
            let code = withExtendedLifetime((input, output)) {
                posix_spawnp(&id, program, &actions, &attributes, words, environ)
            }
            guard code == 0 else { throw Failure(code: code) }
            return ChildProcess(id: id)
        }

        /// Waits until it has ended, and not until what it started has. Its number may be another program's from then on: no other
        /// function is called after it.
        package func wait() -> End {
            var status: Int32 = 0
            guard SystemCall.retrying({ waitpid(id, &status, 0) }) == id else { return .unknown }
            return Self.end(status)
        }

        /// ``wait()`` for some seconds.
        /// - Returns: nil if it goes on.
        package func wait(seconds: Double) -> End? {
            let end = ContinuousClock.now + .seconds(seconds)
            while true {
                var status: Int32 = 0
                let found = SystemCall.retrying { waitpid(id, &status, WNOHANG) }
                if found == id { return Self.end(status) }
                guard found == 0 else { return .unknown }
                guard ContinuousClock.now < end else { return nil }
                usleep(5_000)
            }
        }

        private static func end(_ status: Int32) -> End {
            let signal = status & 0x7F
            return signal == 0 ? .exited(status: (status >> 8) & 0xFF) : .killed(signal: signal)
        }

        /// Ends it at once.
        package func kill() { send(SIGKILL) }

        /// Asks it to end.
        package func terminate() { send(SIGTERM) }

        private func send(_ signal: Int32) {
            #if canImport(Darwin)
                _ = Darwin.kill(id, signal)
            #else
                _ = Glibc.kill(id, signal)
            #endif
        }

        /// The two ends of a pipe, which no other program inherits.
        package static func pipe() throws(Failure) -> (reading: OpenDescriptor, writing: OpenDescriptor) {
            var ends: [Int32] = [-1, -1]
            #if canImport(Darwin)
                guard Darwin.pipe(&ends) == 0 else { throw Failure(code: errno) }
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            #else
                guard pipe2(&ends, O_CLOEXEC) == 0 else { throw Failure(code: errno) }
            #endif
            return (OpenDescriptor(ends[0]), OpenDescriptor(ends[1]))
        }
    }

    /// A descriptor that is closed with its last owner.
    package final class OpenDescriptor: Sendable {
        package let number: Int32

        package init(_ number: Int32) {
            self.number = number
        }

        deinit {
            close(number)
        }
    }
#endif
