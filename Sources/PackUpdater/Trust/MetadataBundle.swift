import PackFormat
import PackJSON
import PackPatch

/// Metadata that a registry sent in one answer: all of it to a fresh device (`GET v1/bundle/ROOT/CHANNEL`), what changed last to
/// one that was here before (`metadata/N.recent.zst`, N being the version of the snapshot).
///
/// It only replaces requests: its content goes through the same checks, in the same order, as a fetched file. A host without one of
/// them answers 404, which costs one request. What is refused is fetched by itself (``end()``).
final class MetadataBundle: Sendable {
    /// Bytes of a fresh device's whole answer.
    private static let maximumByteCount = 4 << 20
    /// Bytes of what changed last, as it is sent. A registry sends no more than 64 KiB of documents.
    private static let maximumRecentByteCount = 128 << 10
    /// Bytes of what changed last, when it is decompressed.
    private static let maximumDocumentsByteCount = 1 << 20

    private struct State {
        var wasAsked = false
        /// The snapshot for which what changed last was asked for, so that a refusal is not asked for again.
        var snapshot: Int?
        var isEnded = false
        /// Whether the files are what changed last.
        var isRecent = false
        /// Whether one of those was used.
        var hasGivenRecent = false
        /// The files by path. Nil: the registry says that it has no such file.
        var files: [String: [UInt8]?] = [:]
    }

    private let channel: ChannelName
    private let transport: any UpdateTransport
    private let state = Locked(State())

    init(channel: ChannelName, transport: any UpdateTransport) {
        self.channel = channel
        self.transport = transport
    }

    /// Asks for all metadata, once; failures are left to the requests that follow.
    /// - Parameter root: the version of the root that the device has.
    func fetchOnce(root: Int) async {
        let isFirst = state.withLock { state in
            defer { state.wasAsked = true }
            return !state.wasAsked && !state.isEnded
        }
        guard isFirst else { return }
        let path = "v1/bundle/\(root)/\(channel)"
        let answer = try? await transport.read(path, maximumByteCount: Self.maximumByteCount, validator: nil)
        guard case .bytes(let bytes, _)? = answer else { return }
        keep(Self.files(bytes), isRecent: false)
    }

    /// Asks for what changed last, after a timestamp that names a snapshot which the device does not have; failures are left to the
    /// requests that follow.
    /// - Parameter snapshot: the version of that snapshot.
    func fetchRecent(snapshot: Int) async {
        let isFirst = state.withLock { state in
            defer { state.snapshot = snapshot }
            return !state.isEnded && state.snapshot != snapshot
        }
        guard isFirst else { return }
        let path = ViewPath.recent(snapshot: snapshot).description
        let answer = try? await transport.read(path, maximumByteCount: Self.maximumRecentByteCount, validator: nil)
        guard case .bytes(let frame, _)? = answer,
            let bytes = try? ContentFrame.decompress(frame, maximumByteCount: Self.maximumDocumentsByteCount)
        else { return }
        // Only what is of one content for ever. It cannot say what the newest root is, or that a file is missing.
        keep(
            Self.files(bytes).filter { path, bytes in
                guard bytes != nil else { return false }
                switch ViewPath(path) {
                case .metadata(.root, _): return false
                case .metadata, .channelFile, .channelHead, .channelPart, .group: return true
                default: return false
                }
            }, isRecent: true)
    }

    /// Takes a file out: each is good for one request, for a later one may have to bring something newer.
    /// - Returns: nil if the bundle says nothing about it; a value of nil if the registry has no such file.
    func take(_ path: String, maximumByteCount: Int) -> [UInt8]?? {
        state.withLock { state -> [UInt8]?? in
            guard let file = state.files.removeValue(forKey: path) else { return nil }
            if let file, file.count > maximumByteCount { return nil }
            if state.isRecent { state.hasGivenRecent = true }
            return .some(file)
        }
    }

    /// Leaves everything to single requests from now on, because something was refused.
    /// - Returns: whether single requests may do better: something of what changed last was used.
    func end() -> Bool {
        state.withLock { state in
            defer { state = State(wasAsked: true, isEnded: true) }
            return state.hasGivenRecent
        }
    }

    private func keep(_ files: [String: [UInt8]?], isRecent: Bool) {
        state.withLock { state in
            if !state.isEnded { (state.files, state.isRecent) = (files, isRecent) }
        }
    }

    private static func files(_ bytes: [UInt8]) -> [String: [UInt8]?] {
        guard let document = try? JSONValue(parsing: bytes).object("bundle"), (try? document.integer("format")) == 1,
            let members = try? document.object("files").members
        else { return [:] }
        var files: [String: [UInt8]?] = [:]
        for member in members {
            files[member.key] = .some((try? member.value.string(member.key)).map { Array($0.utf8) })
        }
        return files
    }
}
