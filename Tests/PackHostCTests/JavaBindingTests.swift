import Foundation
import TestSupport
import Testing

/// Programs in Java over the binding of `bindings/java`, run by a JVM with libpackhost against a real registry.
@Suite(.serialized)
struct JavaBindingTests {
    private static let java = URL(fileURLWithPath: "/usr/bin/env")
    private static let built = Result { try Built() }
    private let built: Built

    init() throws { built = try Self.built.get() }

    /// The binding, and the programs of the tests.
    private struct Built {
        let binding: BuiltBinding
        let classes: String

        init() throws {
            let binding = try BuiltBinding("java")
            self.binding = binding
            let jars = ["packhost.jar", "packhost-android.jar"].map { binding.folder.appendingPathComponent($0).path }
            let programs = binding.folder.appendingPathComponent("programs").path
            let documented = binding.folder.appendingPathComponent("App.java")
            try Data(BuiltBinding.documented("java").utf8).write(to: documented)
            let folders = [
                CProgram.programs.appendingPathComponent("java"),
                CProgram.checkout.appendingPathComponent("Tests/AndroidStubs"),
            ]
            let portals = ["PortalsProvider", "PortalsManager"].map {
                CProgram.checkout.appendingPathComponent("Examples/android-host/\($0).java").path
            }
            let sources = folders.flatMap(JavaBindingTests.sources) + portals + [documented.path]
            _ = try ProgramRun.tool(
                [
                    "javac", "-encoding", "UTF-8", "-Xlint:all,-options,-serial", "-Werror", "--release", "8", "-cp",
                    jars.joined(separator: ":"), "-d", programs,
                ] + sources)
            classes = (jars + [programs]).joined(separator: ":")
        }
    }

    private static func sources(in folder: URL) -> [String] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "java" }.map(\.path)
    }

    /// - Parameter options: of the JVM; by default it checks each use of JNI, and says what is wrong on the program's output.
    private func run(
        _ name: String, _ arguments: [String], options: [String] = ["-Xcheck:jni", "-Xmx256m"],
        answer: ((String) throws -> Void)? = nil
    ) throws -> String {
        let library = built.binding.folder.appendingPathComponent("libpackhost_jni.so").path
        return try ProgramRun(
            program: Self.java,
            arguments: ["java"] + options
                + ["-XX:+UseSerialGC", "-Dpacktool.host.library=\(library)", "-cp", built.classes, name] + arguments
        ).output(answer: answer)
    }

    @Test func `an app in Java installs, shows, confirms, updates, goes back and starts offline`() throws {
        let served = try ServedShop()
        let said = try run("Life", served.arguments(), answer: served.answer)
        #expect(said == "publish 2.0.0 two\npublish 3.0.0 three\ndone\n")
    }

    @Test func `a folder for another shell follows updates, and stays while it is held, also by Ionic's contract`()
        throws
    {
        let served = try ServedShop()
        let said = try run("Folders", served.arguments(), answer: served.answer)
        let asked = zip(2...5, ["two", "three", "four", "five"]).map { "publish \($0).0.0 \($1)\n" }.joined()
        #expect(said == asked + "done\n")
    }

    @Test func `a version that an app in Java never confirms is left after its starts`() throws {
        let served = try ServedShop()
        #expect(try run("Start", served.arguments() + ["confirm"]) == "one\n")
        try served.publish("2.0.0", "two")
        // The first start still has the first version, and downloads the second.
        let titles = try (0..<4).map { _ in try run("Start", served.arguments()) }
        #expect(titles == ["one\n", "two\n", "two\n", "one\n"])
    }

    @Test func `nothing that an app in Java does wrong ends its JVM, also from eight threads`() throws {
        let served = try ServedShop()
        #expect(try run("Start", served.arguments() + ["confirm"]) == "one\n")
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"
        #expect(try run("Misuse", served.arguments() + [isLong ? "50000" : "4000"]) == "done\n")
        // And the store is as good as before.
        #expect(try run("Start", served.arguments()) == "one\n")
    }

    @Test func `the client of Android's web view answers and confirms, as far as stubs can tell`() throws {
        let served = try ServedShop()
        #expect(try run("AndroidRequests", served.arguments()) == "done\n")
        withExtendedLifetime(served) {}
    }

    @Test func `the Java program of docs/BINDINGS.md runs as it stands there`() throws {
        let served = try ServedShop()
        let said = try run("App", served.arguments())
        #expect(said.contains("DOWNLOADING shop 1.0.0: "), "\(said)")
        #expect(said.contains("200 installed {"), "\(said)")
        #expect(said.contains("<title>one</title>"), "\(said)")
        #expect(try served.project.run("client", "status", "--store", served.arguments()[0]).contains("confirmed"))
    }

    @Test func `a JVM does not grow by its updates`() throws {
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"
        // And by how many MB it may grow; it takes 0.5 and 2. A leak of what answers are read with would be 20 MB.
        let (count, limit) = isLong ? ("1000", "8") : ("30", "3")
        // The heap has all of its memory from the beginning, so what grows is outside of it.
        let options = ["-Xms32m", "-Xmx32m", "-XX:+AlwaysPreTouch"]
        let served = try ServedShop()
        let said = try run("Repeat", served.arguments() + [count, limit], options: options)
        withExtendedLifetime(served) {}
        print(said, terminator: "")
        #expect(said.hasPrefix("\(count) updates: "))
    }
}
