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

/// The device's time zone by the system's own tables. `TimeZone.autoupdatingCurrent` is GMT everywhere without Foundation's.
enum SystemTimeZone {
    /// The distance from GMT that holds now.
    static func now() -> TimeZone {
        // The zone may have been changed since the last look.
        tzset()
        var moment = time(nil)
        var parts = tm()
        guard localtime_r(&moment, &parts) != nil else { return .gmt }
        return TimeZone(secondsFromGMT: Int(parts.tm_gmtoff)) ?? .gmt
    }
}
