/* The functions of packhost.h for hosts, cancellers and updates. Those that may block return promises. */
#include "addon.h"

#include <stdlib.h>

/* The time limit and the canceller, which are the last arguments of the functions that have them. */
static void limits_at(struct arguments *arguments, int index, struct call *call) {
    call->milliseconds = integer_at(arguments, index);
    call->canceller = handle_at(arguments, index + 1);
}

static napi_value open_host(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_host host = PACKHOST_NONE;
    napi_value value = NULL;
    arguments_read(&arguments, env, info);
    char *settings = text_at(&arguments, 0);
    if (arguments.failed) return NULL;
    int32_t code = packhost_open(settings, &host, message);
    free(settings);
    if (code != PACKHOST_OK) {
        napi_throw(env, error_value(env, code, message));
        return NULL;
    }
    pool_add_host(arguments.pool, host);
    napi_create_bigint_uint64(env, host, &value);
    return value;
}

/* A close that is late has closed all the same. */
static int32_t run_close(struct call *call) {
    call->number = packhost_close(call->handle, call->milliseconds, call->message);
    return call->number == PACKHOST_TIMED_OUT ? PACKHOST_OK : (int32_t)call->number;
}

static napi_value has_ended(napi_env env, struct call *call) {
    napi_value value = NULL;
    napi_get_boolean(env, call->number == PACKHOST_OK, &value);
    return value;
}

static napi_value close_host(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_close, has_ended);
    if (call == NULL) return NULL;
    call->milliseconds = integer_at(&arguments, 1);
    if (!arguments.failed) pool_remove_host(arguments.pool, call->handle);
    return call_submit(&arguments, call);
}

static int32_t run_start(struct call *call) {
    return packhost_start(call->handle, call->milliseconds, call->canceller, call->message);
}

static napi_value start(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_start, undefined_value);
    if (call != NULL) limits_at(&arguments, 1, call);
    return call_submit(&arguments, call);
}

static int32_t run_end_session(struct call *call) {
    return packhost_end_session(call->handle, call->milliseconds, call->canceller, call->message);
}

static napi_value end_session(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_end_session, undefined_value);
    if (call != NULL) limits_at(&arguments, 1, call);
    return call_submit(&arguments, call);
}

static napi_value set_network(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    char message[PACKHOST_MESSAGE_SIZE];
    arguments_read(&arguments, env, info);
    packhost_host host = handle_at(&arguments, 0);
    int64_t network = integer_at(&arguments, 1);
    if (arguments.failed) return NULL;
    int32_t code = packhost_set_network(host, network < 0 || network > INT32_MAX ? -1 : (int32_t)network, message);
    if (code != PACKHOST_OK) napi_throw(env, error_value(env, code, message));
    return NULL;
}

static int32_t run_set_channel(struct call *call) {
    return packhost_set_channel(call->handle, call->texts[0], call->message);
}

static napi_value set_channel(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_set_channel, undefined_value);
    if (call != NULL) call->texts[0] = text_at(&arguments, 1);
    return call_submit(&arguments, call);
}

static napi_value new_canceller(napi_env env, napi_callback_info info) {
    (void)info;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_canceller canceller = PACKHOST_NONE;
    napi_value value = NULL;
    int32_t code = packhost_canceller_new(&canceller, message);
    if (code == PACKHOST_OK) napi_create_bigint_uint64(env, canceller, &value);
    else napi_throw(env, error_value(env, code, message));
    return value;
}

static napi_value cancel(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    arguments_read(&arguments, env, info);
    packhost_canceller canceller = handle_at(&arguments, 0);
    if (!arguments.failed) packhost_cancel(canceller);
    return NULL;
}

static int32_t run_check(struct call *call) {
    return packhost_check(
        call->handle, call->texts[0], call->milliseconds, call->canceller, &call->text, call->message);
}

static napi_value check(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_check, report_value);
    if (call != NULL) {
        call->texts[0] = optional_text_at(&arguments, 1);
        limits_at(&arguments, 2, call);
    }
    return call_submit(&arguments, call);
}

static int32_t note_progress(void *call, const packhost_progress *progress) { return pool_progress(call, progress); }

static int32_t run_update(struct call *call) {
    return packhost_update(
        call->handle, call->texts[0], call->progress == NULL ? NULL : note_progress, call, call->milliseconds,
        call->canceller, &call->text, call->message);
}

static napi_value update(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_update, report_value);
    if (call != NULL) {
        call->texts[0] = optional_text_at(&arguments, 1);
        call->progress = function_at(&arguments, 2);
        limits_at(&arguments, 3, call);
    }
    return call_submit(&arguments, call);
}

static int32_t run_roll_back(struct call *call) {
    return packhost_roll_back(call->handle, call->texts[0], call->texts[1], &call->text, call->message);
}

static napi_value roll_back(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_roll_back, report_value);
    if (call != NULL) {
        call->texts[0] = text_at(&arguments, 1);
        call->texts[1] = optional_text_at(&arguments, 2);
    }
    return call_submit(&arguments, call);
}

static int32_t run_confirm(struct call *call) {
    return packhost_confirm(call->handle, call->texts[0], call->texts[1], call->texts[2], call->message);
}

static napi_value confirm(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_confirm, undefined_value);
    for (int index = 0; call != NULL && index < 3; index++) call->texts[index] = text_at(&arguments, index + 1);
    return call_submit(&arguments, call);
}

static int32_t run_status(struct call *call) { return packhost_status(call->handle, &call->text, call->message); }

static napi_value status(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_status, report_value);
    return call_submit(&arguments, call);
}

static int32_t run_explain(struct call *call) {
    return packhost_explain(call->handle, call->texts[0], (uint32_t)call->number, &call->text, call->message);
}

static napi_value explain(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_explain, report_value);
    if (call != NULL) {
        call->texts[0] = optional_text_at(&arguments, 1);
        call->number = integer_at(&arguments, 2);
        if (call->number < 0 || call->number > UINT32_MAX) arguments_fail(&arguments, "events is no count");
    }
    return call_submit(&arguments, call);
}

void add_host_calls(napi_env env, napi_value exports) {
    add_function(env, exports, "open", open_host);
    add_function(env, exports, "close", close_host);
    add_function(env, exports, "start", start);
    add_function(env, exports, "endSession", end_session);
    add_function(env, exports, "setNetwork", set_network);
    add_function(env, exports, "setChannel", set_channel);
    add_function(env, exports, "newCanceller", new_canceller);
    add_function(env, exports, "cancel", cancel);
    add_function(env, exports, "check", check);
    add_function(env, exports, "update", update);
    add_function(env, exports, "rollBack", roll_back);
    add_function(env, exports, "confirm", confirm);
    add_function(env, exports, "status", status);
    add_function(env, exports, "explain", explain);
}
