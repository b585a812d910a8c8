import Foundation
import PackJSON
import PackRegistry
import PackRegistryAPI
import PackSystem
package import PackTrust

/// The keys of the registry itself: for channels, snapshot and timestamp, and for nothing installable.
///
/// They are stored unencrypted in `keys/online.json` (0600), because a server must sign without a person. A thief of
/// these keys can choose among published versions, but can neither add one nor bring a withdrawn one back.
package struct OnlineKeys: OnlineSigner {
    package let keys: [PrivateKey]

    package init(_ keys: [PrivateKey]) {
        self.keys = keys
    }

    static func load(from folder: RegistryFolder) throws -> OnlineKeys {
        let file = folder.onlineKeys.path(percentEncoded: false)
        guard let data = FileManager.default.contents(atPath: file) else {
            throw RegistryError(
                .unusable,
                "\(file) is missing or cannot be read: without the online key this registry cannot release "
                    + "anything. Restore it, or make a new one and let the root name it (packtool keys rotate online)")
        }
        do { try PrivateFile.check(folder.onlineKeys) } catch { throw RegistryError(.unusable, "\(error)") }
        do {
            let json = try JSONValue(parsing: data).object("the key file")
            let keys = try json.array("keys").map { try PrivateKey(pem: $0.string("keys")) }
            guard !keys.isEmpty else { throw JSONError.missing(field: "keys") }
            return OnlineKeys(keys)
        } catch {
            throw RegistryError(.unusable, "\(file) is not a key file: \(error)")
        }
    }

    func save(to folder: RegistryFolder) throws {
        try SystemCall.makeFolders(folder.keys)
        let document: JSONObject = ["format": 1, "keys": .array(keys.map { .string($0.pem) })]
        let workspace = try Workspace(in: folder)
        try workspace.put(Array(JSONValue.object(document).prettyText.utf8), at: folder.onlineKeys, mode: 0o600)
    }

    package func sign<Body: RoleMetadata>(_ body: Body, for authority: RoleAuthority) throws -> SignedDocument<Body> {
        var document = SignedDocument(unsigned: body)
        for key in keys where authority.keys[key.publicKey.id] != nil {
            document = try document.signed(by: key)
        }
        do {
            try document.verify(by: authority)
        } catch {
            throw RegistryError(
                .unusable,
                "the registry's online keys cannot sign the role \(authority.role): \(error). The app's "
                    + "owner has to name them in root and targets (packtool keys rotate online)")
        }
        return document
    }
}

/// The online keys in the folder, read at each signature, because another process may have changed them.
struct FileOnlineSigner: OnlineSigner {
    let folder: RegistryFolder

    func sign<Body: RoleMetadata>(_ body: Body, for authority: RoleAuthority) throws -> SignedDocument<Body> {
        try OnlineKeys.load(from: folder).sign(body, for: authority)
    }
}
