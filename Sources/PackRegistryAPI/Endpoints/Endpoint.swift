package import PackJSON

/// An operation whose body and answer are JSON documents. Each document is encoded and decoded in one place.
///
/// From one declaration the client makes its request and reads the answer, the server reads the request and writes the
/// answer, and the reference page gets its row.
package struct Endpoint<Body: Sendable, Answer: Sendable>: Sendable {
    package let route: Route
    /// Nil if the request has no body.
    package let encodeBody: (@Sendable (Body) -> JSONObject)?
    package let decodeBody: @Sendable (JSONObject) throws -> Body
    /// Nil if the answer has no body (204).
    package let encodeAnswer: (@Sendable (Answer) -> JSONObject)?
    package let decodeAnswer: @Sendable (JSONObject) throws -> Answer
    /// The status of an answer that has a body.
    package let status: @Sendable (Answer) -> Int
}

extension Endpoint {
    package init(
        _ route: Route, encodeBody: @escaping @Sendable (Body) -> JSONObject,
        decodeBody: @escaping @Sendable (JSONObject) throws -> Body,
        encodeAnswer: @escaping @Sendable (Answer) -> JSONObject,
        decodeAnswer: @escaping @Sendable (JSONObject) throws -> Answer,
        status: @escaping @Sendable (Answer) -> Int = { _ in 200 }
    ) {
        self.route = route
        self.encodeBody = encodeBody
        self.decodeBody = decodeBody
        self.encodeAnswer = encodeAnswer
        self.decodeAnswer = decodeAnswer
        self.status = status
    }
}

extension Endpoint where Body == Void {
    /// An endpoint whose request has no body.
    package init(
        _ route: Route, encodeAnswer: @escaping @Sendable (Answer) -> JSONObject,
        decodeAnswer: @escaping @Sendable (JSONObject) throws -> Answer
    ) {
        self.route = route
        encodeBody = nil
        decodeBody = { _ in }
        self.encodeAnswer = encodeAnswer
        self.decodeAnswer = decodeAnswer
        status = { _ in 200 }
    }
}

extension Endpoint where Answer == Void {
    /// An endpoint whose answer has no body.
    package init(
        _ route: Route, encodeBody: @escaping @Sendable (Body) -> JSONObject,
        decodeBody: @escaping @Sendable (JSONObject) throws -> Body
    ) {
        self.route = route
        self.encodeBody = encodeBody
        self.decodeBody = decodeBody
        encodeAnswer = nil
        decodeAnswer = { _ in }
        status = { _ in 204 }
    }
}

extension Endpoint where Body == Void, Answer == Void {
    /// An endpoint without bodies.
    package init(_ route: Route) {
        self.route = route
        encodeBody = nil
        decodeBody = { _ in }
        encodeAnswer = nil
        decodeAnswer = { _ in }
        status = { _ in 204 }
    }
}
