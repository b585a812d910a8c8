import CSync

/// Memory that the server has freed and the C library keeps.
package enum FreedMemory {
    /// Sets which blocks return to the system as soon as they are freed. Call it when a server starts.
    ///
    /// By default glibc raises its thresholds with each larger block that is freed (`mallopt(3)`): bodies of 16 MiB
    /// then lie in heaps that never return to the system.
    package static func keepLittle() {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, 1 << 20)
            mallopt(M_TRIM_THRESHOLD, 128 << 10)
        #endif
    }

    /// Gives back the holes between what is in use: some milliseconds.
    static func giveBack() {
        #if canImport(Glibc)
            malloc_trim(0)
        #endif
    }
}
