/*
 * The threads of one environment. Each call has a thread at once: calls may block for minutes, and the four threads of Node's own pool also
 * read files and look up names. A thread without a call waits for the next one, and leaves after some seconds.
 *
 * Two rules keep the end of an environment, such as that of a worker, safe. Threads talk to JavaScript only while they have the lock and
 * `is_ended` is false. And the library is never unloaded (scripts/build-bindings.sh), since threads may still run its code.
 */
#include "addon.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDLE_SECONDS = 10, CLOSING_MILLISECONDS = 5000 };

struct open_host {
    struct open_host *next;
    packhost_host host;
};

struct pool {
    pthread_mutex_t lock;
    /* A call is queued. */
    pthread_cond_t queued;
    /* JavaScript has answered a progress, or the environment has ended. */
    pthread_cond_t answered;
    struct call *first, *last;
    size_t queued_count, idle_count;
    /* The environment, and each thread. */
    size_t user_count;
    bool is_ended;
    napi_threadsafe_function javascript;
    /* Used by the thread of JavaScript only. */
    size_t pending_count;
    struct open_host *hosts;
};

/* What a thread tells JavaScript: that a call has ended, or how far it is. */
struct news {
    struct call *call;
    bool is_progress;
    int32_t phase;
    int64_t received, expected;
    /* Of the progress. libpackhost keeps them until the callback returns, which waits for the answer. */
    const char *package, *version;
};

static void settle(napi_env env, struct call *call) {
    napi_value value = NULL;
    if (call->code == PACKHOST_OK) value = call->value(env, call);
    if (value == NULL && call->code == PACKHOST_OK) {
        /* There is no memory for the value. An exception would otherwise end the process. */
        napi_get_and_clear_last_exception(env, &value);
        call->code = PACKHOST_FAILED;
        memcpy(call->message, "there is no memory", sizeof "there is no memory");
    }
    if (call->code == PACKHOST_OK) napi_resolve_deferred(env, call->deferred, value);
    else napi_reject_deferred(env, call->deferred, error_value(env, call->code, call->message));
    struct pool *pool = call->pool;
    call_free(env, call);
    if (--pool->pending_count == 0) napi_unref_threadsafe_function(env, pool->javascript);
}

static int32_t ask(napi_env env, struct news *news) {
    napi_value progress, number, function, receiver, result = NULL;
    if (napi_create_object(env, &progress) != napi_ok) return 1;
    napi_create_int32(env, news->phase, &number);
    set_property(env, progress, "phase", number);
    set_property(env, progress, "package", text_value(env, news->package));
    set_property(env, progress, "version", text_value(env, news->version));
    napi_create_int64(env, news->received, &number);
    set_property(env, progress, "received", number);
    napi_create_int64(env, news->expected, &number);
    set_property(env, progress, "expected", number);
    bool goes_on = false;
    napi_get_undefined(env, &receiver);
    if (napi_get_reference_value(env, news->call->progress, &function) != napi_ok
        || napi_call_function(env, receiver, function, 1, &progress, &result) != napi_ok
        || napi_get_value_bool(env, result, &goes_on) != napi_ok)
        napi_get_and_clear_last_exception(env, &result);
    return goes_on ? 0 : 1;
}

/* Runs on the thread of JavaScript. `env` is NULL for what is left when the environment ends. */
static void hear(napi_env env, napi_value function, void *context, void *data) {
    (void)function;
    struct pool *pool = context;
    struct news *news = data;
    if (!news->is_progress) {
        if (env != NULL) settle(env, news->call);
        else call_free(NULL, news->call);
    } else if (env != NULL) {
        /* The thread waits for the answer, so the call is there. Without an environment it may not be. */
        int32_t answer = ask(env, news);
        pthread_mutex_lock(&pool->lock);
        news->call->progress_answer = answer;
        news->call->is_answered = true;
        pthread_cond_broadcast(&pool->answered);
        pthread_mutex_unlock(&pool->lock);
    }
    free(news);
}

/* Tells JavaScript something. Returns false, and the news stay the caller's, if there is nobody to be told. Called with the lock. */
static bool tell(struct pool *pool, struct news *news) {
    return !pool->is_ended && napi_call_threadsafe_function(pool->javascript, news, napi_tsfn_nonblocking) == napi_ok;
}

int32_t pool_progress(struct call *call, const packhost_progress *progress) {
    struct pool *pool = call->pool;
    struct news *news = calloc(1, sizeof *news);
    if (news == NULL) return 0;
    *news = (struct news){
        call, true, progress->phase, progress->received, progress->expected, progress->package, progress->version,
    };
    pthread_mutex_lock(&pool->lock);
    call->is_answered = false;
    bool is_told = tell(pool, news);
    while (is_told && !call->is_answered && !pool->is_ended) pthread_cond_wait(&pool->answered, &pool->lock);
    int32_t answer = call->is_answered ? call->progress_answer : 1;
    pthread_mutex_unlock(&pool->lock);
    if (!is_told) free(news);
    return answer;
}

