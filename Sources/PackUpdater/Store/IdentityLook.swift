import Dispatch
import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks the files of a version's objects on a thread of its own while the manifest is read, so that a start waits
/// only for the longer of the two.
final class IdentityLook: Sendable {
    private let found = Locked<(record: IdentityRecord, unchanged: [Bool])>((.empty, []))
    private let group = DispatchGroup()

    init(_ layout: StoreLayout, _ package: PackageID, _ id: VersionID) {
        DispatchQueue.global(qos: .userInitiated).async(group: group) { [found] in
            // What cannot be read now is said by who reads it next.
            guard let record = try? IdentityRecord(in: layout, package, id),
                var reader = try? FileIdentity.Reader(layout)
            else { return }
            let unchanged = record.unchanged(&reader)
            found.withLock { $0 = (record, unchanged) }
        }
    }

    /// What the version's record says, and for each of its objects whether the file is still what was verified.
    func result() -> (record: IdentityRecord, unchanged: [Bool]) {
        group.wait()
        return found.withLock { $0 }
    }
}
