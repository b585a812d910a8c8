import HTTPTypes
import Hummingbird
import NIOCore
import PackJSON
import PackRegistryAPI
import Synchronization

/// The memory that the bodies of all requests hold together.
///
/// A body takes its part as it arrives, so that a client that announces much and sends little holds little. If no
/// memory is left, a request waits for a moment and then gets 503. Large documents are parsed one at a time, because
/// parsing takes several times their size.
final class BodyMemory: Sendable {
    /// What one request holds; given back with the request's context.
    final class Share: Sendable {
        private let held = Mutex<(memory: BodyMemory, byteCount: Int)?>(nil)

        deinit {
            held.withLock { held in
                if let held { held.memory.give(held.byteCount) }
            }
        }

        fileprivate func add(_ byteCount: Int, of memory: BodyMemory) {
            held.withLock { held in held = (memory, (held?.byteCount ?? 0) + byteCount) }
        }
    }

    private struct State {
        var left: Int
        var isDeskTaken = false
        /// Large bodies were here since memory was given back.
        var wasLarge = false
    }

    /// Bytes that are taken at once.
    private static let stepByteCount = 64 << 10
    /// Bytes of a body from which on it is taken apart alone.
    private static let largeByteCount = 1 << 20
    private static let pause: Duration = .milliseconds(20)

    private let limits: ServerLimits
    private let state: Mutex<State>

    init(limits: ServerLimits) {
        self.limits = limits
        state = Mutex(State(left: limits.maximumBodyMemoryByteCount))
    }

    /// The whole body, which may not be longer than a limit; a longer one is refused before it is read where its length is
    /// announced. Its part of the memory is held as long as the context.
    func bytes(of request: Request, _ context: RegistryRequestContext, upTo limit: Int) async throws -> [UInt8] {
        try request.refuseBody(over: limit)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(limit, request.headers[.contentLength].flatMap { Int($0) } ?? 0))
        var taken = 0
        for try await chunk in request.receivedBody {
            guard bytes.count + chunk.readableBytes <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
            while taken < bytes.count + chunk.readableBytes {
                try await wait { state in
                    guard state.left >= Self.stepByteCount else { return false }
                    state.left -= Self.stepByteCount
                    return true
                }
                context.bodyShare.add(Self.stepByteCount, of: self)
                taken += Self.stepByteCount
            }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    /// The body as one strict JSON object of few values, given to `body`.
    func withDocument<Result>(
        of request: Request, _ context: RegistryRequestContext, _ body: (JSONObject) async throws -> Result
    ) async throws -> Result {
        try request.requireJSON()
        let bytes = try await bytes(of: request, context, upTo: limits.maximumDocumentByteCount)
        var options = JSONValue.ParseOptions()
        options.maximumValueCount = limits.maximumDocumentValueCount
        return try await atDesk(bytes.count) {
            try await body(JSONValue(parsing: bytes, options: options).object("the body"))
        }
    }

    /// Takes a body apart: a large one alone.
    func atDesk<Result>(_ byteCount: Int, _ body: () async throws -> Result) async throws -> Result {
        guard byteCount >= Self.largeByteCount else { return try await body() }
        try await wait { state in
            guard !state.isDeskTaken else { return false }
            state.isDeskTaken = true
            state.wasLarge = true
            return true
        }
        defer { state.withLock { $0.isDeskTaken = false } }
        return try await body()
    }

    /// Bytes that no request holds.
    var byteCountLeft: Int { state.withLock { $0.left } }

    private func give(_ byteCount: Int) {
        let isOver = state.withLock { state in
            state.left += byteCount
            guard state.wasLarge, state.left == limits.maximumBodyMemoryByteCount else { return false }
            state.wasLarge = false
            return true
        }
        // The values of a large document lie all over the heap; without it, it would stay as large as it was.
        if isOver { Task.detached { FreedMemory.giveBack() } }
    }

    /// - Throws: ``RegistryError`` of the kind `busy` after ``ServerLimits/bodyMemoryPatience``.
    private func wait(_ take: (inout State) -> Bool) async throws {
        let end = ContinuousClock.now + limits.bodyMemoryPatience
        while !state.withLock({ take(&$0) }) {
            guard .now < end else {
                throw RegistryError(
                    .busy, "the registry has as many large requests in its memory as it can hold; try again shortly")
            }
            try await Task.sleep(for: Self.pause)
        }
    }
}
