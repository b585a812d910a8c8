import Foundation
import PackWeb
import PackWebOnline
import Testing

struct MultipartFormTests {
    @Test func `a form is written with the boundary that the request names`() {
        let parts = [
            CapturedBody.Part(name: "a", size: 1),
            CapturedBody.Part(name: "q\"\r\n", size: 0, filename: "ü \"x\".bin", type: "image/png"),
        ]
        let body = RestoredBody(
            CapturedBody(kind: .form(parts), size: 1), data: Data("1".utf8),
            contentType: "multipart/form-data; boundary=\"B\"")
        #expect(body.contentType == "multipart/form-data; boundary=B")
        let lines = [
            "--B", "Content-Disposition: form-data; name=\"a\"", "", "1", "--B",
            "Content-Disposition: form-data; name=\"q%22%0D%0A\"; filename=\"ü %22x%22.bin\"",
            "Content-Type: image/png", "", "", "--B--", "",
        ]
        #expect(String(decoding: body.data, as: UTF8.self) == lines.joined(separator: "\r\n"))
    }

    @Test func `a boundary of ours is as long as the page counts on, and each one is another`() {
        let boundaries = (0..<1000).map { _ in MultipartForm.newBoundary() }
        #expect(boundaries.allSatisfy { $0.utf8.count == MultipartForm.boundaryLength })
        #expect(Set(boundaries).count == boundaries.count)
    }

    @Test func `a boundary is read from its header only`() {
        #expect(MultipartForm.boundary(of: "Multipart/Form-Data; charset=x; Boundary=abc") == "abc")
        #expect(MultipartForm.boundary(of: "multipart/mixed; boundary=abc") == nil)
        #expect(MultipartForm.boundary(of: "multipart/form-data") == nil)
        #expect(MultipartForm.boundary(of: "multipart/form-data; boundary=") == nil)
    }

    @Test func `Python reads the form as it was meant`() throws {
        let contents = [Data([0, 13, 10, 45, 45, 255]), Data("ü\r\n".utf8), Data()]
        let parts = [
            CapturedBody.Part(name: "file", size: 6, filename: "a.bin", type: "a/b"),
            CapturedBody.Part(name: "text", size: 4), CapturedBody.Part(name: "text", size: 0),
        ]
        let body = RestoredBody(
            CapturedBody(kind: .form(parts), size: 10), data: contents.reduce(Data(), +), contentType: nil)
        let script = """
            import email, sys
            data = sys.stdin.buffer.read()
            head = ("Content-Type: " + sys.argv[1] + "\\n\\n").encode()
            for part in email.message_from_bytes(head + data).get_payload():
                name = part.get_param("name", header="content-disposition")
                print(name, part.get_filename(), part.get_payload(decode=True).hex())
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let type = try #require(body.contentType)
        process.arguments = ["python3", "-c", script, type]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: body.data)
        try input.fileHandleForWriting.close()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(said == "file a.bin 000d0a2d2dff\ntext None c3bc0d0a\ntext None \n")
    }
}
