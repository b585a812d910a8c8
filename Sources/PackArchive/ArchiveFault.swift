/// The faults of an archive. Each case is one rule of docs/FORMAT.md, "The package zip".
package enum ArchiveFault: Hashable, Sendable, CustomStringConvertible {
    // The file as a whole.
    case unreadable(String)
    case notAZip
    case truncated(String)
    case severalEndRecords
    case severalDisks
    case dataBefore
    case dataAfter
    case longComment(Int, limit: Int)
    case misplacedDirectory
    case damagedDirectory(String)
    case wrongEntryCount
    case zip64NotNeeded
    case contradictoryZip64(String)

    // One entry's headers.
    case damagedLocalHeader
    case contradictoryHeaders(String)
    case contradictoryComment
    case gap
    case overlap
    case encrypted
    case unsupportedMethod(Int)
    case unsupportedFlags(Int)
    case damagedExtraField
    case forbiddenExtraField(Int)
    case contradictoryDescriptor
    case symbolicLink
    case specialFile(String)
    case folderWithContent

    // Names.
    case nameNotUTF8
    case nameNotMarkedUTF8
    case unsafeName(String)
    case duplicateName
    case collidingNames(String)

    // Limits.
    case tooManyFiles(limit: Int)
    case archiveTooLarge(limit: Int)
    case fileTooLarge(limit: Int)
    case totalTooLarge(limit: Int)
    case ratio(limit: Int)

    // Content.
    case damagedContent(String)
    case readersDisagree(String)

    // A package's manifest.
    case manifestMissing
    case manifestInvalid(String)
    case manifestNotCanonical
    case fileNotListed
    case fileNotOwn(bundle: String)
    case fileMissing
    case wrongSize(expected: Int, found: Int)
    case wrongDigest(expected: String, found: String)

    // Writing.
    case unwritable(String)
    case sourceUnreadable(String)
    case sourceChanged
    /// The compressed bytes, mostly from a cache, differ from what was written; see
    /// ``ContentCompressor/run(level:cache:folders:_:)``.
    case damagedCache
    case entryTooLarge

    package var description: String {
        switch self {
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .notAZip: "is not a zip archive: it has no end record"
        case .truncated(let what): "is cut off: \(what) reaches past the end of the file"
        case .severalEndRecords: "has more than one end record, so readers see different contents"
        case .severalDisks: "is a part of a split archive; join the parts first"
        case .dataBefore: "has data before the first entry"
        case .dataAfter: "has data after the end record"
        case .longComment(let size, let limit):
            "has an archive comment of \(size) bytes, which not every reader gets past: shorten it to \(limit) or remove it"
        case .misplacedDirectory: "has a central directory that does not end where the end record starts"
        case .damagedDirectory(let reason): "has a damaged central directory: \(reason)"
        case .wrongEntryCount: "has another number of entries than its end record says"
        case .zip64NotNeeded: "has zip64 records that its sizes do not need"
        case .contradictoryZip64(let what): "says one \(what) in its zip64 record and another outside it"
        case .damagedLocalHeader: "the entry has no local header where the central directory says"
        case .contradictoryHeaders(let field):
            "the \(field) in the local header is not that of the central directory"
        case .contradictoryComment: "the entry's comment is not the one of its Unicode comment field"
        case .gap: "there are bytes before this entry that belong to no entry"
        case .overlap: "the entry's bytes overlap another entry or the central directory"
        case .encrypted: "the entry is encrypted"
        case .unsupportedMethod(let method):
            "the compression method \(method) is not allowed, only store and deflate are"
        case .unsupportedFlags(let flags): "the header flags 0x\(String(flags, radix: 16)) are not allowed"
        case .damagedExtraField: "an extra field has a wrong length or content"
        case .forbiddenExtraField(let id): "the extra field 0x\(String(id, radix: 16)) is not allowed"
        case .contradictoryDescriptor: "the data descriptor is not what the central directory says"
        case .symbolicLink: "the entry is a symbolic link"
        case .specialFile(let kind): "the entry is \(kind), only files and folders are allowed"
        case .folderWithContent: "the entry is a folder and has content"
        case .nameNotUTF8: "the name is not UTF-8"
        case .nameNotMarkedUTF8: "the name is not ASCII and is not marked as UTF-8, so readers see different names"
        case .unsafeName(let reason): "the name is not allowed: \(reason)"
        case .duplicateName: "two entries have this name"
        case .collidingNames(let pair): pair
        case .tooManyFiles(let limit): "has more than \(limit) entries"
        case .archiveTooLarge(let limit): "is larger than \(limit) bytes"
        case .fileTooLarge(let limit): "the file is larger than \(limit) bytes"
        case .totalTooLarge(let limit): "the files are larger than \(limit) bytes in all"
        case .ratio(let limit): "the content is more than \(limit) times its compressed size (a zip bomb)"
        case .damagedContent(let reason): "the content is damaged: \(reason)"
        case .readersDisagree(let reason): "two readers see different entries: \(reason)"
        case .manifestMissing: "has no pack.json, so it is a zip but not a package"
        case .manifestInvalid(let reason): "has an invalid pack.json: \(reason)"
        case .manifestNotCanonical: "has a pack.json that is not canonical JSON; build it with packtool"
        case .fileNotListed: "the file is not listed in pack.json"
        case .fileNotOwn(let bundle): "pack.json says that this file comes from \"\(bundle)\", but it is in the zip"
        case .fileMissing: "the file is listed in pack.json but is not in the zip"
        case .wrongSize(let expected, let found): "the file has \(found) bytes and pack.json says \(expected)"
        case .wrongDigest(let expected, let found): "the file has SHA-256 \(found) and pack.json says \(expected)"
        case .unwritable(let reason): "cannot be written: \(reason)"
        case .sourceUnreadable(let reason): "cannot be read: \(reason)"
        case .sourceChanged: "changed while it was being packed; build again when nothing writes to the folder"
        case .damagedCache:
            "cannot be read: what was compressed of it does not come back; check the disk of the cache and of TMPDIR"
        case .entryTooLarge: "is too large for a zip entry"
        }
    }
}
