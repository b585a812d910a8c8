package import PackFormat

/// Why a patch was not made or not applied. In every case no wrong byte was passed on as verified, and the next step
/// is the same: fetch the full download or the single objects.
package enum PatchError: Error, Equatable, Sendable, CustomStringConvertible {
    case truncated
    case trailingData
    case corrupt(reason: String)
    case wrongByteCount(found: UInt64, expected: Int)
    case overlong(expected: Int)
    case tooShort(found: Int, expected: Int)
    case windowTooLarge(UInt64, limit: UInt64)
    case wrongObject(Digest)
    case wrongDigest(expected: Digest)
    case damagedBase(Digest)
    case invalidMap(reason: String)
    case tooLarge(byteCount: Int, limit: Int)
    case outOfMemory
    case system(operation: String, path: String, reason: String)

    package var description: String {
        switch self {
        case .truncated: "the patch ends early: fetch the rest of it"
        case .trailingData: "the patch goes on after its end: discard it and fetch the full download"
        case .corrupt(let reason): "the patch is damaged (\(reason)): discard it and fetch the full download"
        case .wrongByteCount(let found, let expected):
            "the patch claims to give \(found) bytes where the manifest lists \(expected): discard it"
        case .overlong(let expected): "the patch gives more than the \(expected) bytes of the manifest: discard it"
        case .tooShort(let found, let expected):
            "the patch gives \(found) of the \(expected) bytes of the manifest: discard it"
        case .windowTooLarge(let window, let limit):
            "the patch needs a window of \(window) bytes where \(limit) are allowed: discard it"
        case .wrongObject(let digest):
            "what the patch gives for the object \(digest) is something else: discard it and fetch the full download"
        case .wrongDigest(let expected): "the patch does not give the manifest \(expected): fetch the manifest whole"
        case .damagedBase(let digest):
            "the object \(digest), which the patch builds on, is missing or damaged here: repair the installed version"
        case .invalidMap(let reason):
            "the patch's renaming map is not valid (\(reason)): discard it and fetch the full download"
        case .tooLarge(let byteCount, let limit):
            "\(byteCount) bytes are more than the \(limit) that a patch can work on: use the full download"
        case .outOfMemory: "there is not enough memory to make or apply the patch"
        case .system(let operation, let path, let reason): "cannot \(operation) \"\(path)\": \(reason)"
        }
    }
}
