package import Foundation

/// A real HTTP server in a process of its own (Tests/WebScripts/echo_server.py), which says what it got.
package final class EchoServer: Sendable {
    /// What it got.
    package struct Said: Decodable {
        package let method: String
        package let path: String
        package let headers: [String: String]
        /// In hexadecimal.
        package let body: String
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// `http://127.0.0.1:PORT`, or with `https`.
    package let address: String
    /// `127.0.0.1:PORT`.
    package let place: String
    private let process = Process()
    private let input: FileHandle

    /// - Parameters:
    ///   - folder: where the certificate of an https server is made, `echo.pem`; nil for http.
    ///   - isSigned: whether an authority signs that, `authority.pem` beside it; else it signs itself.
    ///   - view: a folder whose files are given.
    package init(tlsIn folder: URL? = nil, isSigned: Bool = false, serving view: URL? = nil) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        var arguments = ["python3", tests.appendingPathComponent("WebScripts/echo_server.py").path]
        if let view { arguments.append(view.path) }
        if let folder {
            func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
            var signer: [String] = []
            if isSigned {
                try Self.certify(
                    "authority", in: folder, ["-subj", "/CN=authority", "-addext", "keyUsage=critical,keyCertSign"])
                signer = ["-CA", path("authority.pem"), "-CAkey", path("authority.key")]
                signer += ["-addext", "basicConstraints=critical,CA:FALSE"]
            }
            try Self.certify(
                "echo", in: folder, ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"] + signer)
            arguments += [path("echo.pem"), path("echo.key")]
        }
        let (output, input) = (Pipe(), Pipe())
        self.input = input.fileHandleForWriting
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else { break }
            line += byte
        }
        guard let port = Int(String(decoding: line.dropLast(), as: UTF8.self)) else {
            throw Failure(description: "echo_server.py did not start")
        }
        place = "127.0.0.1:\(port)"
        address = "\(folder == nil ? "http" : "https")://\(place)"
    }

    private static func certify(_ name: String, in folder: URL, _ arguments: [String]) throws {
        let make = Process()
        make.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        make.currentDirectoryURL = folder
        make.arguments =
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-out",
                "\(name).pem", "-keyout", "\(name).key",
            ] + arguments
        make.standardError = FileHandle.nullDevice
        try make.run()
        make.waitUntilExit()
        guard make.terminationStatus == 0 else { throw Failure(description: "openssl made no \(name).pem") }
    }

    /// Nobody listens there any more.
    package func stop() {
        try? input.close()
        process.waitUntilExit()
    }

    deinit { stop() }
}
