import CArchive
import PackFormat

/// Reads a zip with libarchive from an open file: entries in file order, content in blocks.
struct LibarchiveReader: ~Copyable {
    private let handle: OpaquePointer
    // The callbacks hold a bare pointer to it.
    private let source: Source

    /// Positioned reads for libarchive's callbacks, so that two readers can share one file.
    private final class Source {
        let file: OpenFile
        let size: Int
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        var offset = 0

        init(file: OpenFile) throws {
            self.file = file
            size = file.size
        }

        deinit {
            buffer.deallocate()
        }

        static func from(_ pointer: UnsafeMutableRawPointer?) -> Source? {
            pointer.map { Unmanaged<Source>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    init(_ file: OpenFile) throws {
        let source = try Source(file: file)
        guard let handle = archive_read_new() else { throw SystemFault("no memory") }
        archive_read_support_format_zip_seekable(handle)
        archive_read_set_options(handle, "!mac-ext")
        archive_read_set_callback_data(handle, Unmanaged.passUnretained(source).toOpaque())
        archive_read_set_read_callback(handle) { _, context, block in
            guard let source = Source.from(context),
                let count = try? source.file.read(into: source.buffer, at: source.offset)
            else { return -1 }
            block?.pointee = UnsafeRawPointer(source.buffer.baseAddress)
            source.offset += count
            return count
        }
        archive_read_set_skip_callback(handle) { _, context, request in
            guard let source = Source.from(context) else { return 0 }
            let step = min(Int(request), source.size - source.offset)
            source.offset += step
            return Int64(step)
        }
        archive_read_set_seek_callback(handle) { _, context, offset, whence in
            guard let source = Source.from(context) else { return Int64(ARCHIVE_FATAL) }
            let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source.offset : source.size
            let (target, overflow) = base.addingReportingOverflow(Int(offset))
            guard !overflow, (0...source.size).contains(target) else { return Int64(ARCHIVE_FATAL) }
            source.offset = target
            return Int64(target)
        }
        guard archive_read_open1(handle) == ARCHIVE_OK else {
            let reason = Self.message(of: handle)
            archive_read_free(handle)
            throw ZipFaultSignal(.damagedContent(reason))
        }
        self.handle = handle
        self.source = source
    }

    deinit {
        archive_read_free(handle)
    }

    /// Goes to the next entry, which must be the one that the judge saw.
    mutating func next(_ expected: ZipStructure.Entry) throws {
        var entry: OpaquePointer?
        let status = archive_read_next_header(handle, &entry)
        // A warning here is a name that the process's locale cannot show; the judge has read it as UTF-8.
        guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else {
            throw ZipFaultSignal(.readersDisagree(message))
        }
        let kind = archive_entry_filetype(entry)
        guard kind == (expected.isFolder ? 0o040000 : 0o100000), archive_entry_symlink(entry) == nil,
            archive_entry_hardlink(entry) == nil
        else { throw ZipFaultSignal(.readersDisagree("another kind of entry")) }
        let name = expected.path.text + (expected.isFolder ? "/" : "")
        if name.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let found = archive_entry_pathname(entry), String(cString: found).utf8.elementsEqual(name.utf8) else {
                throw ZipFaultSignal(.readersDisagree("another name"))
            }
        }
    }

    /// Gives the content of the current entry, block by block, and stops at its size.
    mutating func read(_ entry: ZipStructure.Entry, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var total = 0
        while true {
            var block: UnsafeRawPointer?
            var count = 0
            var offset: Int64 = 0
            let status = archive_read_data_block(handle, &block, &count, &offset)
            if status == ARCHIVE_EOF { break }
            // Also a warning: a wrong CRC-32 or size is only a warning to libarchive.
            guard status == ARCHIVE_OK else { throw ZipFaultSignal(.damagedContent(message)) }
            guard offset == total else { throw ZipFaultSignal(.damagedContent("it has holes")) }
            total += count
            guard total <= entry.size else {
                throw ZipFaultSignal(.damagedContent("there is more of it than the headers say"))
            }
            if count > 0 { try body(UnsafeRawBufferPointer(start: block, count: count)) }
        }
        guard total == entry.size else {
            throw ZipFaultSignal(.damagedContent("there is less of it than the headers say"))
        }
    }

    /// There is no entry that the judge did not see.
    mutating func finish() throws {
        var entry: OpaquePointer?
        guard archive_read_next_header(handle, &entry) == ARCHIVE_EOF else {
            throw ZipFaultSignal(.readersDisagree("more entries"))
        }
    }

    private var message: String { Self.message(of: handle) }

    private static func message(of handle: OpaquePointer) -> String {
        archive_error_string(handle).map { String(cString: $0) } ?? "libarchive gives no reason"
    }
}
