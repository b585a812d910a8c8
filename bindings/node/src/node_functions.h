/*
 * The part of Node-API that the addon uses. Node keeps these functions and constants as they are in all later versions
 * (https://nodejs.org/api/n-api.html), and Debian's package of Node comes without its headers. scripts/build-bindings.sh compares this file
 * with Node's node_api.h where that is installed: it includes both, and a difference is an error of the compiler.
 */
#ifndef NODE_FUNCTIONS_H
#define NODE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Has the functions since Node 12.22, 14.17 and 16. */
#define USED_NODE_API 8

#ifndef SRC_NODE_API_H_
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_ref__ *napi_ref;
typedef struct napi_deferred__ *napi_deferred;
typedef struct napi_callback_info__ *napi_callback_info;
typedef struct napi_threadsafe_function__ *napi_threadsafe_function;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef void (*napi_finalize)(napi_env env, void *data, void *hint);
typedef void (*napi_cleanup_hook)(void *argument);
typedef void (*napi_threadsafe_function_call_js)(napi_env env, napi_value callback, void *context, void *data);
typedef enum { napi_ok = 0, napi_pending_exception = 10 } napi_status;
typedef enum { napi_undefined = 0, napi_null = 1, napi_string = 4, napi_function = 7, napi_bigint = 9 } napi_valuetype;
typedef enum { napi_tsfn_nonblocking = 0 } napi_threadsafe_function_call_mode;
#define NAPI_AUTO_LENGTH SIZE_MAX
#endif

_Static_assert(napi_ok == 0 && napi_pending_exception == 10, "napi_status");
_Static_assert(
    napi_undefined == 0 && napi_null == 1 && napi_string == 4 && napi_function == 7 && napi_bigint == 9, "napi_valuetype");
_Static_assert(napi_tsfn_nonblocking == 0 && NAPI_AUTO_LENGTH == SIZE_MAX, "other constants");

/* Values of JavaScript from values of C. */
napi_status napi_get_undefined(napi_env env, napi_value *result);
napi_status napi_get_null(napi_env env, napi_value *result);
napi_status napi_get_boolean(napi_env env, bool value, napi_value *result);
napi_status napi_create_int32(napi_env env, int32_t value, napi_value *result);
napi_status napi_create_int64(napi_env env, int64_t value, napi_value *result);
napi_status napi_create_bigint_uint64(napi_env env, uint64_t value, napi_value *result);
napi_status napi_create_string_utf8(napi_env env, const char *text, size_t length, napi_value *result);
napi_status napi_create_object(napi_env env, napi_value *result);
napi_status napi_create_array_with_length(napi_env env, size_t length, napi_value *result);
napi_status napi_create_buffer_copy(napi_env env, size_t length, const void *data, void **copy, napi_value *result);
napi_status napi_create_function(
    napi_env env, const char *name, size_t length, napi_callback callback, void *data, napi_value *result);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
napi_status napi_set_element(napi_env env, napi_value array, uint32_t index, napi_value value);

/* And back. */
napi_status napi_get_cb_info(
    napi_env env, napi_callback_info info, size_t *count, napi_value *values, napi_value *receiver, void **data);
napi_status napi_typeof(napi_env env, napi_value value, napi_valuetype *result);
napi_status napi_is_array(napi_env env, napi_value value, bool *result);
napi_status napi_get_array_length(napi_env env, napi_value array, uint32_t *result);
napi_status napi_get_element(napi_env env, napi_value array, uint32_t index, napi_value *result);
napi_status napi_get_value_bool(napi_env env, napi_value value, bool *result);
napi_status napi_get_value_int64(napi_env env, napi_value value, int64_t *result);
napi_status napi_get_value_bigint_uint64(napi_env env, napi_value value, uint64_t *result, bool *is_lossless);
napi_status napi_get_value_string_utf8(napi_env env, napi_value value, char *buffer, size_t size, size_t *result);

/* Errors, promises, calls, references. */
napi_status napi_throw_type_error(napi_env env, const char *code, const char *message);
napi_status napi_throw_error(napi_env env, const char *code, const char *message);
napi_status napi_throw(napi_env env, napi_value error);
napi_status napi_create_error(napi_env env, napi_value code, napi_value message, napi_value *result);
napi_status napi_is_exception_pending(napi_env env, bool *result);
napi_status napi_get_and_clear_last_exception(napi_env env, napi_value *result);
napi_status napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *promise);
napi_status napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value value);
napi_status napi_reject_deferred(napi_env env, napi_deferred deferred, napi_value error);
napi_status napi_call_function(
    napi_env env, napi_value receiver, napi_value function, size_t count, const napi_value *values, napi_value *result);
napi_status napi_create_reference(napi_env env, napi_value value, uint32_t count, napi_ref *result);
napi_status napi_delete_reference(napi_env env, napi_ref reference);
napi_status napi_get_reference_value(napi_env env, napi_ref reference, napi_value *result);

/* What belongs to one environment, and other threads. */
napi_status napi_set_instance_data(napi_env env, void *data, napi_finalize finalize, void *hint);
napi_status napi_get_instance_data(napi_env env, void **data);
napi_status napi_add_env_cleanup_hook(napi_env env, napi_cleanup_hook hook, void *argument);
napi_status napi_create_threadsafe_function(
    napi_env env, napi_value function, napi_value resource, napi_value resource_name, size_t maximum, size_t thread_count,
    void *finalize_data, napi_finalize finalize, void *context, napi_threadsafe_function_call_js call,
    napi_threadsafe_function *result);
napi_status napi_call_threadsafe_function(
    napi_threadsafe_function function, void *data, napi_threadsafe_function_call_mode mode);
napi_status napi_ref_threadsafe_function(napi_env env, napi_threadsafe_function function);
napi_status napi_unref_threadsafe_function(napi_env env, napi_threadsafe_function function);

#endif
