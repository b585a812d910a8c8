/// The request's body came slower than ``ServerLimits/minimumBodyRate`` or took longer than ``ServerLimits/bodyTimeout``.
struct SlowBodyError: Error {}
