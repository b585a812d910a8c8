package import Foundation
package import PackRegistryAPI

/// When an id token may be exchanged, by its times (RFC 7519, section 4.1).
package enum IDTokenTimes {
    /// Seconds by which the issuer's clock may differ from ours.
    package static let leeway: TimeInterval = 60
    /// Seconds from now to the end of an id token: those of CI systems hold for minutes to hours.
    package static let maximumLife: TimeInterval = 12 * 3_600

    /// - Throws: ``RegistryError`` of the kind `.unauthorized`.
    package static func check(
        expires: Date, notBefore: Date?, issued: Date?, now: Date
    ) throws(RegistryError) {
        guard expires.addingTimeInterval(leeway) > now else {
            throw RegistryError(
                .unauthorized,
                "the id token expired on \(expires.formatted(.iso8601)): ask the CI system for another one")
        }
        for start in [notBefore, issued] {
            guard let start, start.addingTimeInterval(-leeway) > now else { continue }
            throw RegistryError(
                .unauthorized,
                "the id token begins to hold on \(start.formatted(.iso8601)), and here it is \(now.formatted(.iso8601)): compare the clocks"
            )
        }
        guard expires.timeIntervalSince(now) <= maximumLife else {
            throw RegistryError(.unauthorized, "the id token holds for more than \(Int(maximumLife) / 3_600) hours")
        }
    }
}
