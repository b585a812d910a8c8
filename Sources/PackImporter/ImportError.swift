package import PackFormat

/// Why an export cannot be imported. Nothing was written.
package enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    // The folder.
    case notAFolder(String)
    case unreadable(String, reason: String)
    case noZips(String)
    case tooLarge(String, limit: Int)

    // A list of versions.
    case invalidList(String, place: String?, reason: String)
    case noVersion(name: String, place: String)
    case unsafeFile(String, place: String, reason: String)
    case noSuchFile(String, place: String)
    case missingZips([String], hint: String)
    case alternatives(range: String, place: String)
    case invalidRange(range: String, place: String)

    // The plan.
    case sameVersion(SemanticVersion, first: String, second: String)
    case differentRanges(SemanticVersion, first: String, second: String)
    case twiceOnChannel(SemanticVersion, channel: ChannelName)
    case timesMissing(with: String, without: String)
    case invalidChannel(String, reason: String)
    case unknownMapping(String, known: [String])
    case mappedTogether(ChannelName, first: String, second: String)
    case nothing(String)

    // A zip.
    case noEntry(file: String, entry: String, hint: String)
    case otherContent(file: String, origin: String, expected: String, found: String)
    case encrypted(file: String, reason: String)
    /// What a build of its files refused.
    case refused(String)

    package var description: String {
        switch self {
        case .notAFolder(let path): "\(path) is not a folder: give the folder that has the zips of the export"
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .noZips(let path):
            "\(path) has no zips: put those of the export there, or into a folder for each channel"
        case .tooLarge(let path, let limit): "\(path) is larger than \(limit) bytes, so it is no list of versions"
        case .invalidList(let file, let place, let reason): "\(file): \(place.map { "\($0): " } ?? "")\(reason)"
        case .noVersion(let name, let place):
            "\(place): \"\(name)\" gives no version: name the zip like 1.2.3.zip, or write an import.csv that says its version"
        case .unsafeFile(let file, let place, let reason):
            "\(place): \"\(file)\" is not the path of a zip in the folder: \(reason)"
        case .noSuchFile(let file, let place): "\(place): there is no file \"\(file)\" in the folder"
        case .missingZips(let names, let hint):
            "\(CountText.text(names.count, "zip is", plural: "zips are")) missing: \(Self.list(names)). \(hint); or give "
                + "--skip-missing to go without them"
        case .alternatives(let range, let place):
            "\(place): the app versions \"\(range)\" are several ranges, and a release has one: write it as one in an import.csv"
        case .invalidRange(let range, let place): "\(place): \"\(range)\" is not a range of app versions"
        case .sameVersion(let version, let first, let second):
            "\(first) and \(second) would both be the version \(version): give one of them another version in an import.csv"
        case .differentRanges(let version, let first, let second):
            "\(first) and \(second) are both the version \(version) and say other app versions: say the same, or give one "
                + "of them another version"
        case .twiceOnChannel(let version, let channel):
            "\(version) is twice on \(channel): a version is offered once, so remove one of the two"
        case .timesMissing(let with, let without):
            "\(with) has a time and \(without) has none, so their order is not known: give all of them a time, or none"
        case .invalidChannel(let name, let reason):
            "\"\(name)\" cannot be a channel's name (\(reason)): give it one with --map \"\(name)\"=NAME"
        case .unknownMapping(let name, let known):
            "the export has no channel or deployment \"\(name)\" (it has: "
                + "\(known.isEmpty ? "none" : known.joined(separator: ", ")))"
        case .mappedTogether(let channel, let first, let second):
            "\(first) and \(second) would both be the channel \(channel): give one of them another name with --map"
        case .nothing(let path): "\(path) has no version to import"
        case .noEntry(let file, let entry, let hint):
            "\(file) has no \(entry) at its root, nor in the only folder there\(hint)"
        case .otherContent(let file, let origin, let expected, let found):
            "\(file) is not the zip of \(origin): its hash is \(found), and the list says \(expected). If it is the right one, "
                + "remove the hash from the list"
        case .refused(let reason): reason
        case .encrypted(let file, let reason):
            "\(file) is encrypted for the app: decrypt it with the app's private key (capgo bundle decrypt) and put that zip in "
                + "its place (\(reason))"
        }
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(8).joined(separator: ", ")
        return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
    }
}
