import CPostgreSQL
import PackRegistrySQL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection of libpq, used without blocking calls: each wait is a `poll` of its socket with an end.
///
/// libpq looks names up by a blocking call, so a connection is made and used on threads that may wait
/// (``DatabaseThreads``).
struct PostgresHandle: ~Copyable {
    typealias Instant = ContinuousClock.Instant

    /// Prepared statements that a connection keeps.
    private static let maximumStatementCount = 256
    /// Bytes of rows in one message.
    private static let copyByteCount = 1 << 20

    private let connection: OpaquePointer
    /// The names of prepared statements, by their text.
    private var statements: [String: String] = [:]
    private var generation = 0

    init(_ address: PostgresAddress, until end: Instant) throws {
        connection = try Self.connect(address, until: end)
    }

    deinit { PQfinish(connection) }

    var serverVersion: Int { Int(PQserverVersion(connection)) }

    /// Whether another transaction may begin on it.
    var isIdle: Bool { PQstatus(connection) == CONNECTION_OK && PQtransactionStatus(connection) == PQTRANS_IDLE }

    /// Sends one or more statements without parameters.
    @discardableResult
    mutating func command(_ sql: String, until end: Instant) throws -> SQLResult {
        guard PQsendQuery(connection, sql) == 1 else { throw lost() }
        return try result(until: end)
    }

    /// Runs a statement that is prepared at its first use. Parameters are written `?`.
    mutating func run(_ sql: String, _ arguments: [SQLValue], until end: Instant) throws -> SQLResult {
        let name = try prepared(sql, until: end)
        let parameters = try PostgresParameters(arguments)
        let isSent = parameters.withPointers { values, lengths, formats in
            // Results in binary form: no quoting, no time zones, no spelling of numbers.
            PQsendQueryPrepared(connection, name, Int32(arguments.count), values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
        return try result(until: end)
    }

    /// Sends rows after a `COPY … FROM STDIN`.
    mutating func copy(_ sql: String, _ bytes: [UInt8], until end: Instant) throws {
        guard PQsendQuery(connection, sql) == 1 else { throw lost() }
        try flush(until: end)
        guard let result = try nextResult(until: end) else { throw lost() }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COPY_IN else {
            let fault = fault(of: result)
            _ = try? self.result(until: end)
            throw fault
        }
        try bytes.withUnsafeBytes { buffer in
            for start in stride(from: 0, to: buffer.count, by: Self.copyByteCount) {
                let part = UnsafeRawBufferPointer(
                    rebasing: buffer[start..<min(start + Self.copyByteCount, buffer.count)])
                try send { PQputCopyData(connection, part.baseAddress, Int32(part.count)) }
            }
        }
        try send { PQputCopyEnd(connection, nil) }
        _ = try self.result(until: end)

        /// Tries until there is room for it.
        func send(_ put: () -> Int32) throws {
            while true {
                let outcome = put()
                if outcome == 1 { return }
                guard outcome == 0 else { throw lost() }
                try flush(until: end)
            }
        }
    }

    /// Prepares every statement anew at its next use, under another name.
    mutating func forgetStatements() {
        statements = [:]
        generation += 1
    }

    private mutating func prepared(_ sql: String, until end: Instant) throws -> String {
        if let name = statements[sql] { return name }
        if statements.count >= Self.maximumStatementCount {
            try command("DEALLOCATE ALL", until: end)
            forgetStatements()
        }
        let name = "s\(generation)_\(statements.count)"
        guard PQsendPrepare(connection, name, Self.numbered(sql), 0, nil) == 1 else { throw lost() }
        _ = try result(until: end)
        statements[sql] = name
        return name
    }

    /// `?` as `$1`, `$2` …; no statement has one in a text.
    static func numbered(_ sql: String) -> String {
        var text = ""
        var number = 0
        for character in sql {
            guard character == "?" else {
                text.append(character)
                continue
            }
            number += 1
            text += "$\(number)"
        }
        return text
    }

    // MARK: Waiting

    private func flush(until end: Instant) throws {
        while true {
            let left = PQflush(connection)
            if left == 0 { return }
            guard left > 0 else { throw lost() }
            try Self.wait(connection, POLLIN | POLLOUT, until: end)
            guard PQconsumeInput(connection) == 1 else { throw lost() }
        }
    }

    /// - Returns: nil where a statement has no more results. Clear it.
    private func nextResult(until end: Instant) throws -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try Self.wait(connection, POLLIN, until: end)
            guard PQconsumeInput(connection) == 1 else { throw lost() }
        }
        return PQgetResult(connection)
    }

    private mutating func result(until end: Instant) throws -> SQLResult {
        try flush(until: end)
        var outcome = SQLResult(rows: [], changes: 0)
        var fault: (any Error)?
        while let result = try nextResult(until: end) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                do { outcome = try PostgresResult(result).value } catch { fault = error }
            default: fault = self.fault(of: result)
            }
        }
        if let fault { throw fault }
        return outcome
    }

    private func fault(of result: OpaquePointer) -> PostgresFault {
        guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return lost() }
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        return PostgresFault(.statement(String(cString: state)), message ?? "an error without a message")
    }

    private func lost() -> PostgresFault { PostgresFault(.connection, String(cString: PQerrorMessage(connection))) }

    private static func wait(_ connection: OpaquePointer, _ events: Int32, until end: Instant) throws {
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

    // MARK: Connecting

    private static func connect(_ address: PostgresAddress, until end: Instant) throws -> OpaquePointer {
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
}
