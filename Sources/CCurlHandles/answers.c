#define CURL_DISABLE_TYPECHECK
#include "caller.h"
#include "curl_handles.h"

#if defined(__linux__)

#include <curl/curl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#undef curl_easy_setopt

typedef CURLcode (*set_option)(CURL *, CURLoption, ...);

// The handle whose request allows no content coding. FoundationNetworking sets all options of a request in one go on one thread,
// the header fields before the decoding.
static _Thread_local CURL *identity;

static bool asks_for_identity(const struct curl_slist *fields) {
    for (; fields; fields = fields->next) {
        if (fields->data && strcasecmp(fields->data, "Accept-Encoding: identity") == 0) return true;
    }
    return false;
}

// The most bytes that the answer may have, and keeps the field from the wire: libcurl sends no field without a value. 0: no word of it.
static uintptr_t take_limit(struct curl_slist *fields) {
    static const char name[] = PACKTOOL_ANSWER_LIMIT ":";
    for (; fields; fields = fields->next) {
        if (!fields->data || strncasecmp(fields->data, name, sizeof name - 1) != 0) continue;
        uintptr_t limit = strtoull(fields->data + sizeof name - 1, NULL, 10);
        fields->data[sizeof name - 1] = 0;
        return limit;
    }
    return 0;
}

// libcurl asks after each round of reading; the limit itself is the pointer. Anything but 0 ends the transfer.
static int is_beyond(void *limit, curl_off_t total, curl_off_t received, curl_off_t to_send, curl_off_t sent) {
    return received > 0 && (uint64_t)received > (uintptr_t)limit;
}

static int cannot_seek(void *context, curl_off_t offset, int origin) { return CURL_SEEKFUNC_FAIL; }

// Stands before libcurl's own, as `curl_easy_init` does. Three things of a request are kept here that FoundationNetworking does not
// keep, or not in time:
//
// It asks libcurl to undo every content coding, without a limit: a few kilobytes may become gigabytes before anyone has seen the
// first byte. A request that allows `identity` only gets the bytes of the wire, and refuses the answer by its field.
//
// It reads on while the program has not seen what came before, and a cancellation waits behind all that. An answer that never ends
// takes gigabytes so. A request that says how much it takes is ended here.
//
// Its body can be read once, and it says that it can be read again. libcurl sends a request again on a new connection where one that was
// used before breaks, and an upload would go without its body: the server waits for it, and blames a slow client. The break is an error
// here.
CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...) {
    set_option next =
        (set_option)packtool_next_function("curl_easy_setopt", __builtin_return_address(0), (void *)&curl_easy_setopt);
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
        uintptr_t limit = option == CURLOPT_HTTPHEADER ? take_limit(pointer) : 0;
        if (option == CURLOPT_HTTPHEADER) identity = asks_for_identity(pointer) ? handle : NULL;
        if (option == CURLOPT_SEEKFUNCTION && pointer) pointer = (void *)&cannot_seek;
        code = next(handle, option, pointer);
        if (code == CURLE_OK && limit) {
            next(handle, CURLOPT_XFERINFOFUNCTION, &is_beyond);
            next(handle, CURLOPT_XFERINFODATA, (void *)limit);
            next(handle, CURLOPT_NOPROGRESS, 0L);
        }
    }
    va_end(arguments);
    return code;
}

#endif
