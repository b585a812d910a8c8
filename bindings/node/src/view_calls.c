/* The functions of packhost.h for views and answers. Those that may block return promises. */
#include "addon.h"

#include <stdlib.h>

/* Bytes that are read in one go. */
enum { LONGEST_READ = 1024 * 1024 };

static napi_value free_handle(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    arguments_read(&arguments, env, info);
    uint64_t handle = handle_at(&arguments, 0);
    if (!arguments.failed) packhost_free(handle);
    return NULL;
}

static napi_value new_view(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_view view = PACKHOST_NONE;
    napi_value value = NULL;
    arguments_read(&arguments, env, info);
    packhost_host host = handle_at(&arguments, 0);
    if (arguments.failed) return NULL;
    int32_t code = packhost_view_new(host, &view, message);
    if (code == PACKHOST_OK) napi_create_bigint_uint64(env, view, &value);
    else napi_throw(env, error_value(env, code, message));
    return value;
}

static napi_value load(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text load = PACKHOST_NONE;
    arguments_read(&arguments, env, info);
    packhost_view view = handle_at(&arguments, 0);
    if (arguments.failed) return NULL;
    int32_t code = packhost_view_load(view, &load, message);
    napi_value value = NULL;
    if (code == PACKHOST_OK) value = text_value(env, packhost_text_get(load, NULL));
    else napi_throw(env, error_value(env, code, message));
    packhost_free(load);
    return value;
}

static int32_t run_confirm(struct call *call) { return packhost_view_confirm(call->handle, call->message); }

static napi_value confirm_view(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_confirm, undefined_value);
    return call_submit(&arguments, call);
}

static int32_t run_resolve(struct call *call) {
    packhost_request request = {
        call->texts[0], call->texts[1], call->headers, call->header_count, (int32_t)call->number,
    };
    return packhost_resolve(
        call->handle, &request, call->milliseconds, call->canceller, &call->answer, call->message);
}

static void set_number(napi_env env, napi_value object, const char *name, int64_t number) {
    napi_value value = NULL;
    napi_create_int64(env, number, &value);
    set_property(env, object, name, value);
}

/* An answer with its handle, which is JavaScript's from then on. */
static napi_value answer_value(napi_env env, struct call *call) {
    packhost_response response;
    napi_value answer = NULL, headers = NULL, handle = NULL;
    /* Nobody else has the handle yet, so its pointers hold. */
    if (packhost_answer_get(call->answer, &response) != PACKHOST_OK || napi_create_object(env, &answer) != napi_ok
        || napi_create_array_with_length(env, response.header_count, &headers) != napi_ok)
        return NULL;
    set_property(env, answer, "online", text_value(env, response.online));
    set_property(env, answer, "reason", text_value(env, response.reason));
    set_number(env, answer, "status", response.status);
    for (size_t index = 0; index < response.header_count; index++) {
        napi_value header = NULL;
        if (napi_create_array_with_length(env, 2, &header) != napi_ok) return NULL;
        napi_set_element(env, header, 0, text_value(env, response.headers[index].name));
        napi_set_element(env, header, 1, text_value(env, response.headers[index].value));
        napi_set_element(env, headers, (uint32_t)index, header);
    }
    set_property(env, answer, "headers", headers);
    set_property(env, answer, "file", text_value(env, response.body == PACKHOST_BODY_FILE ? response.file : NULL));
    set_number(env, answer, "offset", (int64_t)response.offset);
    set_number(env, answer, "length", (int64_t)response.length);
    if (napi_create_bigint_uint64(env, call->answer, &handle) != napi_ok) return NULL;
    set_property(env, answer, "handle", handle);
    call->answer = PACKHOST_NONE;
    return answer;
}

static napi_value resolve(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_resolve, answer_value);
    if (call == NULL) return NULL;
    call->number = integer_at(&arguments, 1);
    call->texts[0] = text_at(&arguments, 2);
    call->texts[1] = text_at(&arguments, 3);
    headers_at(&arguments, 4, call);
    call->milliseconds = integer_at(&arguments, 5);
    call->canceller = handle_at(&arguments, 6);
    return call_submit(&arguments, call);
}

/* The bytes are copied into JavaScript's own memory: Electron allows no other. */
static napi_value bytes_value(napi_env env, struct call *call) {
    napi_value value = NULL;
    napi_create_buffer_copy(env, call->count, call->bytes, NULL, &value);
    return value;
}

static int32_t run_read(struct call *call) {
    return packhost_answer_read(
        call->handle, (uint64_t)call->number, call->bytes, call->capacity, &call->count, call->message);
}

static napi_value read_answer(napi_env env, napi_callback_info info) {
    struct arguments arguments;
    struct call *call = call_begin(&arguments, env, info, run_read, bytes_value);
    if (call == NULL) return NULL;
    call->number = integer_at(&arguments, 1);
    int64_t length = integer_at(&arguments, 2);
    if (call->number < 0 || length < 0) {
        arguments_fail(&arguments, "a position or length is less than 0");
        length = 0;
    }
    call->capacity = length < LONGEST_READ ? (size_t)length : LONGEST_READ;
    call->bytes = malloc(call->capacity + 1);
    if (call->bytes == NULL) arguments_fail(&arguments, "there is no memory for the bytes");
    return call_submit(&arguments, call);
}

void add_view_calls(napi_env env, napi_value exports) {
    add_function(env, exports, "free", free_handle);
    add_function(env, exports, "newView", new_view);
    add_function(env, exports, "load", load);
    add_function(env, exports, "confirmView", confirm_view);
    add_function(env, exports, "resolve", resolve);
    add_function(env, exports, "read", read_answer);
}
