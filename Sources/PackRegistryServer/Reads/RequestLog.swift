import Logging

/// One line a request for those that never reach the responder, as it writes them.
struct RequestLog: Sendable {
    private let logger: Logger?

    init(_ logger: Logger) {
        self.logger = logger.logLevel <= .info ? logger : nil
    }

    /// - Parameter path: of plain characters only, relative to the view.
    func add(method: String, path: String, status: Int, byteCount: Int) {
        logger?.info(
            "request",
            metadata: [
                "method": "\(method)", "path": "/\(path)", "status": "\(status)", "bytes": "\(byteCount)",
            ])
    }
}
