import Crypto

/// The file names of a client's store.
enum StoreName {
    static let root = "root.json"
    static let rootHistoryFolder = "root_history"

    static func root(version: Int) -> String { "\(rootHistoryFolder)/\(version).root.json" }

    /// The file of a role. Role names come from the repository, so they are encoded until they are one path part, not
    /// longer than a file name may be, and none that a file system without case takes for a top-level role.
    static func role(_ role: String) -> String {
        var name = RepositoryPath.percentEncoded(role)
        if name.utf8.count > 200 { name = "sha256-" + Array(SHA256.hash(data: Array(role.utf8))).hexadecimal }
        let isTopLevel = TopLevelRole.allCases.contains { $0.rawValue == name }
        if !isTopLevel, TopLevelRole.allCases.contains(where: { $0.rawValue == name.lowercased() }),
            let first = name.utf8.first
        {
            name = "%" + [first].hexadecimal.uppercased() + name.dropFirst()
        }
        return name + ".json"
    }
}
