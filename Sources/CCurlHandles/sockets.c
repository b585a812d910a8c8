#define CURL_DISABLE_TYPECHECK
#include "caller.h"

#if defined(__linux__)

#include <curl/curl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#undef curl_multi_setopt

// FoundationNetworking's function, the same for all its sessions.
static _Atomic(curl_socket_callback) watch;

// libcurl says what a socket is to be watched for. Where it wanted to write, as to connect, and now waits for the answer,
// FoundationNetworking goes on to watch for both: a socket can nearly always be written, so a request that waits takes a whole core.
// It forgets what it watches for when the socket is removed, so that is what it is told first.
static int watch_anew(CURL *handle, curl_socket_t socket, int events, void *session, void *watched) {
    curl_socket_callback next = atomic_load(&watch);
    if (watched && (events == CURL_POLL_IN || events == CURL_POLL_OUT)) {
        int failure = next(handle, socket, CURL_POLL_REMOVE, session, watched);
        if (failure) return failure;
        // It makes another one, and tells libcurl (`curl_multi_assign`).
        watched = NULL;
    }
    return next(handle, socket, events, session, watched);
}

static void *in_place_of(curl_socket_callback given) {
    curl_socket_callback known = NULL;
    if (!given) return NULL;
    if (atomic_compare_exchange_strong(&watch, &known, given) || known == given) return (void *)&watch_anew;
    // Somebody else's, who may do it right.
    return (void *)given;
}

// Stands before libcurl's own, as `curl_easy_init` does.
CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...) {
    __typeof__(curl_multi_setopt) *next =
        packtool_next_function("curl_multi_setopt", __builtin_return_address(0), (void *)&curl_multi_setopt);
    va_list arguments;
    va_start(arguments, option);
    CURLMcode code;
    // The three kinds of values differ in size on machines of 32 bits.
    if ((long)option < CURLOPTTYPE_OBJECTPOINT) {
        code = next(multi, option, va_arg(arguments, long));
    } else if ((long)option >= CURLOPTTYPE_OFF_T && (long)option < CURLOPTTYPE_BLOB) {
        code = next(multi, option, va_arg(arguments, curl_off_t));
    } else {
        void *pointer = va_arg(arguments, void *);
        if (option == CURLMOPT_SOCKETFUNCTION) pointer = in_place_of((curl_socket_callback)pointer);
        code = next(multi, option, pointer);
    }
    va_end(arguments);
    return code;
}

#endif
