import HTTPTypes

/// The field that names a request, in its answer and in the server's log.
enum RequestIDField {
    static let name: HTTPField.Name = {
        guard let name = HTTPField.Name("X-Request-Id") else { return .via }
        return name
    }()
}
