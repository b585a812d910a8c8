/// How often a page is shown again whose process has ended. A system ends processes to get their memory, which says
/// nothing about a page; a page that ends its own does so again and again.
public struct EndedProcesses: Sendable {
    /// The most ends within ``span`` after which the page is shown again.
    public static let limit = 2
    public static let span = Duration.seconds(60)

    private var ends: [ContinuousClock.Instant] = []

    public init() {}

    /// Counts an end.
    /// - Returns: whether to show the page again; false: it is the page's fault.
    public mutating func showsAgain(at now: ContinuousClock.Instant = .now) -> Bool {
        ends = ends.filter { now - $0 < Self.span } + [now]
        guard ends.count > Self.limit else { return true }
        ends = []
        return false
    }
}
