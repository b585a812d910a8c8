// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Stub of Swift's module `Android`: Glibc, with the functions that Android's headers (bionic, NDK 27) have in another shape: each
// `x` is written `Android_x`. Only scripts/check-android.py compiles it, and nothing of it is called.
@_exported public import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
@_exported public import Glibc

// `_Nonnull` there: an optional's binding is an error.

public func Android_mmap(
    _ address: UnsafeMutableRawPointer?, _ length: Int, _ protection: Int32, _ flags: Int32, _ descriptor: Int32,
    _ offset: off_t
) -> UnsafeMutableRawPointer { fatalError("a stub") }

public func Android_strerror(_ code: Int32) -> UnsafeMutablePointer<CChar> { fatalError("a stub") }

/// A cast in C, which Swift does not see there.
@available(*, unavailable)
public var Android_MAP_FAILED: UnsafeMutableRawPointer! { nil }
