// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CPackHost
import PackJSON
import PackWeb

// The functions of packhost.h for views and their requests. The header says what they do; the compiler compares them with it.

@c @implementation
public func packhost_view_new(
    _ host: packhost_host, _ view: UnsafeMutablePointer<packhost_view>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let view = try place(view, "view")
        let open = try HandleTable.host(host)
        try open.requireOpen()
        view.pointee = HandleTable.add(.view(OpenView(open)))
    }
}

@c @implementation
public func packhost_resolve(
    _ view: packhost_view, _ request: UnsafePointer<packhost_request>!, _ milliseconds: Int64,
    _ canceller: packhost_canceller, _ answer: UnsafeMutablePointer<packhost_answer>!,
    _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let answer = try place(answer, "answer")
        let open = try HandleTable.view(view)
        guard let request = request?.pointee else { throw CallFault.wrongArgument("request is NULL") }
        let held = try open.resolve(
            siteRequest(request), OpenView.Kind(request.kind), CallLimits(milliseconds, canceller))
        answer.pointee = HandleTable.add(.answer(held))
    }
}

@c @implementation
public func packhost_answer_get(
    _ answer: packhost_answer, _ response: UnsafeMutablePointer<packhost_response>!
) -> Int32 {
    call(nil) {
        guard let response else { throw CallFault.wrongArgument("response is NULL") }
        response.pointee = try HandleTable.answer(answer).response
    }
}

@c @implementation
public func packhost_answer_read(
    _ answer: packhost_answer, _ position: UInt64, _ buffer: UnsafeMutableRawPointer!, _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        guard let count else { throw CallFault.wrongArgument("count is NULL") }
        count.pointee = 0
        let held = try HandleTable.answer(answer)
        guard capacity > 0 else { return }
        guard let buffer else { throw CallFault.wrongArgument("buffer is NULL") }
        count.pointee = try held.read(
            from: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
    }
}

@c @implementation
public func packhost_view_confirm(_ view: packhost_view, _ message: UnsafeMutablePointer<CChar>!) -> Int32 {
    call(message) { try HandleTable.view(view).confirm() }
}

@c @implementation
public func packhost_view_load(
    _ view: packhost_view, _ load: UnsafeMutablePointer<packhost_text>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let load = try place(load, "load")
        load.pointee = HandleTable.add(.text(HeldText(try HandleTable.view(view).load().compactText)))
    }
}

private func siteRequest(_ request: packhost_request) throws -> SiteRequest {
    var headers: [String: String] = [:]
    if request.header_count > 0 {
        guard let list = request.headers else { throw CallFault.wrongArgument("headers is NULL") }
        for header in UnsafeBufferPointer(start: list, count: request.header_count) {
            let name = try CText.required(header.name, "a header's name").lowercased()
            let value = try CText.required(header.value, "the header \(name)")
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
    }
    return SiteRequest(
        method: try CText.optional(request.method, "method") ?? "GET", url: try CText.required(request.url, "url"),
        headers: headers)
}
