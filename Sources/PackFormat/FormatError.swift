/// Why a value from outside is invalid. Each case has a message that a person can act on.
public enum FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    case invalidPackageID(String)
    case invalidChannelName(String)
    case invalidVersion(String, reason: String)
    case invalidVersionRange(String)
    case invalidPath(String, reason: String)
    case invalidDigest(String)
    case invalidShare(String)
    case invalidAppVersion(String)
    case invalidAudience(String, reason: String)
    case invalidPolicy(String)
    case invalidWindow(String, reason: String)
    case invalidRules(String)
    case invalidGroup(String, reason: String)
    case invalidBase(String, reason: String)
    case invalidAPI(String, reason: String)
    case invalidDocument(String, reason: String)
    case unsupportedFormat(String, found: Int, supported: Int)

    public var description: String {
        switch self {
        case .invalidPackageID(let text):
            "\"\(text)\" is not a package id: use 1 to 63 lower-case letters, digits and hyphens, "
                + "starting and ending with a letter or digit"
        case .invalidChannelName(let text):
            "\"\(text)\" is not a channel name: use 1 to 63 lower-case letters, digits and hyphens, "
                + "starting and ending with a letter or digit"
        case .invalidVersion(let text, let reason):
            "\"\(text)\" is not a version: \(reason); use SemVer 2.0.0 such as 1.4.0 or 2.0.0-beta.1"
        case .invalidVersionRange(let text):
            "\"\(text)\" is not a version range: use comparisons such as \">=3.2.0\" or \">=3.2.0 <5.0.0\""
        case .invalidPath(let text, let reason): "the path \"\(text)\" is not allowed: \(reason)"
        case .invalidDigest(let text): "\"\(text)\" is not a SHA-256 digest: use 64 lower-case hexadecimal digits"
        case .invalidShare(let text):
            "\(text) is not a share: use a percentage from 0 to 100 with at most two decimals, such as 25 or 0.5"
        case .invalidAppVersion(let text):
            "\"\(text)\" is not a version of an app or a system: use numbers such as 17.4 or 3.2.0 (118)"
        case .invalidAudience(let text, let reason):
            "\"\(text)\" is not an audience: \(reason); say \"platform=ios,android; app>=3.2; tag.tier=gold\""
        case .invalidPolicy(let reason): "the policy of a release is not valid: \(reason)"
        case .invalidWindow(let text, let reason):
            "\"\(text)\" is not a window: \(reason); say \"mon-fri 22:00-05:00\""
        case .invalidRules(let reason): "the web rules are not valid: \(reason)"
        case .invalidGroup(let name, let reason): "the group \"\(name)\" is not valid: \(reason)"
        case .invalidBase(let text, let reason):
            "\"\(text)\" is not a base: \(reason); use the path that the build is made for, such as /static-files/"
        case .invalidAPI(let text, let reason):
            "\"\(text)\" is not allowed in api: \(reason); say {\"/api/\": \"https://api.example.com/\"}"
        case .invalidDocument(let name, let reason): "\(name) is not valid: \(reason)"
        case .unsupportedFormat(let name, let found, let supported):
            "\(name) has format \(found) and this program reads up to \(supported): update the program"
        }
    }
}
