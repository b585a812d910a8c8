import Foundation
import Glibc
import PackFormat
import PackWeb

/// `resolver FOLDER [PORT]`: how long the device takes to answer a page's request for a file of 100 KB, warm, beside a
/// plain read of the same file and beside nginx, which serves the folder on 127.0.0.1:PORT. One line a way: name, median and 99th
/// percentile in microseconds.
@main
struct Resolver {
    static let fileCount = 300
    static let fileSize = 100_000
    static let rounds = 20_000
    /// One of each way after the other, so that what else the machine does meets all of them.
    static let blocks = 20

    static func main() throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        let site = try MeasuredSite(folder, fileCount: fileCount, fileSize: fileSize)
        let page = PageSession(site)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        var ways: [(name: String, run: (Int) throws -> Int)] = [
            ("decided, not read", { decide(site.urls[$0], page) }),
            ("decided, opened, read", { try read(site.urls[$0], page) }),
            ("`open`, `read(2)`, `close`", { readPlainly(site.paths[$0], buffer) }),
        ]
        if CommandLine.arguments.count > 2, let port = UInt16(CommandLine.arguments[2]) {
            let server = try KeptConnection(port: port)
            ways.append(("nginx on loopback, one kept connection", { try server.get("/" + site.names[$0], buffer) }))
        }
        var times = ways.map { _ in [Double]() }
        for block in 0...blocks {
            for (index, way) in ways.enumerated() {
                for round in 0..<(rounds / blocks) {
                    let number = (round &* 7919 &+ block) % fileCount
                    let start = ContinuousClock.now
                    let count = try way.run(number)
                    let elapsed = (ContinuousClock.now - start) / .microseconds(1)
                    guard count == fileSize else { throw Fault("\(way.name): \(count) bytes") }
                    // The first block warms the caches.
                    if block > 0 { times[index].append(elapsed) }
                }
            }
        }
        for (way, times) in zip(ways, times.map { $0.sorted() }) {
            print(way.name, quantile(0.5, times), quantile(0.99, times), separator: "\t")
        }
    }

    private static func quantile(_ share: Double, _ sorted: [Double]) -> String {
        String(format: "%.1f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))])
    }

    private static let headers = [
        "accept": "*/*", "sec-fetch-dest": "script", "referer": "https://shop.package/",
        "user-agent":
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
    ]

    private static func decide(_ url: String, _ page: PageSession) -> Int {
        let answer = page.answer(SiteRequest(url: url, headers: headers))
        page.finished(answer.number, byteCount: fileSize)
        guard case .local(let response) = answer.way else { return 0 }
        return response.byteCount
    }

    private static func read(_ url: String, _ page: PageSession) throws -> Int {
        let answer = page.answer(SiteRequest(url: url, headers: headers))
        guard case .local(let response) = answer.way, case .file(let file, let range) = response.body else { return 0 }
        var reader = try FileReader(file, range: range)
        var count = 0
        while let chunk = try reader.next() { count += chunk.count }
        page.finished(answer.number, byteCount: count)
        return count
    }

    private static func readPlainly(_ path: String, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        return Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    }
}

struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
