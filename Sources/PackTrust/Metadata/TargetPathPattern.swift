import Crypto

/// A pattern of target paths: `*` matches any run of characters and `?` any one character, except `/` (§4.5
/// PATHPATTERN). Case matters, and nothing else is special.
struct TargetPathPattern {
    private let pattern: [Unicode.Scalar]

    init(_ text: String) {
        pattern = Array(text.unicodeScalars)
    }

    /// Steps back to the last `*` only, so that no pattern takes more than pattern × path steps.
    func matches(_ path: String) -> Bool {
        let path = Array(path.unicodeScalars)
        var inPattern = 0
        var inPath = 0
        var retry: (pattern: Int, path: Int)?
        while inPath < path.count {
            if inPattern < pattern.count, pattern[inPattern] == "*" {
                retry = (inPattern, inPath)
                inPattern += 1
            } else if inPattern < pattern.count,
                pattern[inPattern] == path[inPath] || (pattern[inPattern] == "?" && path[inPath] != "/")
            {
                inPattern += 1
                inPath += 1
            } else if let star = retry, path[star.path] != "/" {
                retry = (star.pattern, star.path + 1)
                inPattern = star.pattern + 1
                inPath = star.path + 1
            } else {
                return false
            }
        }
        return pattern[inPattern...].allSatisfy { $0 == "*" }
    }

    static func hash(of path: String, startsWithOneOf prefixes: [String]) -> Bool {
        let digits = Array(SHA256.hash(data: Array(path.utf8))).hexadecimal
        return prefixes.contains { digits.utf8.starts(with: $0.utf8) }
    }
}
