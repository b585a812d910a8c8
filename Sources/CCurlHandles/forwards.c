#define CURL_DISABLE_TYPECHECK
#include "caller.h"

#if defined(__linux__)

// Newer headers have a `const` there.
#define curl_url_get curl_url_get_of_the_header
#include <curl/curl.h>
#include <stdarg.h>

#undef curl_url_get
#undef curl_easy_getinfo

// The functions of libcurl that FoundationNetworking calls, so that the executable does not name the library and its start does not
// load it. Each goes to the library that the caller means, as `curl_easy_init`, `curl_easy_setopt` and `curl_multi_setopt` do, which have
// files of their own.
#define FORWARD(result, name, parameters, arguments)                                                             \
    result name parameters {                                                                                     \
        __typeof__(name) *next = packtool_next_function(#name, __builtin_return_address(0), (void *)&name);       \
        return next arguments;                                                                                   \
    }

FORWARD(CURLcode, curl_global_init, (long flags), (flags))
FORWARD(char *, curl_version, (void), ())
FORWARD(curl_version_info_data *, curl_version_info, (CURLversion age), (age))
FORWARD(void, curl_free, (void *pointer), (pointer))

FORWARD(void, curl_easy_cleanup, (CURL *handle), (handle))
FORWARD(CURLcode, curl_easy_pause, (CURL *handle, int directions), (handle, directions))
FORWARD(const char *, curl_easy_strerror, (CURLcode code), (code))

FORWARD(CURLM *, curl_multi_init, (void), ())
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi))
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *handle), (multi, handle))
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *handle), (multi, handle))
FORWARD(CURLMcode, curl_multi_assign, (CURLM *multi, curl_socket_t socket, void *pointer), (multi, socket, pointer))
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *count), (multi, count))
FORWARD(
    CURLMcode, curl_multi_socket_action, (CURLM *multi, curl_socket_t socket, int events, int *running),
    (multi, socket, events, running))

FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text))
FORWARD(void, curl_slist_free_all, (struct curl_slist *list), (list))

FORWARD(CURLU *, curl_url, (void), ())
FORWARD(CURLUcode, curl_url_get, (const CURLU *url, CURLUPart part, char **text, unsigned int flags), (url, part, text, flags))
FORWARD(CURLUcode, curl_url_set, (CURLU *url, CURLUPart part, const char *text, unsigned int flags), (url, part, text, flags))

// The value goes on as what it is: all that this one is asked for has a pointer.
CURLcode curl_easy_getinfo(CURL *handle, CURLINFO info, ...) {
    __typeof__(curl_easy_getinfo) *next =
        packtool_next_function("curl_easy_getinfo", __builtin_return_address(0), (void *)&curl_easy_getinfo);
    va_list arguments;
    va_start(arguments, info);
    CURLcode code = next(handle, info, va_arg(arguments, void *));
    va_end(arguments);
    return code;
}

#endif
