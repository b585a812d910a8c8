public import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// Why a device could not do what the caller requested. Each case has a message that a person can act on. In every
/// case the version that ran before still runs.
public enum UpdateError: NetworkFault, Equatable, Sendable, CustomStringConvertible {
    /// A newer program wrote the store; this one has not changed it.
    case storeIsNewer(folder: String, found: Int, supported: Int)
    case storeIsDamaged(file: String, reason: String)
    /// Another updater is using this store.
    case storeIsBusy(folder: String, holder: String)
    /// The disk has too little space. Sizes in bytes.
    case diskIsFull(path: String, needed: Int?, available: Int?)
    case fileFailed(action: String, path: String, reason: String)
    case noRoot
    /// The signed metadata is missing, expired or not genuine.
    case notTrusted(reason: String)
    /// The registry's metadata is genuine but lists no such channel: the name is misspelt, or nothing was released on
    /// it.
    case noChannel(ChannelName, existing: [String])
    case unreachable(address: String, reason: String)
    /// The server has more to do than it can (429, 503), and when it wants to be asked again, if it says. Nothing else is
    /// asked of it meanwhile.
    case overloaded(address: String, reason: String, retryAfter: Duration?)
    case notFound(address: String)
    /// The registry answered that it does not have a file that every registry has, or that its signed metadata names.
    case registryLacks(path: String)
    /// The answer broke a rule: too long, too slow, of the wrong length.
    case badAnswer(address: String, reason: String)
    /// Content that does not have the signed digest and size.
    case damagedContent(String, reason: String)
    case refused(PackageID, SemanticVersion, reason: String)
    case notInstalled(PackageID)
    case notConfirmed(PackageID, reason: String)
    case nothingToGoBackTo(PackageID)

    public var description: String {
        switch self {
        case .storeIsNewer(let folder, let found, let supported):
            "the store \(folder) has format \(found) and this program reads up to \(supported): update the program; "
                + "nothing was changed"
        case .storeIsDamaged(let file, let reason): "\(file) is damaged: \(reason); run a repair"
        case .storeIsBusy(let folder, let holder):
            "another updater\(holder.isEmpty ? "" : " (\(holder))") is working on the store \(folder): try again when it is done"
        case .diskIsFull(let path, let needed?, let available?):
            "the disk of \(path) is too full: \(needed) bytes are needed and \(available) are free"
        case .diskIsFull(let path, _, _): "the disk of \(path) is full"
        case .fileFailed(let action, let path, let reason): "cannot \(action) \(path): \(reason)"
        case .noRoot:
            "the store has no trusted root yet: give the app's root.json (an app embeds it; packtool takes --root FILE)"
        case .notTrusted(let reason): "the registry's signed metadata was refused: \(reason)"
        case .noChannel(let name, let existing):
            "the registry has no channel \"\(name)\" (there is: \(Self.list(existing))): check the name"
        case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
        case .overloaded(let address, let reason, let retryAfter):
            "\(address) is overloaded: \(reason)"
                + (retryAfter.map { "; try again in \($0.components.seconds) s" } ?? "; try again later")
        case .notFound(let address): "\(address) does not exist"
        case .registryLacks(let path):
            "the registry does not have \(path): check its address; where it is a copy, wait until it is complete"
        case .badAnswer(let address, let reason): "the answer of \(address) was refused: \(reason)"
        case .damagedContent(let name, let reason): "\(name) was refused: \(reason)"
        case .refused(let package, let version, let reason): "\(package) \(version) was refused: \(reason)"
        case .notInstalled(let package): "\(package) is not installed in this store"
        case .notConfirmed(let package, let reason): "\(package) was not confirmed: \(reason)"
        case .nothingToGoBackTo(let package): "\(package) has no earlier version to go back to"
        }
    }

    public var isUnreachable: Bool {
        switch self {
        case .unreachable, .overloaded, .storeIsBusy: true
        default: false
        }
    }

    static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "none yet" }
        let shown = names.sorted().prefix(50).joined(separator: ", ")
        return names.count > 50 ? "\(shown), and \(names.count - 50) more" : shown
    }

    /// Wraps the current `errno`.
    static func system(_ action: String, _ url: URL) -> UpdateError { system(action, url, code: errno) }

    /// Does a step of ``SystemCall`` and says in a store's words why it failed.
    static func system<Answer: ~Copyable>(
        _ action: String, _ url: URL, _ step: () throws(FileFault) -> Answer
    ) throws(UpdateError) -> Answer {
        do {
            return try step()
        } catch {
            throw system(action, url, code: error.code)
        }
    }

    private static func system(_ action: String, _ url: URL, code: Int32) -> UpdateError {
        if code == ENOSPC || code == EDQUOT { return .diskIsFull(path: url.path, needed: nil, available: nil) }
        return .fileFailed(action: action, path: url.path, reason: SystemCall.text(code))
    }
}
