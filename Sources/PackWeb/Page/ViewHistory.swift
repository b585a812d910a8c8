/// A web view's back-forward list at one moment.
public struct ViewHistory: Hashable, Sendable {
    /// The places in the list. The view numbers them; a new place never gets the number of one that is in the list.
    public let places: Set<Int>
    /// The place that the view shows.
    public let current: Int

    public init(places: Set<Int>, current: Int) {
        self.places = places
        self.current = current
    }

    /// Brings what is known of the pages' places to this state.
    /// - Parameters:
    ///   - onView: the page that was on view until now.
    ///   - isNew: whether the page at ``current`` was asked for, so that none of `pages` is there.
    ///   - isReload: whether it is the one on view, loaded anew.
    /// - Returns: the places of the page that is on view from now on, where it is new.
    func settle(_ pages: inout [some PlacedPage], onView: Int?, isNew: Bool, isReload: Bool) -> Set<Int> {
        let known = pages.reduce(into: Set<Int>()) { $0.formUnion($1.places) }
        var taken: Set<Int> = isNew ? [current] : []
        if let onView {
            // Nobody but the page on view has had a place added meanwhile: by `pushState`.
            pages[onView].places.formUnion(places.subtracting(known).subtracting(isReload ? [] : [current]))
            // To the engine the page is the same as before: it goes to all its places without loading.
            if isNew, isReload { taken.formUnion(pages[onView].places) }
        }
        let gone = known.subtracting(places).union(taken)
        for index in pages.indices { pages[index].places.subtract(gone) }
        return taken.intersection(places)
    }
}

/// A page of a view.
protocol PlacedPage {
    /// The places of the page in the view's history; empty if the view does not say.
    var places: Set<Int> { get set }
}
