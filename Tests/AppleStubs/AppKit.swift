// What PackageViewController uses of AppKit, so that its branches for macOS are type-checked on Linux. Declarations only.
public import Foundation

@MainActor open class NSWindow: NSObject {}
@MainActor open class NSView: NSObject {
    public override init() {}
    public var window: NSWindow? { nil }
}

@MainActor open class NSViewController: NSObject {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
    public required init?(coder: NSCoder) { nil }
    public var view: NSView = NSView()
    @available(macOS 14.0, *)
    public var viewIfLoaded: NSView? { nil }
    open func loadView() {}
    open func viewDidLoad() {}
    open func viewWillAppear() {}
}
