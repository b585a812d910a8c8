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

        /// How a program ended.
        package enum End: Hashable, Sendable, CustomStringConvertible {
            case exited(status: Int32)
            case killed(signal: Int32)

            package var description: String {
                switch self {
                case .exited(let status): "with status \(status)"
                case .killed(let signal): "by signal \(signal)"
                }
            }
        }

        /// The number of `errno`.
        package struct Failure: Error {
            package let code: Int32
            package var reason: String { String(cString: strerror(code)) }
        }

        /// - Parameters:
        ///   - program: a path, or a name without a slash, which is looked up in `PATH`.
        ///   - arguments: what the program is called, and its arguments.
        ///   - hasOwnGroup: whether a terminal's Ctrl-C is not for it.
        package static func start(
            _ program: String, _ arguments: [String], input: Int32, output: Int32, hasOwnGroup: Bool
        ) throws(Failure) -> ChildProcess {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
                var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
                var flags = POSIX_SPAWN_SETSIGDEF
            #endif
            posix_spawn_file_actions_init(&actions)
            posix_spawnattr_init(&attributes)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                posix_spawnattr_destroy(&attributes)
            }
            if hasOwnGroup {
                flags |= POSIX_SPAWN_SETPGROUP
                posix_spawnattr_setpgroup(&attributes, 0)
            }
            // What this process ignores, because a server ends in order, would be ignored by the program too.
            var signals = sigset_t()
            sigemptyset(&signals)
            for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE] { sigaddset(&signals, signal) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setflags(&attributes, Int16(flags))
            posix_spawn_file_actions_adddup2(&actions, input, 0)
            posix_spawn_file_actions_adddup2(&actions, output, 1)
            #if canImport(Darwin)
                posix_spawn_file_actions_addinherit_np(&actions, 2)
            #else
                posix_spawn_file_actions_addclosefrom_np(&actions, 3)
            #endif
            var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
            words.append(nil)
            defer { for word in words { free(word) } }
            var id = pid_t()
            let code = posix_spawnp(&id, program, &actions, &attributes, words, environ)
            guard code == 0 else { throw Failure(code: code) }
            return ChildProcess(id: id)
        }

        /// Waits until it has ended, and not until what it started has. Its number may be another program's from then on: this is called
        /// once, and ``kill()`` not after it.
        package func wait() -> End {
            var status: Int32 = 0
            _ = SystemCall.retrying { waitpid(id, &status, 0) }
            let signal = status & 0x7F
            return signal == 0 ? .exited(status: (status >> 8) & 0xFF) : .killed(signal: signal)
        }

        /// Ends it at once.
        package func kill() {
            #if canImport(Darwin)
                _ = Darwin.kill(id, SIGKILL)
            #else
                _ = Glibc.kill(id, SIGKILL)
            #endif
        }

        /// The two ends of a pipe, which no other program inherits.
        package static func pipe() throws(Failure) -> (reading: OpenDescriptor, writing: OpenDescriptor) {
            var ends: [Int32] = [-1, -1]
            #if canImport(Darwin)
                let result = Darwin.pipe(&ends)
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            #else
                let result = pipe2(&ends, O_CLOEXEC)
            #endif
            guard result == 0 else { throw Failure(code: errno) }
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
