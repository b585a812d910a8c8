/// Finds paths that cannot exist side by side on every file system.
package enum PathCollisions {
    /// Describes the first two paths that clash: equal under NFKC and full case folding, or one is a folder of the
    /// other.
    package static func first(in paths: some Collection<PackagePath>) -> String? {
        var byKey: [String: PackagePath] = [:]
        byKey.reserveCapacity(paths.count)
        for path in paths {
            if let other = byKey.updateValue(path, forKey: path.collisionKey) {
                let pair = [path, other].sorted()
                return "\"\(pair[0])\" and \"\(pair[1])\" are one file where case or Unicode form does not count"
            }
        }
        var seen: Set<Substring> = []
        for key in byKey.keys {
            var folder = key[...]
            while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
                folder = folder[..<slash]
                guard seen.insert(folder).inserted else { break }
                if let file = byKey[String(folder)], let inner = byKey[key] {
                    return "\"\(file)\" is a file and the folder of \"\(inner)\""
                }
            }
        }
        return nil
    }
}
