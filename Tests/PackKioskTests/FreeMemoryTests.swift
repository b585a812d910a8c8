import CWebKitGTK
import Glibc
import PackWebKitGTK
import Testing

/// What is done with memory that is free; of a kiosk under load in ``HookTests``.
@Suite(.serialized)
struct FreeMemoryTests {
    @Test
    func `a large block goes back to the system as soon as it is freed, also after larger ones`() throws {
        FreeMemory.keepLittle()
        // Each of these would raise the size from which on the C library does so.
        for size in [4 << 20, 16 << 20, 30 << 20] { free(malloc(size)) }
        // What earlier tests left free in the heap is used before anything is mapped.
        var fillers: [UnsafeMutableRawPointer] = []
        defer { fillers.forEach { free($0) } }
        for size in [1 << 20, 3 << 20, 25 << 20] {
            let mappedCount = mallinfo2().hblks
            while mallinfo2().hblks <= mappedCount, fillers.count < 4096 {
                fillers.append(try #require(malloc(size)))
            }
            // Another thread may take the place in the same moment, though not each time.
            let isGivenBack = try (0..<20).contains { _ in
                let block = try #require(malloc(size))
                memset(block, 1, size)
                #expect(Self.isMapped(block + size / 2))
                free(block)
                return !Self.isMapped(block + size / 2)
            }
            #expect(isGivenBack, "\(size) bytes")
        }
    }

    private static func isMapped(_ address: UnsafeMutableRawPointer) -> Bool {
        let page = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: address) & ~4095)
        var state: UInt8 = 0
        return mincore(page, 1, &state) == 0
    }
}
