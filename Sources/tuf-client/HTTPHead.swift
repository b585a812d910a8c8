/// The status line and the two header fields that say how long the body is.
struct HTTPHead {
    let status: Int
    var length: Int?
    var isChunked = false

    init(lines: [String]) throws {
        let parts = lines.first?.split(separator: " ") ?? []
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
            throw HTTPConnection.Fault.broken("it has no HTTP status line")
        }
        self.status = status
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].filter { $0 != " " && $0 != "\t" }
            switch line[..<colon].lowercased() {
            case "content-length":
                guard let number = Int(value), number >= 0 else {
                    throw HTTPConnection.Fault.broken("its length is not a number")
                }
                length = number
            case "transfer-encoding":
                guard value.lowercased() == "chunked" else {
                    throw HTTPConnection.Fault.broken("its transfer encoding is not known")
                }
                isChunked = true
            default: break
            }
        }
    }
}
