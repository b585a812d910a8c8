import Foundation
import PackFormat
import PackWeb

/// Adds a script element to a page, before any script of the page, because browsers have no user scripts.
enum PageScript {
    /// The answer with the element in it; anything but a whole page stays as it is.
    static func insert(_ element: String, in response: SiteResponse, atEnd: Bool = false) throws -> SiteResponse {
        guard response.status == 200, response.headers["content-type"]?.hasPrefix("text/html") == true else {
            return response
        }
        if case .none = response.body { return response }
        var bytes = Array(try response.contents())
        bytes.insert(contentsOf: Array(element.utf8), at: atEnd ? bytes.count : start(of: bytes))
        var headers = response.headers
        headers["content-length"] = "\(bytes.count)"
        // The page with the element is nobody's file.
        headers["etag"] = EntityTag(Digest(of: bytes)).description
        headers["accept-ranges"] = "none"
        return SiteResponse(status: 200, headers: headers, body: .bytes(bytes))
    }

    /// Behind the document type, comments, `<html>` and `<head>`: an element before the document type would change how
    /// the page is laid out.
    static func start(of page: [UInt8]) -> Int {
        var at = page.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while true {
            var next = at
            while next < page.count, [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(page[next]) { next += 1 }
            guard let end = end(ofTagAt: next, in: page) else { return at }
            at = end
        }
    }

    /// The end of a comment, of the document type, or of the start tag of `html` or `head`; nil if something else is.
    private static func end(ofTagAt at: Int, in page: [UInt8]) -> Int? {
        let rest = page[min(at, page.count)...]
        if rest.starts(with: Array("<!--".utf8)) {
            var end = at + 4
            while end + 2 < page.count {
                if page[end] == 0x2D, page[end + 1] == 0x2D, page[end + 2] == 0x3E { return end + 3 }
                end += 1
            }
            return nil
        }
        let head = String(decoding: rest.prefix(10), as: UTF8.self).lowercased()
        let names = ["<!doctype", "<html", "<head"]
        guard let name = names.first(where: { head.hasPrefix($0) }) else { return nil }
        var end = at + name.utf8.count
        // "<header" is no head.
        guard end < page.count, [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0x2F, 0x3E].contains(page[end]) else { return nil }
        var quote: UInt8?
        while end < page.count {
            let byte = page[end]
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if quote == nil, byte == 0x3E {
                return end + 1
            }
            end += 1
        }
        return nil
    }
}
