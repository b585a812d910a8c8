import CWebKitGTK

/// Memory that the program has freed and the C library keeps.
public enum FreeMemory {
    /// Sets which blocks return to the system as soon as they are freed. Call it in a program's first line.
    ///
    /// By default glibc raises its thresholds with each larger block that is freed (`mallopt(3)`): a block of up to
    /// 32 MiB then lies in one of eight heaps a core, and each heap keeps up to 64 MiB at its end, while
    /// `malloc_trim(3)` reaches only the first one. A kiosk grew with every round of bodies and used 7 MB of its
    /// heaps' 580. A threshold that is set is not raised.
    public static func keepLittle() {
        // Bodies are above it; a message of the page hook, which is a part of a body in base64, is below.
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
        // What glibc begins with.
        mallopt(M_TRIM_THRESHOLD, 128 << 10)
    }

    /// Returns free memory between used blocks to the system, once a minute until the task is cancelled.
    ///
    /// For programs that run for months: memory that a page needed once would stay resident.
    public static func giveBack() async {
        while (try? await Task.sleep(for: .seconds(60))) != nil { malloc_trim(0) }
    }
}
