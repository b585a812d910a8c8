package import Foundation
package import PackFormat
import PackJSON
import PackRegistryAPI
import PackRegistrySQL
import PackSystem

/// What a backup is: `backup.json` in its folder.
package struct BackupRecord: Hashable, Sendable {
    static let file = "backup.json"

    /// The name of its folder: the time to the second, in UTC; of several in one second the later ones have a number.
    package let name: String
    package let app: String
    /// Of the first root of the registry: no other has it.
    package let root: Digest
    package let time: Date
    /// Of `registry.sqlite`.
    package let database: Digest
    package let versionCount: Int
    package let objectCount: Int
    /// Of the objects.
    package let byteCount: Int

    init(
        name: String, app: String, root: Digest, time: Date, database: Digest, versionCount: Int, objects: [Object]
    ) {
        self.name = name
        self.app = app
        self.root = root
        self.time = time
        self.database = database
        self.versionCount = versionCount
        objectCount = objects.count
        byteCount = objects.reduce(0) { $0 + $1.size }
    }

    /// - Parameter folder: of a backup.
    /// - Returns: nil for a folder without a record.
    /// - Throws: ``RegistryError`` of the kind `.unusable` for a record that is damaged or of a newer packtool.
    init?(in folder: URL) throws {
        let file = folder.appending(path: Self.file, directoryHint: .notDirectory).path(percentEncoded: false)
        guard let data = FileManager.default.contents(atPath: file) else { return nil }
        do {
            let json = try JSONValue(parsing: data).object("the record")
            guard try json.integer("format") == 1 else {
                throw RegistryError(.unusable, "\(file) was written by a newer packtool: update packtool")
            }
            name = folder.lastPathComponent
            app = try json.string("app")
            root = try Digest(hex: json.string("root"))
            time = Date(timeIntervalSince1970: Double(try json.integer("time")))
            database = try Digest(hex: json.string("database"))
            versionCount = try json.integer("versions")
            objectCount = try json.integer("objects")
            byteCount = try json.integer("bytes")
        } catch let error as RegistryError {
            throw error
        } catch {
            throw RegistryError(
                .unusable, "\(file) is damaged: \(error). Move its folder away to go by the other backups")
        }
    }

    var bytes: [UInt8] {
        let json: JSONObject = [
            "format": 1, "app": .string(app), "root": .string(root.hex),
            "time": .integer(Int(time.timeIntervalSince1970)),
            "database": .string(database.hex), "versions": .integer(versionCount), "objects": .integer(objectCount),
            "bytes": .integer(byteCount),
        ]
        return Array(JSONValue.object(json).prettyText.utf8)
    }

    /// The name of a backup of a time.
    static func name(of time: Date) -> String {
        StoredTime.text(time).prefix(19).replacing(" ", with: "T").replacing(":", with: "-") + "Z"
    }
}
