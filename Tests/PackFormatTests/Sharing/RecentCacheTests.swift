import PackFormat
import Testing

struct RecentCacheTests {
    @Test func `what is used stays, and a full cache never loses everything at once`() {
        var cache = RecentCache<Int, Int>(maximumCount: 64)
        for key in 0..<10_000 {
            cache.insert(-key, for: key)
            // The half that came last is there, and so is what is asked for again and again.
            for recent in max(0, key - 15)...key { #expect(cache.value(for: recent) == -recent) }
            #expect(cache.value(for: 0) == 0)
            #expect(cache.count <= 64)
        }
        #expect(cache.value(for: 9000) == nil)
        cache.remove(0)
        #expect(cache.value(for: 0) == nil)
        cache.removeAll()
        #expect(cache.count == 0)
    }

    @Test func `a look that leaves the age as it is pushes nothing out`() {
        var cache = RecentCache<Int, Int>(maximumCount: 64)
        for key in 0..<48 { cache.insert(-key, for: key) }
        for key in 0..<48 { #expect(cache.peek(key) == -key) }
        #expect(cache.count == 48)
        #expect(cache.peek(48) == nil)
    }
}
