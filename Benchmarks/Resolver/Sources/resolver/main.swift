// How long the device takes to answer a page's request for a file of 100 KB, beside a plain read of the same file and
// beside nginx on loopback. Arguments: the folder to work in, and nginx's port where the folder is served.
import Foundation
import Glibc
import PackFormat
import PackWeb

let fileCount = 300
let fileSize = 100_000
let rounds = 30_000
let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let port = CommandLine.arguments.count > 2 ? UInt16(CommandLine.arguments[2]) : nil

struct Content: SiteContent {
    let manifest: Manifest
    let folder: URL

    func file(for digest: Digest) throws -> URL { folder.appendingPathComponent(digest.hex) }
}

struct Catalog: SiteCatalog {
    let content: Content

    var settings: WebSettings { WebSettings(packages: [content.manifest.package: WebSettings.Package()]) }
    func content(of package: PackageID) throws -> (any SiteContent)? { content }
}

var files: [PackagePath: Manifest.File] = [:]
var names: [(url: String, path: String)] = []
for number in 0..<fileCount {
    let bytes = (0..<fileSize).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    let digest = Digest(of: bytes)
    try Data(bytes).write(to: folder.appendingPathComponent(digest.hex))
    files[try PackagePath("assets/file-\(number).bin")] = Manifest.File(digest: digest, size: fileSize)
    names.append(("https://shop.package/assets/file-\(number).bin", folder.appendingPathComponent(digest.hex).path))
}
let manifest = try Manifest(
    package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: nil, files: files)
let page = PageSession(Catalog(content: Content(manifest: manifest, folder: folder)))
let headers = ["accept": "*/*", "sec-fetch-dest": "script", "referer": "https://shop.package/"]

func measure(_ label: String, _ body: (Int) throws -> Int) rethrows {
    var times: [Double] = []
    times.reserveCapacity(rounds)
    for round in 0..<(rounds + 1_000) {
        let start = clock_gettime_nsec()
        let count = try body((round &* 7919) % fileCount)
        let elapsed = Double(clock_gettime_nsec() - start) / 1_000
        guard count >= fileSize else { fatalError("\(label): \(count) bytes") }
        if round >= 1_000 { times.append(elapsed) }
    }
    times.sort()
    func quantile(_ share: Double) -> String {
        String(format: "%8.1f", times[min(times.count - 1, Int(Double(times.count) * share))])
    }
    print(
        "\(label.padding(toLength: 34, withPad: " ", startingAt: 0)) p50 \(quantile(0.5)) µs   p99 \(quantile(0.99)) µs"
    )
}

func clock_gettime_nsec() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 18, alignment: 16)

measure("decide only") { number in
    let answer = page.answer(SiteRequest(url: names[number].url, headers: headers))
    page.finished(answer.number, byteCount: fileSize)
    guard case .local(let response) = answer.way else { return 0 }
    return response.byteCount
}
try measure("decide, open and read the file") { number in
    let answer = page.answer(SiteRequest(url: names[number].url, headers: headers))
    guard case .local(let response) = answer.way, case .file(let url, let range) = response.body else { return 0 }
    var reader = try FileReader(url, range: range)
    var count = 0
    while let chunk = try reader.next() { count += chunk.count }
    page.finished(answer.number, byteCount: count)
    return count
}
measure("open, read(2), close") { number in
    let descriptor = open(names[number].path, O_RDONLY)
    defer { close(descriptor) }
    return read(descriptor, buffer, 1 << 18)
}
if let port {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard connected == 0 else { fatalError("nginx does not answer on port \(port)") }
    measure("nginx on loopback, keep-alive") { number in
        let name = names[number].path.split(separator: "/").last ?? ""
        let request = Array("GET /\(name) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        _ = request.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        // The head is some 250 bytes; what counts is that the body has come.
        var count = 0
        var bodyStart = -1
        while bodyStart < 0 || count < bodyStart + fileSize {
            let got = read(descriptor, buffer.advanced(by: min(count, 1 << 17)), 1 << 17)
            guard got > 0 else { return 0 }
            if bodyStart < 0, let end = memmem(buffer, count + got, "\r\n\r\n", 4) { bodyStart = end - buffer + 4 }
            count += got
        }
        return count - bodyStart
    }
}
