/// The request's body was slower than ``ServerLimits/minimumBodyRate`` or took longer than
/// ``ServerLimits/bodyTimeout``.
struct SlowBodyError: Error {}
