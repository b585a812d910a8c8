import PackFormat
import PackJSON

/// The metadata that a registry sent to a fresh device in one answer (`GET v1/bundle/ROOT/CHANNEL`).
///
/// It only replaces requests: its content goes through the same checks as a fetched file. A host without this
/// endpoint answers 404, which costs one request.
final class MetadataBundle: Sendable {
    /// Bytes of the whole answer.
    private static let maximumByteCount = 4 << 20

    private enum State {
        case untried
        /// The files by path. Nil: the registry says that it has no such file.
        case files([String: [UInt8]?])
    }

    private let channel: ChannelName
    private let transport: any UpdateTransport
    private let state = Locked(State.untried)

    init(channel: ChannelName, transport: any UpdateTransport) {
        self.channel = channel
        self.transport = transport
    }

    /// Asks for the bundle, once; failures are left to the requests that follow.
    /// - Parameter root: the version of the root that the device has.
    func fetchOnce(root: Int) async {
        let isFirst = state.withLock { state in
            guard case .untried = state else { return false }
            state = .files([:])
            return true
        }
        guard isFirst else { return }
        let path = "v1/bundle/\(root)/\(channel)"
        guard
            case .bytes(let bytes, _)? = try? await transport.read(
                path, maximumByteCount: Self.maximumByteCount, validator: nil),
            let document = try? JSONValue(parsing: bytes).object("bundle"), (try? document.integer("format")) == 1,
            let members = try? document.object("files").members
        else { return }
        var files: [String: [UInt8]?] = [:]
        for member in members {
            files[member.key] = .some((try? member.value.string(member.key)).map { Array($0.utf8) })
        }
        let found = files
        state.withLock { $0 = .files(found) }
    }

    /// Takes a file out: each is good for one request, for a later one may have to bring something newer.
    /// - Returns: nil if the bundle says nothing about it; a value of nil if the registry has no such file.
    func take(_ path: String, maximumByteCount: Int) -> [UInt8]?? {
        state.withLock { state -> [UInt8]?? in
            guard case .files(var files) = state, let file = files.removeValue(forKey: path) else { return nil }
            state = .files(files)
            if let file, file.count > maximumByteCount { return nil }
            return .some(file)
        }
    }
}
