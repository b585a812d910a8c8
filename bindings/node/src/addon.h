/* What the files of the addon share. packhost.h has the functions that it calls, lib/ the objects that JavaScript sees. */
#ifndef ADDON_H
#define ADDON_H

#include "node_functions.h"

#include <packhost.h>

struct pool;

/* A call of libpackhost that may block: it runs on a thread of the pool, and its promise is settled on the thread of JavaScript. */
struct call {
    struct call *next;
    struct pool *pool;
    napi_deferred deferred;
    /* Calls libpackhost, and returns its code. */
    int32_t (*run)(struct call *call);
    /* Makes the value of the promise after PACKHOST_OK. */
    napi_value (*value)(napi_env env, struct call *call);

    /* What it is called with. */
    uint64_t handle;
    packhost_canceller canceller;
    int64_t milliseconds;
    int64_t number;
    char *texts[3];
    packhost_header *headers;
    size_t header_count;
    size_t capacity;
    napi_ref progress;

    /* What it has to say. */
    int32_t code;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text text;
    packhost_answer answer;
    char *bytes;
    size_t count;

    /* The answer of JavaScript to the last progress. The pool's lock guards both. */
    bool is_answered;
    int32_t progress_answer;
};

/* pool.c: the threads of one environment of Node. */

/* Returns NULL with an exception pending if there is none. */
struct pool *pool_new(napi_env env);
/* Frees the pool once its threads have left it. */
void pool_release(struct pool *pool);
/* Runs a call. Returns its promise; NULL with an exception pending, and the call freed, if that is not possible. */
napi_value pool_run(napi_env env, struct pool *pool, struct call *call);
/* Shows JavaScript a progress, and waits for its answer: 0, or 1 to cancel. Called by the thread of the call. */
int32_t pool_progress(struct call *call, const packhost_progress *progress);
/* Hosts that are open; they are closed with their environment. */
void pool_add_host(struct pool *pool, packhost_host host);
void pool_remove_host(struct pool *pool, packhost_host host);

/* values.c: arguments and results. */

enum { MOST_ARGUMENTS = 8 };

/* The arguments of a function. After the first wrong one a TypeError is pending, and the others are not looked at. */
struct arguments {
    napi_env env;
    struct pool *pool;
    napi_value values[MOST_ARGUMENTS];
    bool failed;
};

void arguments_read(struct arguments *arguments, napi_env env, napi_callback_info info);
void arguments_fail(struct arguments *arguments, const char *message);
uint64_t handle_at(struct arguments *arguments, int index);
int64_t integer_at(struct arguments *arguments, int index);
/* A copy; NULL for null and undefined where the text is optional. The caller frees it. */
char *text_at(struct arguments *arguments, int index);
char *optional_text_at(struct arguments *arguments, int index);
/* Reads an array of names and values. */
void headers_at(struct arguments *arguments, int index, struct call *call);
/* A function to be called with each progress; null for none. */
napi_ref function_at(struct arguments *arguments, int index);

/* Reads the arguments of a function that returns a promise, and makes its call; the first argument is the handle. NULL after a wrong one. */
struct call *call_begin(
    struct arguments *arguments, napi_env env, napi_callback_info info, int32_t (*run)(struct call *),
    napi_value (*value)(napi_env, struct call *));
/* Runs the call. If an argument is wrong, frees it and returns NULL. */
napi_value call_submit(struct arguments *arguments, struct call *call);
/* Frees a call with everything that nobody took of it. `env` is NULL where the environment has gone. */
void call_free(napi_env env, struct call *call);

/* An Error whose code is the name of the code in packhost.h. */
napi_value error_value(napi_env env, int32_t code, const char *message);
napi_value text_value(napi_env env, const char *text);
napi_value undefined_value(napi_env env, struct call *call);
/* The text of a call. */
napi_value report_value(napi_env env, struct call *call);
void set_property(napi_env env, napi_value object, const char *name, napi_value value);

/* host_calls.c and view_calls.c: the functions that lib/ calls. */
void add_function(napi_env env, napi_value exports, const char *name, napi_callback function);
void add_host_calls(napi_env env, napi_value exports);
void add_view_calls(napi_env env, napi_value exports);

#endif
