/// Which of the batches that wait go into the next transaction: a device with a few events does not wait for crowds of others, and
/// nobody waits for ever. Pure.
package enum CommitGroup {
    /// Batches in one transaction.
    package static let batchCount = 64
    /// Events in one transaction, with the last batch some more: about 10 ms.
    package static let eventCount = 1_500

    /// - Parameter counts: the events of each batch, oldest first.
    /// - Returns: the places of the chosen: the oldest, then the smallest.
    package static func places(of counts: [Int]) -> [Int] {
        guard let oldest = counts.first else { return [] }
        var places = [0]
        var sum = oldest
        for (place, count) in counts.enumerated().dropFirst().sorted(by: {
            ($0.element, $0.offset) < ($1.element, $1.offset)
        }) {
            guard sum < eventCount, places.count < batchCount else { break }
            places.append(place)
            sum += count
        }
        return places
    }
}
