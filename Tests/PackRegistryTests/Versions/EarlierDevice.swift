import Foundation
import PackFormat

/// What a device with packtool 0.1.0 makes of a channel file. It is in the field and cannot be recalled, so this is not changed
/// with the code of today, and uses none of its readers.
///
/// It reads `channels/NAME.json` of format 1. It ignores each field that it does not know.
struct EarlierDevice {
    struct UnsupportedFormat: Error, Hashable {
        let found: Int
    }

    struct Release: Hashable {
        let id: String
        /// Nil: the version that the app embeds.
        let version: String?
    }

    private struct File: Decodable {
        struct Package: Decodable {
            struct Release: Decodable {
                let id: String
                let version: String?
                let percent: Int?
                let app: String?
            }

            let releases: [Release]
            let enabled: Bool?
        }

        let format: Int
        let app: String
        let packages: [String: Package]
    }

    static let target = "channels/beta.json"

    let id: String
    /// It reads no other version of an app than three numbers.
    var app: SemanticVersion?

    /// The release that it takes of each package; none of a package whose gate is off.
    /// - Throws: ``UnsupportedFormat``: it keeps what it has.
    func taken(from bytes: [UInt8]) throws -> [String: Release] {
        let file = try JSONDecoder().decode(File.self, from: Data(bytes))
        guard file.format == 1 else { throw UnsupportedFormat(found: file.format) }
        var taken: [String: Release] = [:]
        for (package, content) in file.packages where content.enabled ?? true {
            let release = try content.releases.first { release in
                if let range = release.app {
                    guard let app, try VersionRange(range).contains(app) else { return false }
                }
                let bucket = bucket(of: package, release.id, in: file.app)
                return bucket.multipliedFullWidth(by: 100).high < UInt64(release.percent ?? 100)
            }
            taken[package] = release.map { Release(id: $0.id, version: $0.version) }
        }
        return taken
    }

    private func bucket(of package: String, _ release: String, in app: String) -> UInt64 {
        let digest = Digest(of: Array("\(app)/\(package)/\(release)/\(id)".utf8))
        return UInt64(digest.hex.prefix(16), radix: 16) ?? 0
    }
}
