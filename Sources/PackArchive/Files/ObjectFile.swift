package import Foundation
import PackSystem

/// One object that is being read from an archive into a new file.
package final class ObjectFile: ContentSink {
    private let file: URL
    private var handle: FileHandle?

    package init(_ file: URL) throws {
        self.file = file
        let descriptor = try SystemCall.open(file, O_WRONLY | O_CREAT | O_EXCL)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let handle else { return }
        try SystemCall.writeAll(bytes, to: handle.fileDescriptor, file)
    }

    package func finish() throws {
        try handle?.close()
        handle = nil
    }
}
