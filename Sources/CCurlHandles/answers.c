#define CURL_DISABLE_TYPECHECK
#include "caller.h"
#include "curl_handles.h"

#if defined(__linux__)

#include <curl/curl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <strings.h>

#undef curl_easy_setopt

// The handle whose request allows no content coding. FoundationNetworking sets all options of a request in one go on one thread,
// the header fields before the decoding.
static _Thread_local CURL *identity;

static bool asks_for_identity(const struct curl_slist *fields) {
    for (; fields; fields = fields->next) {
        if (fields->data && strcasecmp(fields->data, "Accept-Encoding: identity") == 0) return true;
    }
    return false;
}

// Stands before libcurl's own, as `curl_easy_init` does. FoundationNetworking asks libcurl to undo every content coding, without
// a limit: a few kilobytes may become gigabytes before anyone has seen the first byte. A request that allows `identity` only
// gets the bytes of the wire, and refuses the answer by its field.
CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...) {
    CURLcode (*next)(CURL *, CURLoption, ...) =
        packtool_next_function("curl_easy_setopt", __builtin_return_address(0), (void *)&curl_easy_setopt);
    if (!next) return CURLE_FAILED_INIT;
    va_list arguments;
    va_start(arguments, option);
    CURLcode code;
    // The three kinds of values differ in size on machines of 32 bits.
    if (option < CURLOPTTYPE_OBJECTPOINT) {
        long number = va_arg(arguments, long);
        if (option == CURLOPT_HTTP_CONTENT_DECODING && handle && handle == identity) number = 0;
        code = next(handle, option, number);
    } else if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB) {
        code = next(handle, option, va_arg(arguments, curl_off_t));
    } else {
        void *pointer = va_arg(arguments, void *);
        if (option == CURLOPT_HTTPHEADER) identity = asks_for_identity(pointer) ? handle : NULL;
        code = next(handle, option, pointer);
    }
    va_end(arguments);
    return code;
}

#endif