/* Waits for a call. NULL if none came for a while, or the environment has ended. Called with the lock. */
static struct call *next_call(struct pool *pool) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += IDLE_SECONDS;
    int error = 0;
    while (pool->first == NULL && !pool->is_ended && error != ETIMEDOUT) {
        pool->idle_count++;
        error = pthread_cond_timedwait(&pool->queued, &pool->lock, &end);
        pool->idle_count--;
    }
    struct call *call = pool->first;
    if (call == NULL) return NULL;
    pool->first = call->next;
    pool->queued_count--;
    return call;
}

static void *work(void *context) {
    struct pool *pool = context;
    struct call *call;
    pthread_mutex_lock(&pool->lock);
    while ((call = next_call(pool)) != NULL) {
        bool is_ended = pool->is_ended;
        pthread_mutex_unlock(&pool->lock);
        struct news *news = NULL;
        if (!is_ended) {
            call->code = call->run(call);
            /* The promise has to be settled, so this waits for memory. */
            while ((news = calloc(1, sizeof *news)) == NULL) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            news->call = call;
        }
        pthread_mutex_lock(&pool->lock);
        if (news == NULL || !tell(pool, news)) {
            free(news);
            call_free(NULL, call);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    pool_release(pool);
    return NULL;
}

/* Called with the lock. */
static bool start_thread(struct pool *pool) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool is_started = pthread_create(&thread, &attributes, work, pool) == 0;
    pthread_attr_destroy(&attributes);
    if (is_started) pool->user_count++;
    return is_started;
}

napi_value pool_run(napi_env env, struct pool *pool, struct call *call) {
    napi_value promise = NULL;
    if (napi_create_promise(env, &call->deferred, &promise) != napi_ok) {
        call_free(env, call);
        napi_throw_error(env, NULL, "there is no memory for a promise");
        return NULL;
    }
    pthread_mutex_lock(&pool->lock);
    /* If threads are there but busy, the call waits for one of them. */
    bool can_run = pool->idle_count > pool->queued_count || start_thread(pool) || pool->user_count > 1;
    if (can_run) {
        if (pool->first == NULL) pool->first = call;
        else pool->last->next = call;
        pool->last = call;
        pool->queued_count++;
        pthread_cond_signal(&pool->queued);
    }
    pthread_mutex_unlock(&pool->lock);
    if (pool->pending_count++ == 0) napi_ref_threadsafe_function(env, pool->javascript);
    if (!can_run) {
        call->code = PACKHOST_FAILED;
        memcpy(call->message, "no thread can be started", sizeof "no thread can be started");
        settle(env, call);
    }
    return promise;
}

void pool_add_host(struct pool *pool, packhost_host host) {
    struct open_host *open = calloc(1, sizeof *open);
    /* Without memory the host only stays open longer than its environment. */
    if (open == NULL) return;
    *open = (struct open_host){pool->hosts, host};
    pool->hosts = open;
}

void pool_remove_host(struct pool *pool, packhost_host host) {
    for (struct open_host **place = &pool->hosts; *place != NULL; place = &(*place)->next) {
        struct open_host *found = *place;
        if (found->host != host) continue;
        *place = found->next;
        free(found);
        return;
    }
}

/* The environment ends: nobody hears anything any more, and what its hosts do ends too. */
static void end(void *context) {
    struct pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    pool->is_ended = true;
    pthread_cond_broadcast(&pool->queued);
    pthread_cond_broadcast(&pool->answered);
    pthread_mutex_unlock(&pool->lock);
    while (pool->hosts != NULL) {
        struct open_host *open = pool->hosts;
        pool->hosts = open->next;
        packhost_close(open->host, CLOSING_MILLISECONDS, NULL);
        free(open);
    }
}

void pool_release(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    bool is_last = --pool->user_count == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!is_last) return;
    pthread_cond_destroy(&pool->queued);
    pthread_cond_destroy(&pool->answered);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

struct pool *pool_new(napi_env env) {
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        napi_throw_error(env, NULL, "there is no memory");
        return NULL;
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->queued, &monotonic);
    pthread_cond_init(&pool->answered, NULL);
    pthread_condattr_destroy(&monotonic);
    pool->user_count = 1;
    napi_value name = text_value(env, "packhost");
    if (napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, pool, hear, &pool->javascript) != napi_ok
        || napi_unref_threadsafe_function(env, pool->javascript) != napi_ok
        /* Hooks run in the opposite order, so this one runs while the function is there. */
        || napi_add_env_cleanup_hook(env, end, pool) != napi_ok) {
        napi_throw_error(env, NULL, "packhost cannot be started");
        pool_release(pool);
        return NULL;
    }
    return pool;
}
