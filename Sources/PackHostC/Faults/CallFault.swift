import CPackHost
import PackFormat
import PackJSON
import PackUpdater
import PackWeb

/// What a function of C returns instead of `PACKHOST_OK`, and its message.
struct CallFault: Error, Sendable {
    let code: Int32
    let message: String

    init(_ code: packhost_code, _ message: String) {
        self.code = Int32(code.rawValue)
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let fault as CallFault: self = fault
        case let error as UpdateError: self.init(Self.code(of: error), "\(error)")
        case let error as WebError: self.init(PACKHOST_STORE_FAILED, "\(error)")
        case let error as FormatError: self.init(PACKHOST_WRONG_ARGUMENT, "\(error)")
        case let error as JSONError: self.init(PACKHOST_WRONG_ARGUMENT, "\(error)")
        case is CancellationError: self = .cancelled
        default: self.init(PACKHOST_FAILED, "\(error)")
        }
    }

    static let cancelled = CallFault(PACKHOST_CANCELLED, "the call was cancelled")
    static let closed = CallFault(PACKHOST_CLOSED, "the host is closed")
    static let timedOut = CallFault(PACKHOST_TIMED_OUT, "it took longer than the call allows")

    static func wrongHandle(_ kind: String) -> CallFault {
        CallFault(PACKHOST_WRONG_HANDLE, "the handle is not that of \(kind), or was closed or freed")
    }

    static func wrongArgument(_ reason: String) -> CallFault { CallFault(PACKHOST_WRONG_ARGUMENT, reason) }

    private static func code(of error: UpdateError) -> packhost_code {
        switch error {
        case .storeIsNewer, .storeIsDamaged, .fileFailed: PACKHOST_STORE_FAILED
        case .storeIsBusy: PACKHOST_BUSY
        case .diskIsFull: PACKHOST_DISK_FULL
        case .noRoot, .notTrusted, .damagedContent: PACKHOST_NOT_TRUSTED
        case .noChannel, .notFound, .registryLacks, .notInstalled, .nothingToGoBackTo: PACKHOST_NOT_FOUND
        case .unreachable, .badAnswer: PACKHOST_UNREACHABLE
        case .overloaded: PACKHOST_OVERLOADED
        case .refused, .notConfirmed: PACKHOST_REFUSED
        }
    }
}
