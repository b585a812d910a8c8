/// Why the web side could not do what it was asked. Each case is a sentence a person can act on.
public enum WebError: Error, Equatable, Sendable, CustomStringConvertible {
    case invalidRules(String)
    case unreadableFile(String, reason: String)

    public var description: String {
        switch self {
        case .invalidRules(let reason): "the web rules are not valid: \(reason)"
        case .unreadableFile(let path, let reason):
            "the installed file \(path) cannot be read: \(reason); repair the package"
        }
    }
}
