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

extension SystemCall {
    /// The system's words for an error of Foundation's file functions, whose own need its tables of languages; another error's
    /// own words.
    package static func reason(of error: any Error) -> String {
        if let error = error as? POSIXError { return text(error.code.rawValue) }
        if let cause = (error as? CocoaError)?.underlying { return reason(of: cause) }
        return "\(error)"
    }
}
