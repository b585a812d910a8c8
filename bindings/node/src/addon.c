/* Loading. Each environment of Node has its own pool and nothing else. */
#include "addon.h"

#include <stdio.h>

static void release(napi_env env, void *pool, void *hint) {
    (void)env, (void)hint;
    pool_release(pool);
}

void add_function(napi_env env, napi_value exports, const char *name, napi_callback function) {
    napi_value value = NULL;
    if (napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL, &value) == napi_ok)
        set_property(env, exports, name, value);
}

/* What Node looks for in an addon. */
__attribute__((visibility("default"))) int32_t node_api_module_get_api_version_v1(void);
__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports);

int32_t node_api_module_get_api_version_v1(void) { return USED_NODE_API; }

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    if (packhost_abi() != PACKHOST_ABI) {
        char message[100];
        snprintf(message, sizeof message, "libpackhost has interface %u, and the addon needs %d", packhost_abi(), PACKHOST_ABI);
        napi_throw_error(env, NULL, message);
        return NULL;
    }
    struct pool *pool = pool_new(env);
    if (pool == NULL) return NULL;
    if (napi_set_instance_data(env, pool, release, NULL) != napi_ok) {
        napi_throw_error(env, NULL, "packhost cannot be started");
        return NULL;
    }
    add_host_calls(env, exports);
    add_view_calls(env, exports);
    return exports;
}
