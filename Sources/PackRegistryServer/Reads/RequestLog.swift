import Logging

/// Counts the requests that do not reach the responder, and writes one line for each in the responder's form.
struct RequestLog: Sendable {
    private let logger: Logger?
    private let metrics: ServerMetrics

    init(_ logger: Logger, _ metrics: ServerMetrics = ServerMetrics()) {
        self.metrics = metrics
        self.logger = logger.logLevel <= .info ? logger : nil
    }

    /// - Parameter path: of plain characters only, relative to the view.
    func add(method: String, path: String, status: Int, byteCount: Int) {
        metrics.count(ServerMetrics.Kind(path: path), status: status, byteCount: byteCount)
        logger?.info(
            "request",
            metadata: [
                "method": "\(method)", "path": "/\(path)", "status": "\(status)", "bytes": "\(byteCount)",
            ])
    }
}
