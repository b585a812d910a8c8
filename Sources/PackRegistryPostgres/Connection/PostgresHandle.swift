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

    /// Bytes of rows in one message.
    private static let copyByteCount = 1 << 20

    private let connection: OpaquePointer
    private var statements = PreparedStatements(maximumCount: 256)
    /// What begins a transaction, sent with its first statement.
    private var beginning: [String] = []
    /// Whether the answer to what was sent last is not read yet.
    private var owesAnswer = false

    init(_ address: PostgresAddress, until end: Instant) throws {
        connection = try Self.connect(address, until: end)
    }

    deinit { PQfinish(connection) }

    var serverVersion: Int { Int(PQserverVersion(connection)) }

    /// Whether another transaction may begin on it.
    var isIdle: Bool {
        PQstatus(connection) == CONNECTION_OK && (owesAnswer || PQtransactionStatus(connection) == PQTRANS_IDLE)
    }

    /// Sends one or more statements without parameters.
    @discardableResult
    mutating func command(_ sql: String, until end: Instant) throws -> SQLResult {
        try settle(until: end)
        return try send(sql, until: end)
    }

    /// Begins a transaction by these statements. They are sent with the first one that has an answer, so that nobody waits for theirs.
    mutating func begin(_ statements: [String]) { beginning = statements }

    /// Ends a transaction that has only read, and does not wait for the answer.
    mutating func endReading(until end: Instant) throws {
        guard beginning.isEmpty else {
            beginning = []
            return
        }
        guard PQsendQuery(connection, "COMMIT") == 1 else { throw lost() }
        try flush(until: end)
        owesAnswer = true
    }

    /// Ends a transaction, if it was begun and the connection lives.
    mutating func rollBack(until end: Instant) throws {
        guard beginning.isEmpty else {
            beginning = []
            return
        }
        try command("ROLLBACK", until: end)
    }

    /// Runs a statement. Parameters are written `?`.
    mutating func run(_ sql: String, _ arguments: [SQLValue], until end: Instant) throws -> SQLResult {
        let parameters = try PostgresParameters(arguments)
        try readOwed(until: end)
        let (known, isPrepared) = statements.use(sql)
        guard isPrepared || !beginning.isEmpty else {
            try enqueue(sql, known, parameters)
            return try result(until: end)
        }
        let name = isPrepared ? statements.newName() : known
        let oldest = isPrepared ? statements.removeOldest() : nil
        let answer = try pipelined(until: end) { handle in
            for statement in handle.beginning { try handle.enqueue(statement, nil, PostgresParameters([])) }
            handle.beginning = []
            if let oldest { try handle.enqueue("DEALLOCATE \(oldest)", nil, PostgresParameters([])) }
            if isPrepared, PQsendPrepare(handle.connection, name, Self.numbered(sql), 0, nil) != 1 {
                throw handle.lost()
            }
            try handle.enqueue(sql, name, parameters)
        }
        if isPrepared, let name { statements.insert(name, for: sql) }
        return answer
    }

    /// Sends rows after a `COPY … FROM STDIN`.
    mutating func copy(_ sql: String, _ bytes: [UInt8], until end: Instant) throws {
        try settle(until: end)
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

    /// Prepares every statement anew, under another name.
    mutating func forgetStatements() { statements.removeAll() }

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

    // MARK: Sending

    @discardableResult
    private mutating func send(_ sql: String, until end: Instant) throws -> SQLResult {
        guard PQsendQuery(connection, sql) == 1 else { throw lost() }
        return try result(until: end)
    }

    /// - Parameter name: of the prepared statement; nil where it is not prepared.
    private func enqueue(_ sql: String, _ name: String?, _ parameters: PostgresParameters) throws {
        let isSent = parameters.withPointers { values, lengths, formats in
            // Results in binary form: no quoting, no time zones, no spelling of numbers.
            let count = Int32(parameters.count)
            return if let name {
                PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
            } else {
                PQsendQueryParams(connection, Self.numbered(sql), count, nil, values, lengths, formats, 1)
            }
        }
        guard isSent == 1 else { throw lost() }
    }

    /// Sends what `body` enqueues at once (PostgreSQL's documentation, "Pipeline Mode").
    /// - Returns: the result of the last one.
    private mutating func pipelined(
        until end: Instant, _ body: (inout PostgresHandle) throws -> Void
    ) throws -> SQLResult {
        guard PQenterPipelineMode(connection) == 1 else { throw lost() }
        try body(&self)
        guard PQpipelineSync(connection) == 1 else { throw lost() }
        // Without the end of all answers it stays as it is, and the connection is of no use any more.
        defer { PQexitPipelineMode(connection) }
        return try result(until: end)
    }

    /// Reads the answer that is owed, and begins the transaction that is to begin.
    private mutating func settle(until end: Instant) throws {
        try readOwed(until: end)
        for statement in beginning {
            beginning.removeFirst()
            try send(statement, until: end)
        }
    }

    private mutating func readOwed(until end: Instant) throws {
        guard owesAnswer else { return }
        owesAnswer = false
        _ = try result(until: end)
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

    /// Reads all answers to what was sent.
    /// - Returns: the last one.
    private mutating func result(until end: Instant) throws -> SQLResult {
        try flush(until: end)
        // What begins a transaction may answer with what nobody reads.
        var last: OpaquePointer?
        defer { PQclear(last) }
        var fault: (any Error)?
        let isPipelined = PQpipelineStatus(connection) != PQ_PIPELINE_OFF
        while true {
            guard let result = try nextResult(until: end) else {
                // In a pipeline it is the end of one statement.
                if isPipelined { continue } else { break }
            }
            let status = PQresultStatus(result)
            if [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY].contains(status) {
                PQclear(last)
                last = result
                continue
            }
            defer { PQclear(result) }
            if status == PGRES_PIPELINE_SYNC { break }
            // After a statement that failed, the others of a pipeline say only that.
            if status != PGRES_PIPELINE_ABORTED { fault = self.fault(of: result) }
        }
        if let fault { throw fault }
        return try last.map { try PostgresResult($0).value } ?? SQLResult(rows: [], changes: 0)
    }

    private func fault(of result: OpaquePointer) -> PostgresFault {
        guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return lost() }
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        return PostgresFault(.statement(String(cString: state)), message ?? "an error without a message")
    }

    private func lost() -> PostgresFault { PostgresFault(.connection, String(cString: PQerrorMessage(connection))) }
}
