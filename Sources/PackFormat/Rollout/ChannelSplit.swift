/// A large channel in a head and parts.
package struct ChannelSplit: Sendable {
    /// Bytes of a whole file from which on a channel is split (docs/decisions/0045).
    static let minimumByteCount = 100 << 10
    /// What a part is to have at most, if no set holds its packages together. Smaller ones make the signed role longer, which lists
    /// each of them.
    static let partByteCount = 8 << 10

    package let head: ChannelHead
    package let headBytes: [UInt8]
    /// By their numbers. Those without packages are left out.
    package let parts: [Int: [UInt8]]

    /// - Parameter wholeByteCount: the size of the channel's whole file.
    /// - Returns: nil for a channel that is small, or of which one set is the larger half.
    package init?(_ file: ChannelFile, wholeByteCount: Int) {
        guard wholeByteCount > Self.minimumByteCount else { return nil }
        // A power of two, so that it seldom changes while a channel grows: all parts do then.
        var count = 2
        while count < ChannelHead.maximumPartCount, count * Self.partByteCount < wholeByteCount { count *= 2 }
        var packages: [Int: [PackageID: ChannelFile.Package]] = [:]
        var moved: [PackageID: Int] = [:]
        let anchors = Self.anchors(of: file)
        for (package, content) in file.packages {
            let own = ChannelPart.ownPart(of: package, count: count)
            let part = anchors[package].map { ChannelPart.ownPart(of: $0, count: count) } ?? own
            if part != own { moved[package] = part }
            packages[part, default: [:]][package] = content
        }
        let parts = packages.map { ($0, ChannelPart.bytes(of: file.with(general: false, packages: $1), part: $0)) }
        let head = ChannelHead(
            file.with(
                packages: file.packages.filter { !$0.value.isEnabled }.mapValues { _ in ChannelHead.offPackage }),
            partCount: count, moved: moved)
        let (headBytes, largest) = (head.bytes, parts.map(\.1.count).max() ?? 0)
        guard largest + headBytes.count < wholeByteCount / 2, headBytes.count <= ChannelHead.maximumByteCount else {
            return nil
        }
        (self.head, self.headBytes) = (head, headBytes)
        self.parts = Dictionary(uniqueKeysWithValues: parts)
    }

    /// The first package of all that are tied to a package by sets, for packages that are tied to another one. A set is judged by all of its
    /// packages, so all of them are in one part.
    private static func anchors(of file: ChannelFile) -> [PackageID: PackageID] {
        var parent: [PackageID: PackageID] = [:]
        func root(_ package: PackageID) -> PackageID {
            var package = package
            while let next = parent[package] { package = next }
            return package
        }
        var first: [String: PackageID] = [:]
        for (package, content) in file.packages.sorted(by: { $0.key < $1.key }) {
            for set in (content.releases + content.skippedMandatory).compactMap(\.set) {
                guard let other = first[set] else {
                    first[set] = package
                    continue
                }
                let (one, two) = (root(package), root(other))
                if one != two { parent[max(one, two)] = min(one, two) }
            }
        }
        var anchors: [PackageID: PackageID] = [:]
        for package in parent.keys { anchors[package] = root(package) }
        return anchors
    }
}
