public import Foundation

/// Writes `multipart/form-data` as browsers do (HTML section 4.10.22.7, RFC 7578).
public struct MultipartForm: Hashable, Sendable {
    /// The number of characters of the boundaries that we make. The page relies on it, because it reports a form's
    /// size before the form is sent.
    public static let boundaryLength = 38

    public let boundary: String

    public init(boundary: String) {
        self.boundary = boundary
    }

    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// A new boundary that occurs in no content: 96 random bits.
    public static func newBoundary() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789AB".utf8)
        let random = (0..<16).map { _ in letters[Int.random(in: 0..<letters.count)] }
        return "----PacktoolBoundary--" + String(decoding: random, as: UTF8.self)
    }

    /// The boundary of a header; nil if the header has another type or no boundary.
    public static func boundary(of contentType: String) -> String? {
        let parameters = contentType.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard parameters.first?.lowercased() == "multipart/form-data" else { return nil }
        for parameter in parameters.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, pair[0].lowercased() == "boundary" else { continue }
            let value = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// - Parameter data: The parts' contents, one after the other, exactly as many bytes as the parts say.
    public func encoded(_ parts: [CapturedBody.Part], data: Data) -> Data {
        var result = Data(capacity: data.count + parts.count * 160 + 64)
        var at = data.startIndex
        for part in parts {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaped(part.name))\""
            if let filename = part.filename {
                head += "; filename=\"\(Self.escaped(filename))\"\r\nContent-Type: "
                head += part.type ?? "application/octet-stream"
            }
            let end = data.index(at, offsetBy: part.size, limitedBy: data.endIndex) ?? data.endIndex
            result += Data((head + "\r\n\r\n").utf8)
            result += data[at..<end]
            result += Data("\r\n".utf8)
            at = end
        }
        return result + Data("--\(boundary)--\r\n".utf8)
    }

    /// By bytes: a carriage return and the line feed after it are one character of a Swift string.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x0A: bytes += Array("%0A".utf8)
            case 0x0D: bytes += Array("%0D".utf8)
            case 0x22: bytes += Array("%22".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
