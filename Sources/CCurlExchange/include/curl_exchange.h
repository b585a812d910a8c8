// What PackCurl needs of libcurl: its functions with a variable number of arguments, which Swift cannot call, and the thread's SIGPIPE.
#ifndef PACKTOOL_CURL_EXCHANGE_H
#define PACKTOOL_CURL_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

// A connection pool and the exchanges that run over it (libcurl's multi handle). Only packtool_curl_wake may be called while another
// thread uses the same pool.
typedef struct packtool_curl_pool packtool_curl_pool;
// One request and its answer. It belongs to the caller.
typedef struct packtool_curl_exchange packtool_curl_exchange;

// Called on the thread of packtool_curl_turn. Both return 0 to go on; anything else ends the exchange.
typedef struct packtool_curl_receiver {
    void *context;
    // One line of the answer's head, with its line break; the last one is a line break only.
    int (*line)(void *context, const char *bytes, size_t count);
    // The next bytes of the body.
    int (*body)(void *context, const void *bytes, size_t count);
} packtool_curl_receiver;

// connections: to one host at the same time; 0: as many as libcurl likes. Returns NULL if there is no memory.
packtool_curl_pool *packtool_curl_pool_new(long connections);
// Closes the connections. No exchange may run.
void packtool_curl_pool_free(packtool_curl_pool *pool);

// All that it is given is copied but the context. total: milliseconds of the whole exchange; 0: no limit. Returns NULL if there is no
// memory.
packtool_curl_exchange *packtool_curl_exchange_new(const char *url, long total, packtool_curl_receiver receiver);
void packtool_curl_exchange_free(packtool_curl_exchange *exchange);
// Adds a field, such as "Accept: text/html". Returns 0; else there is no memory.
int packtool_curl_add_field(packtool_curl_exchange *exchange, const char *field);
// Makes it a POST. Returns 0; else there is no memory.
int packtool_curl_set_body(packtool_curl_exchange *exchange, const void *bytes, size_t count);
// Where the exchange goes when it is started again. Returns 0; else there is no memory.
int packtool_curl_set_url(packtool_curl_exchange *exchange, const char *url);

// Returns 0, or 1 if libcurl does not take it.
int packtool_curl_start(packtool_curl_pool *pool, packtool_curl_exchange *exchange);
// Ends a running exchange.
void packtool_curl_stop(packtool_curl_pool *pool, packtool_curl_exchange *exchange);
// Does what can be done at once.
void packtool_curl_turn(packtool_curl_pool *pool);
// Waits until there is something to do, until packtool_curl_wake, or so long.
void packtool_curl_wait(packtool_curl_pool *pool, int milliseconds);
void packtool_curl_wake(packtool_curl_pool *pool);
// The context of the next exchange that has ended and is stopped; NULL if there is none. failure: NULL, or libcurl's words, valid until
// the exchange is started or freed. redirect: where a redirect leads; NULL: nowhere; valid as long.
void *packtool_curl_next_ended(packtool_curl_pool *pool, const char **failure, const char **redirect);

// Keeps SIGPIPE from this thread, which a TLS library may raise by writing to a connection that is closed, until the release. The
// handlers of the process stay as they are.
int packtool_hold_sigpipe(void);
void packtool_release_sigpipe(int held);

#endif
