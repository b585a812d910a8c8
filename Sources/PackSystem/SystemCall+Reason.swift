#if canImport(FoundationEssentials)
    import FoundationEssentials
    import Glibc
#else
    import Foundation
#endif

extension SystemCall {
    /// The system's words for an error of Foundation's file functions, whose own need its tables of languages; another error's
    /// own words.
    package static func reason(of error: any Error) -> String {
        if let error = error as? POSIXError { return text(error.code.rawValue) }
        if let cause = (error as? CocoaError)?.underlying { return reason(of: cause) }
        return "\(error)"
    }
}
