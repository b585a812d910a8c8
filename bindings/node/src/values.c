/* Arguments and results. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

void arguments_read(struct arguments *arguments, napi_env env, napi_callback_info info) {
    size_t count = MOST_ARGUMENTS;
    void *pool = NULL;
    *arguments = (struct arguments){.env = env};
    if (napi_get_cb_info(env, info, &count, arguments->values, NULL, NULL) != napi_ok
        || napi_get_instance_data(env, &pool) != napi_ok || pool == NULL)
        arguments_fail(arguments, "the environment is ending");
    arguments->pool = pool;
}

void arguments_fail(struct arguments *arguments, const char *message) {
    bool is_pending = false;
    napi_is_exception_pending(arguments->env, &is_pending);
    if (!is_pending) napi_throw_type_error(arguments->env, "ERR_INVALID_ARG_TYPE", message);
    arguments->failed = true;
}

static napi_valuetype type_of(struct arguments *arguments, napi_value value) {
    napi_valuetype type = napi_undefined;
    napi_typeof(arguments->env, value, &type);
    return type;
}

uint64_t handle_at(struct arguments *arguments, int index) {
    uint64_t handle = PACKHOST_NONE;
    bool is_lossless = false;
    if (arguments->failed) return handle;
    if (napi_get_value_bigint_uint64(arguments->env, arguments->values[index], &handle, &is_lossless) != napi_ok
        || !is_lossless)
        arguments_fail(arguments, "a handle is a BigInt");
    return handle;
}

int64_t integer_at(struct arguments *arguments, int index) {
    int64_t number = 0;
    if (arguments->failed) return number;
    if (napi_get_value_int64(arguments->env, arguments->values[index], &number) != napi_ok)
        arguments_fail(arguments, "a number is expected");
    return number;
}

static char *copy_text(struct arguments *arguments, napi_value value) {
    size_t length = 0;
    if (napi_get_value_string_utf8(arguments->env, value, NULL, 0, &length) != napi_ok) {
        arguments_fail(arguments, "a string is expected");
        return NULL;
    }
    char *text = malloc(length + 1);
    if (text == NULL || napi_get_value_string_utf8(arguments->env, value, text, length + 1, &length) != napi_ok)
        arguments_fail(arguments, "there is no memory for a string");
    else if (strlen(text) != length)
        arguments_fail(arguments, "a string has the character U+0000");
    else
        return text;
    free(text);
    return NULL;
}

char *text_at(struct arguments *arguments, int index) {
    return arguments->failed ? NULL : copy_text(arguments, arguments->values[index]);
}

char *optional_text_at(struct arguments *arguments, int index) {
    if (arguments->failed) return NULL;
    napi_valuetype type = type_of(arguments, arguments->values[index]);
    return type == napi_null || type == napi_undefined ? NULL : copy_text(arguments, arguments->values[index]);
}

void headers_at(struct arguments *arguments, int index, struct call *call) {
    bool is_array = false;
    uint32_t length = 0;
    if (arguments->failed) return;
    if (napi_is_array(arguments->env, arguments->values[index], &is_array) != napi_ok || !is_array
        || napi_get_array_length(arguments->env, arguments->values[index], &length) != napi_ok || length % 2 != 0) {
        arguments_fail(arguments, "headers are an array of names and values");
        return;
    }
    call->headers = calloc((size_t)length / 2 + 1, sizeof *call->headers);
    if (call->headers == NULL) arguments_fail(arguments, "there is no memory for headers");
    for (uint32_t place = 0; place < length && !arguments->failed; place += 2) {
        napi_value name = NULL, value = NULL;
        if (napi_get_element(arguments->env, arguments->values[index], place, &name) != napi_ok
            || napi_get_element(arguments->env, arguments->values[index], place + 1, &value) != napi_ok) {
            arguments_fail(arguments, "headers are an array of names and values");
            return;
        }
        packhost_header *header = &call->headers[call->header_count++];
        header->name = copy_text(arguments, name);
        if (!arguments->failed) header->value = copy_text(arguments, value);
    }
}

napi_ref function_at(struct arguments *arguments, int index) {
    napi_ref reference = NULL;
    if (arguments->failed) return NULL;
    napi_valuetype type = type_of(arguments, arguments->values[index]);
    if (type == napi_null || type == napi_undefined) return NULL;
    if (type != napi_function
        || napi_create_reference(arguments->env, arguments->values[index], 1, &reference) != napi_ok)
        arguments_fail(arguments, "a function is expected");
    return reference;
}

struct call *call_begin(
    struct arguments *arguments, napi_env env, napi_callback_info info, int32_t (*run)(struct call *),
    napi_value (*value)(napi_env, struct call *)) {
    arguments_read(arguments, env, info);
    uint64_t handle = handle_at(arguments, 0);
    if (arguments->failed) return NULL;
    struct call *call = calloc(1, sizeof *call);
    if (call == NULL) {
        arguments_fail(arguments, "there is no memory for a call");
        return NULL;
    }
    call->pool = arguments->pool;
    call->handle = handle;
    call->run = run;
    call->value = value;
    return call;
}

napi_value call_submit(struct arguments *arguments, struct call *call) {
    if (!arguments->failed) return pool_run(arguments->env, arguments->pool, call);
    call_free(arguments->env, call);
    return NULL;
}

void call_free(napi_env env, struct call *call) {
    if (call == NULL) return;
    if (env != NULL && call->progress != NULL) napi_delete_reference(env, call->progress);
    packhost_free(call->text);
    packhost_free(call->answer);
    for (size_t index = 0; index < call->header_count; index++) {
        free((char *)call->headers[index].name);
        free((char *)call->headers[index].value);
    }
    free(call->headers);
    for (size_t index = 0; index < sizeof call->texts / sizeof *call->texts; index++) free(call->texts[index]);
    free(call->bytes);
    free(call);
}

/* In the order of packhost_code. */
static const char *const code_names[] = {
    "PACKHOST_OK", "PACKHOST_FAILED", "PACKHOST_WRONG_HANDLE", "PACKHOST_WRONG_ARGUMENT", "PACKHOST_CLOSED",
    "PACKHOST_CANCELLED", "PACKHOST_TIMED_OUT", "PACKHOST_UNREACHABLE", "PACKHOST_OVERLOADED", "PACKHOST_BUSY",
    "PACKHOST_NOT_TRUSTED", "PACKHOST_NOT_FOUND", "PACKHOST_REFUSED", "PACKHOST_DISK_FULL", "PACKHOST_STORE_FAILED",
};
_Static_assert(sizeof code_names / sizeof *code_names == PACKHOST_STORE_FAILED + 1, "a code has no name");

napi_value error_value(napi_env env, int32_t code, const char *message) {
    napi_value error = NULL;
    if (code == PACKHOST_WRONG_HANDLE) {
        /* lib/ keeps the handles, so a wrong one was closed. */
        code = PACKHOST_CLOSED;
        message = "it was closed";
    } else if (code < 0 || code > PACKHOST_STORE_FAILED) {
        code = PACKHOST_FAILED;
    }
    napi_create_error(env, text_value(env, code_names[code]), text_value(env, message), &error);
    return error;
}

napi_value text_value(napi_env env, const char *text) {
    napi_value value = NULL;
    if (text == NULL) napi_get_null(env, &value);
    else napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
    return value;
}

napi_value undefined_value(napi_env env, struct call *call) {
    (void)call;
    napi_value value = NULL;
    napi_get_undefined(env, &value);
    return value;
}

napi_value report_value(napi_env env, struct call *call) {
    return text_value(env, packhost_text_get(call->text, NULL));
}

void set_property(napi_env env, napi_value object, const char *name, napi_value value) {
    if (value != NULL) napi_set_named_property(env, object, name, value);
}
