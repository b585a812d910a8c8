#include "curl_exchange.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct packtool_curl_pool {
    CURLM *multi;
};

struct packtool_curl_exchange {
    CURL *easy;
    struct curl_slist *fields;
    packtool_curl_receiver receiver;
    char error[CURL_ERROR_SIZE];
};

static void prepare(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

packtool_curl_pool *packtool_curl_pool_new(long connections) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    packtool_curl_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->multi = curl_multi_init();
    if (!pool->multi) {
        free(pool);
        return NULL;
    }
    curl_multi_setopt(pool->multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
    return pool;
}

void packtool_curl_pool_free(packtool_curl_pool *pool) {
    curl_multi_cleanup(pool->multi);
    free(pool);
}

static size_t receive_line(char *bytes, size_t size, size_t count, void *context) {
    packtool_curl_exchange *exchange = context;
    return exchange->receiver.line(exchange->receiver.context, bytes, size * count) ? 0 : size * count;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *context) {
    packtool_curl_exchange *exchange = context;
    // An empty body is told to nobody: 0 would mean the end.
    if (size * count == 0) return 0;
    return exchange->receiver.body(exchange->receiver.context, bytes, size * count) ? 0 : size * count;
}

// The list of authorities: the one of the variable that URLSession on Linux knows too; else libcurl's own; where that is missing, the
// usual places.
static void choose_authorities(CURL *easy) {
    const char *named = getenv("URLSessionCertificateAuthorityInfoFile");
    if (named && access(named, R_OK) == 0) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, named);
        return;
    }
#if LIBCURL_VERSION_NUM >= 0x075400
    char *file = NULL, *folder = NULL;
    curl_easy_getinfo(easy, CURLINFO_CAINFO, &file);
    curl_easy_getinfo(easy, CURLINFO_CAPATH, &folder);
    if ((file && access(file, R_OK) == 0) || (folder && access(folder, R_OK) == 0)) return;
#endif
    static const char *const usual[] = {
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"};
    for (size_t index = 0; index < sizeof usual / sizeof *usual; index++) {
        if (access(usual[index], R_OK) != 0) continue;
        curl_easy_setopt(easy, CURLOPT_CAINFO, usual[index]);
        return;
    }
}

packtool_curl_exchange *packtool_curl_exchange_new(const char *url, long total, packtool_curl_receiver receiver) {
    packtool_curl_exchange *exchange = calloc(1, sizeof *exchange);
    CURL *easy = exchange ? curl_easy_init() : NULL;
    if (!easy) {
        free(exchange);
        return NULL;
    }
    exchange->easy = easy;
    exchange->receiver = receiver;
    // No option that can fail for another reason than memory decides about trust: libcurl checks certificates and names by itself.
    CURLcode code = curl_easy_setopt(easy, CURLOPT_URL, url);
#if LIBCURL_VERSION_NUM >= 0x075500
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    if (code != CURLE_OK) {
        packtool_curl_exchange_free(exchange);
        return NULL;
    }
    choose_authorities(easy);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 1L << 16);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, total);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->error);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, exchange);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_line);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
    return exchange;
}

void packtool_curl_exchange_free(packtool_curl_exchange *exchange) {
    curl_easy_cleanup(exchange->easy);
    curl_slist_free_all(exchange->fields);
    free(exchange);
}

int packtool_curl_add_field(packtool_curl_exchange *exchange, const char *field) {
    struct curl_slist *fields = curl_slist_append(exchange->fields, field);
    if (!fields) return 1;
    exchange->fields = fields;
    return curl_easy_setopt(exchange->easy, CURLOPT_HTTPHEADER, fields) != CURLE_OK;
}

int packtool_curl_set_body(packtool_curl_exchange *exchange, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(exchange->easy, CURLOPT_POST, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    if (code == CURLE_OK) code = curl_easy_setopt(exchange->easy, CURLOPT_COPYPOSTFIELDS, bytes);
    return code != CURLE_OK;
}

int packtool_curl_set_url(packtool_curl_exchange *exchange, const char *url) {
    return curl_easy_setopt(exchange->easy, CURLOPT_URL, url) != CURLE_OK;
}

int packtool_curl_start(packtool_curl_pool *pool, packtool_curl_exchange *exchange) {
    exchange->error[0] = 0;
    return curl_multi_add_handle(pool->multi, exchange->easy) != CURLM_OK;
}

void packtool_curl_stop(packtool_curl_pool *pool, packtool_curl_exchange *exchange) {
    curl_multi_remove_handle(pool->multi, exchange->easy);
}

void packtool_curl_turn(packtool_curl_pool *pool) {
    int running;
    curl_multi_perform(pool->multi, &running);
}

void packtool_curl_wait(packtool_curl_pool *pool, int milliseconds) {
    curl_multi_poll(pool->multi, NULL, 0, milliseconds, NULL);
}

void packtool_curl_wake(packtool_curl_pool *pool) { curl_multi_wakeup(pool->multi); }

void *packtool_curl_next_ended(packtool_curl_pool *pool, const char **failure, const char **redirect) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(pool->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode code = message->data.result;
        char *private = NULL, *place = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        curl_easy_getinfo(message->easy_handle, CURLINFO_REDIRECT_URL, &place);
        packtool_curl_exchange *exchange = (packtool_curl_exchange *)private;
        packtool_curl_stop(pool, exchange);
        *failure = code == CURLE_OK ? NULL : exchange->error[0] ? exchange->error : curl_easy_strerror(code);
        *redirect = place;
        return exchange->receiver.context;
    }
    return NULL;
}

int packtool_hold_sigpipe(void) {
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (pthread_sigmask(SIG_BLOCK, &pipe, &before) != 0) return 0;
    return !sigismember(&before, SIGPIPE);
}

void packtool_release_sigpipe(int held) {
    if (!held) return;
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    // Of this thread: a write raises it there.
    int signal;
    while (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1 && sigwait(&pipe, &signal) == 0) continue;
    pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}
