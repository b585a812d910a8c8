#include "caller.h"
#include "curl_handles.h"

#if defined(__linux__)

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef CURL *(*make_handle)(void);

// Set once, before the first request, and never freed: handles refer to it.
static _Atomic(struct curl_blob *) authorities;

int packtool_set_curl_authorities(const void *pem, size_t count) {
    struct curl_blob *blob = malloc(sizeof *blob);
    void *copy = malloc(count);
    if (!blob || !copy) {
        free(blob);
        free(copy);
        return 1;
    }
    memcpy(copy, pem, count);
    *blob = (struct curl_blob){.data = copy, .len = count, .flags = CURL_BLOB_NOCOPY};
    atomic_store(&authorities, blob);
    return 0;
}

// Stands before libcurl's own: the dynamic linker asks the executable first, and a static link takes what it has.
CURL *curl_easy_init(void) {
    make_handle next =
        (make_handle)packtool_next_function("curl_easy_init", __builtin_return_address(0), (void *)&curl_easy_init);
    CURL *handle = next();
    struct curl_blob *blob = atomic_load(&authorities);
    // The options below are of the libcurl that this executable uses.
    if (!handle || !blob || next != (make_handle)packtool_curl_function("curl_easy_init")) return handle;
    if (curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, blob) != CURLE_OK) {
        // Without it the handle would trust less than was asked for, never more; no handle says so at once.
        curl_easy_cleanup(handle);
        return NULL;
    }
    return handle;
}

const char *packtool_system_authorities(void) {
#if LIBCURL_VERSION_NUM >= 0x075400
    // The text is libcurl's own and stays.
    char *path = NULL;
    make_handle next = (make_handle)packtool_curl_function("curl_easy_init");
    CURL *handle = next ? next() : NULL;
    if (!handle) return NULL;
    if (curl_easy_getinfo(handle, CURLINFO_CAINFO, &path) != CURLE_OK) path = NULL;
    curl_easy_cleanup(handle);
    return path;
#else
    return NULL;
#endif
}

#else

int packtool_set_curl_authorities(const void *pem, size_t count) { return 1; }
const char *packtool_system_authorities(void) { return 0; }

#endif
