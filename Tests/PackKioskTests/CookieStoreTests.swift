import CWebKitGTK
import Foundation
import Testing

@testable import PackWebKitGTK

/// In a process of its own: WebKitGTK is made for a program's main thread.
struct CookieStoreTests {
    @Test
    func `a view's cookies can be asked after the view is gone`() async {
        await #expect(processExitsWith: .success) {
            let display = Process()
            let output = Pipe()
            display.executableURL = URL(fileURLWithPath: "/usr/bin/Xvfb")
            // Ends with its only client: started from a thread of Swift's, it has the signal to end blocked.
            display.arguments = ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-terminate"]
            display.standardOutput = output
            display.standardError = FileHandle.nullDevice
            try display.run()
            defer { display.terminate() }
            var number = Data()
            while number.last != UInt8(ascii: "\n") {
                let byte = try #require(try output.fileHandleForReading.read(upToCount: 1))
                try #require(!byte.isEmpty, "Xvfb did not start")
                number += byte
            }
            setenv("DISPLAY", ":" + String(decoding: number.dropLast(), as: UTF8.self), 1)
            setenv("GDK_BACKEND", "x11", 1)
            try await MainActor.run {
                try #require(gtk_init_check(nil, nil) != 0)
                let context = try #require(pack_web_context_new(nil, nil))
                let remaining = UnsafeMutablePointer<gpointer?>.allocate(capacity: 1)
                remaining.initialize(to: gpointer(context))
                g_object_add_weak_pointer(pack_object(context), remaining)
                let store = WebKitCookieStore(context)
                // What a view does with it as it closes.
                g_object_unref(context)
                #expect(remaining.pointee != nil)
                withExtendedLifetime(store) {}
            }
        }
    }
}
