import PackFormat

/// When each unconfirmed version was first started in this run of the app, by a clock that stops while the device
/// sleeps.
///
/// A run that ends before the deadline costs a start and nothing else: if the user or the system ended the app, that
/// says nothing about the version. So each run gives the version its whole time, and the number of starts bounds the
/// runs.
struct ReadyDeadlines {
    private var first: [PackageID: (id: VersionID, uptime: Duration)] = [:]

    /// Records a start; only the first one of a version counts.
    mutating func begin(_ package: PackageID, _ id: VersionID, at uptime: Duration) {
        if first[package]?.id != id { first[package] = (id, uptime) }
    }

    /// Forgets the version that was confirmed or left.
    mutating func end(_ package: PackageID) { first[package] = nil }

    /// How long a version has been unconfirmed in this run; nil if it was not started in it.
    func age(of id: VersionID, _ package: PackageID, at uptime: Duration) -> Duration? {
        guard let begun = first[package], begun.id == id else { return nil }
        return uptime - begun.uptime
    }
}
