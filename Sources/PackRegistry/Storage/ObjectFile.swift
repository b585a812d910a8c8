import Foundation
import PackArchive

/// One object on its way out of an archive into a new file.
final class ObjectFile: ContentSink {
    private let file: URL
    private var handle: FileHandle?

    init(_ file: URL) throws {
        self.file = file
        let descriptor = try SystemCall.open(file, O_WRONLY | O_CREAT | O_EXCL)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let handle else { return }
        try SystemCall.writeAll(bytes, to: handle.fileDescriptor, file)
    }

    func finish() throws {
        try handle?.close()
        handle = nil
    }
}
