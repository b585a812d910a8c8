import Logging

/// Writes one line for each request that does not reach the responder, in the responder's form.
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
