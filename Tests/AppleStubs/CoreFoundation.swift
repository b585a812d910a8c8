// What our Apple branches use of Core Foundation, compiled into the module that is checked. Declarations only.
class CFRunLoop {}
func CFRunLoopGetCurrent() -> CFRunLoop? { nil }
func CFRunLoopPerformBlock(_ loop: CFRunLoop, _ mode: AnyObject?, _ block: @escaping @Sendable () -> Void) {}
func CFRunLoopWakeUp(_ loop: CFRunLoop) {}
