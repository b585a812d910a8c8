import Foundation
import NIOCore

/// The `Date` field of an answer and the empty line behind it, made once a second (RFC 9110 section 5.6.7).
struct HTTPDate {
    private var second = -1
    private var text = ByteBuffer()

    mutating func writeField(to head: inout ByteBuffer) {
        var now = time_t()
        time(&now)
        if now != second {
            second = now
            text = ByteBuffer(string: "Date: \(Self.text(now))\r\n\r\n")
        }
        var copy = text
        head.writeBuffer(&copy)
    }

    static func text(_ time: time_t) -> String {
        var time = time
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday) % 7]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon) % 12]) "
            + "\(Int(parts.tm_year) + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
