import CPostgreSQL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension PostgresHandle {
    static func connect(_ address: PostgresAddress, until end: Instant) throws -> OpaquePointer {
        var settings: [(String, String)] = [("fallback_application_name", "packtool")]
        // Of several hosts the one that takes writes. What stands behind `dbname` goes before it, what stands before is a default.
        if getenv("PGTARGETSESSIONATTRS") == nil { settings.append(("target_session_attrs", "read-write")) }
        settings.append(("dbname", address.text))
        settings.append(("client_encoding", "UTF8"))
        let names = settings.map { strdup($0.0) } + [nil]
        let values = settings.map { strdup($0.1) } + [nil]
        defer { for text in names + values { free(text) } }
        let started = PQconnectStartParams(
            names.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
        guard let connection = started else { throw PostgresFault(.connection, "out of memory") }
        do {
            // Notices would go to stderr.
            PQsetNoticeProcessor(connection, { _, _ in }, nil)
            guard PQstatus(connection) != CONNECTION_BAD else { throw refusal(connection) }
            var state = PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                guard state != PGRES_POLLING_FAILED else { throw refusal(connection) }
                try wait(connection, state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: end)
                state = PQconnectPoll(connection)
            }
            guard PQsetnonblocking(connection, 1) == 0 else { throw refusal(connection) }
        } catch {
            PQfinish(connection)
            throw error
        }
        return connection
    }

    private static func refusal(_ connection: OpaquePointer) -> PostgresFault {
        let isOfPassword = PQconnectionNeedsPassword(connection) == 1 || PQconnectionUsedPassword(connection) == 1
        return PostgresFault(isOfPassword ? .refused : .connection, String(cString: PQerrorMessage(connection)))
    }

    /// Waits for the connection's socket.
    static func wait(_ connection: OpaquePointer, _ events: Int32, until end: Instant) throws {
        let socket = PQsocket(connection)
        guard socket >= 0 else {
            throw PostgresFault(.connection, String(cString: PQerrorMessage(connection)))
        }
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            let left = end - .now
            guard left > .zero else { throw PostgresFault(.timeout, "no answer in time") }
            let milliseconds = Int32(clamping: Int(left / .milliseconds(1)) + 1)
            let count = poll(&descriptor, 1, milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR {
                throw PostgresFault(.connection, String(cString: strerror(errno)))
            }
        }
    }
}
