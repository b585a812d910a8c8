// What our Apple branches use of Core Foundation, compiled into the module that is checked. Declarations only.
class CFRunLoop {}
class CFString {}
struct CFRunLoopMode {
    static var defaultMode: CFRunLoopMode? { nil }
    let rawValue: CFString
}
func CFRunLoopGetCurrent() -> CFRunLoop? { nil }
func CFRunLoopCopyCurrentMode(_ loop: CFRunLoop) -> CFRunLoopMode? { nil }
func CFRunLoopPerformBlock(_ loop: CFRunLoop, _ mode: CFString?, _ block: @escaping @Sendable () -> Void) {}
func CFRunLoopWakeUp(_ loop: CFRunLoop) {}
