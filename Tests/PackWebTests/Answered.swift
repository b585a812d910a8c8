import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import Testing

/// An answer as a test compares it.
struct Answered {
    let status: Int
    let headers: [String: String]
    let body: String
    let online: String?
    let reason: SiteAnswer.Reason

    init(_ answer: SiteAnswer) throws {
        reason = answer.reason
        switch answer.way {
        case .arriving:
            (status, headers, body, online) = (0, [:], "", nil)
        case .online(let url):
            (status, headers, body, online) = (0, [:], "", url)
        case .local(let response):
            status = response.status
            headers = response.headers
            online = nil
            switch response.body {
            case .none: body = ""
            case .bytes(let bytes): body = String(decoding: bytes, as: UTF8.self)
            case .file(let url, let range):
                var reader = try FileReader(url, range: range)
                var data = Data()
                while let chunk = try reader.next() { data += chunk }
                body = String(decoding: data, as: UTF8.self)
            }
        }
    }
}

extension PageSession {
    func get(_ url: String, method: String = "GET", _ headers: [String: String] = [:]) throws -> Answered {
        try Answered(answer(SiteRequest(method: method, url: url, headers: headers)))
    }
}
