import PackFormat

@testable import PackPatch

/// A site as a bundler and a minifier make it: chunks with hashed names that import each other, and short names that are
/// handed out in sequence, so that one more name at the front moves all others on.
struct MinifiedSite {
    let site: Site

    /// - Parameter build: Another build has other hashes.
    /// - Parameter firstName: How many names are taken before the first of the program.
    init(build: UInt64, firstName: Int, functions: Int = 300) throws {
        var hashes = RandomBytes(seed: build)
        let names = (0..<4).map { "chunk\($0)-\(Self.hash(&hashes)).js" }
        var texts: [String: String] = [:]
        for (index, name) in names.enumerated() {
            let imports = names.filter { $0 != name }.map { "import\"./\($0)\";" }.joined()
            texts["assets/\(name)"] = imports + Self.code(seed: UInt64(index + 1), firstName, functions)
        }
        texts["index.html"] = names.map { "<script src=\"/assets/\($0)\"></script>" }.joined(separator: "\n")
        site = try Site(texts: texts)
    }

    /// Statements that call, compare and assign; only the names depend on `firstName`.
    private static func code(seed: UInt64, _ firstName: Int, _ functions: Int) -> String {
        var random = RandomBytes(seed: seed)
        let words = ["length", "value", "children", "render", "props", "state", "update", "context", "target"]
        var code = ""
        func name(_ index: Int) -> String {
            let key = Alphabet.standard.name(of: firstName + index)
            return key.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "none"
        }
        for index in 0..<functions {
            code += "function \(name(index))(t,n){"
            for _ in 0..<6 {
                let other = name(Int.random(in: 0..<functions, using: &random))
                let word = words.randomElement(using: &random) ?? ""
                let number = Int.random(in: 0..<100, using: &random)
                code += "t.\(word)=\(other)(n.\(words.randomElement(using: &random) ?? ""),\(number));"
            }
            code += "return t}"
        }
        return code
    }

    private static func hash(_ random: inout RandomBytes) -> String {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        let letters = (0..<7).map { _ in characters.randomElement(using: &random) ?? "A" }
        return "\(Int.random(in: 0...9, using: &random))" + String(letters)
    }
}
