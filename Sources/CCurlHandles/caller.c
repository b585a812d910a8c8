#define _GNU_SOURCE
#include "caller.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static void *library;

static void load(void) {
    // A static link names no library: most commands have no use for it, and with all that it needs it is a third of a start.
    library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (library) return;
    fprintf(stderr, "error: a library is missing: %s (Debian and Ubuntu: apt-get install libcurl4)\n", dlerror());
    _exit(127);
}

void *packtool_curl_function(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return dlsym(library, name);
}

static void *look_up(const char *name, const void *caller, const void *own) {
    Dl_info place, ours;
    void *found = NULL;
    if (dladdr(caller, &place) && dladdr((void *)&look_up, &ours) && place.dli_fbase != ours.dli_fbase) {
        void *object = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (object) {
            found = dlsym(object, name);
            dlclose(object);
        }
    }
    if (found && found != own) return found;
    found = packtool_curl_function(name);
    if (found) return found;
    fprintf(stderr, "error: libcurl.so.4 is too old: it has no %s\n", name);
    _exit(127);
}

void *packtool_next_function(const char *name, const void *caller, const void *own) {
    // dladdr reads all symbols of an object, a millisecond for an executable of ours, and a request sets some forty options. Each
    // call in the code has its place here, some hundred in all; two that share a place only push each other out.
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        const void *caller, *own;
        void *found;
    } known[1024];
    size_t place = ((uintptr_t)caller >> 2 ^ (uintptr_t)own >> 4) % (sizeof known / sizeof *known);
    pthread_mutex_lock(&lock);
    if (known[place].caller != caller || known[place].own != own) {
        known[place].caller = caller;
        known[place].own = own;
        known[place].found = look_up(name, caller, own);
    }
    void *found = known[place].found;
    pthread_mutex_unlock(&lock);
    return found;
}

#endif
