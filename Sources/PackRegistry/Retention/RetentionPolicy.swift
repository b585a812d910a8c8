package import Foundation

/// Which versions keep their files, besides those that channels need.
package struct RetentionPolicy: Hashable, Sendable {
    /// Days for which a reader may go by what was shown: a timestamp lives for 7 days.
    package static let leastDays = 8
    /// Days after which an upload that nobody published is removed.
    package static let uploadDays = 7

    /// The newest versions of each package, withdrawn ones not counted.
    package var versionCount = 20
    /// Versions that were published, offered or reported by a device in the last so many days; at least ``leastDays`` count.
    package var days = 30

    package init() {}

    /// Since when what happened to a version keeps its files.
    package func cutoff(now: Date) -> Date {
        now.addingTimeInterval(-86_400 * Double(max(days, Self.leastDays)))
    }
}
