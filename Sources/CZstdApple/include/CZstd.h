// zstd of its own package, facebook/zstd, under the name that the system's library has on Linux: CZstd. Its module is called
// `libzstd`, and is exported by this one. Only what zstd calls stable is used: nothing needs ZSTD_STATIC_LINKING_ONLY.
#ifndef PACKTOOL_ZSTD_H
#define PACKTOOL_ZSTD_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
