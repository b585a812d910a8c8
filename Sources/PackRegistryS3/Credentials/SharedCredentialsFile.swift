import Foundation
import PackRegistryAPI

/// The file of credentials that AWS's tools share: `AWS_SHARED_CREDENTIALS_FILE`, or `~/.aws/credentials`, in it the section that
/// `AWS_PROFILE` names, or `default` (AWS SDKs and Tools Reference Guide, "Shared config and credentials files").
///
///     [default]
///     aws_access_key_id = …
///     aws_secret_access_key = …
struct SharedCredentialsFile: CredentialSource {
    private static let maximumByteCount = 1 << 20

    private let path: String?
    private let profile: String
    /// Whether somebody asked for this file or this section.
    private let isNamed: Bool

    var name: String { "[\(profile)] in \(path ?? "~/.aws/credentials")" }

    init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let named = value("AWS_SHARED_CREDENTIALS_FILE")
        path = named ?? value("HOME").map { "\($0)/.aws/credentials" }
        profile = value("AWS_PROFILE") ?? "default"
        isNamed = named != nil || value("AWS_PROFILE") != nil
    }

    func credentials() throws -> S3Credentials? {
        guard let path else { return nil }
        guard let text = try read(path) else {
            guard isNamed else { return nil }
            throw RegistryError(.unusable, "\(path), which is to have the credentials of S3, cannot be read")
        }
        let sections = Self.sections(text)
        guard let section = sections[profile] else {
            guard isNamed else { return nil }
            throw RegistryError(
                .unusable, "\(path) has no section [\(profile)]: add one, or name another one with AWS_PROFILE")
        }
        guard let keyID = section["aws_access_key_id"], let secret = section["aws_secret_access_key"] else {
            throw RegistryError(
                .unusable,
                "\(path) has no aws_access_key_id and aws_secret_access_key in [\(profile)]: other ways to log in are not "
                    + "supported")
        }
        return S3Credentials(keyID: keyID, secret: secret, sessionToken: section["aws_session_token"])
    }

    private func read(_ path: String) throws -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        let data = try file.read(upToCount: Self.maximumByteCount) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    /// The values of all sections by their names.
    static func sections(_ text: String) -> [String: [String: String]] {
        var sections: [String: [String: String]] = [:]
        var current: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard let first = line.first, first != "#", first != ";" else { continue }
            if first == "[" {
                let name = line.dropFirst().prefix { $0 != "]" }.trimmingCharacters(in: .whitespaces)
                current = name
                sections[name] = sections[name] ?? [:]
            } else if let current, let sign = line.firstIndex(of: "=") {
                let key = line[..<sign].trimmingCharacters(in: .whitespaces).lowercased()
                let value = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
                sections[current]?[key] = value.isEmpty ? nil : value
            }
        }
        return sections
    }
}
