import CPackHost
import PackWeb

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The answer to one request, in memory that C reads until it frees the handle. Until then its page's versions stay on the device.
final class HeldAnswer: Sendable {
    nonisolated(unsafe) let response: packhost_response
    /// What the pointers of ``response`` lead to.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer
    private let body: SiteResponse.Body
    private let page: PageSession
    /// The request's number among the page's; nil if it goes online.
    private let number: Int?

    /// - Parameter response: The device's; nil if the request goes to `online`.
    init(_ response: SiteResponse?, online: String?, _ answer: SiteAnswer, of page: PageSession) {
        let headers = (response?.headers ?? [:]).sorted { $0.key < $1.key }
        body = response?.body ?? .none
        let file: (path: String, range: Range<Int>)? =
            if case .file(let url, let range) = body { (url.path, range) } else { nil }
        let bytes: [UInt8] = if case .bytes(let bytes) = body { bytes } else { [] }
        var writer = CMemoryWriter(
            headerCount: headers.count,
            texts: [online ?? "", answer.reason.rawValue, file?.path ?? ""] + headers.flatMap { [$0.key, $0.value] },
            bytes: bytes)
        memory = writer.memory
        var result = packhost_response()
        if let online { result.online = writer.add(online) }
        result.reason = writer.add(answer.reason.rawValue)
        result.status = Int32(clamping: response?.status ?? 0)
        result.header_count = headers.count
        result.headers = writer.addHeaders(headers)
        result.length = UInt64(response?.byteCount ?? 0)
        switch body {
        case .none: result.body = Int32(PACKHOST_BODY_NONE.rawValue)
        case .bytes:
            result.body = Int32(PACKHOST_BODY_MEMORY.rawValue)
            result.bytes = writer.add(bytes)
        case .file(let url, let range):
            result.body = Int32(PACKHOST_BODY_FILE.rawValue)
            result.file = writer.add(url.path)
            result.offset = UInt64(range.lowerBound)
        }
        self.response = result
        self.page = page
        number = response == nil ? nil : answer.number
    }

    deinit {
        if let number { page.finished(number, byteCount: Int(clamping: response.length)) }
        memory.deallocate()
    }

    /// Reads from a position of the body, and returns how many bytes were read: 0 at its end.
    /// - Throws: `WebError` if the file is unreadable or shorter than it should be.
    func read(from position: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let length = Int(clamping: response.length)
        guard let position = Int(exactly: position), position < length else { return 0 }
        let end = position + min(buffer.count, length - position)
        switch body {
        case .none: return 0
        case .bytes(let bytes):
            bytes[position..<end].withUnsafeBytes { buffer.copyMemory(from: $0) }
            return end - position
        case .file(let url, let range):
            var reader = try FileReader(url, range: range.lowerBound + position..<range.lowerBound + end)
            var count = 0
            // If the file is too short, the second turn says so.
            while count < end - position {
                count += try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            }
            return count
        }
    }
}
