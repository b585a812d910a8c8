import Testing

/// Runs the tests of swift-testing. With it Swift Package Manager looks for no other tests, and needs no index of all
/// sources (decision 57).
@main struct Runner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
