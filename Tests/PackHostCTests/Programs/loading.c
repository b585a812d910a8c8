/*
 * How long a process takes from dlopen of libpackhost to the end of its first call, packhost_open. Prints milliseconds. Arguments: the
 * library, the store, the registry's address, the path of root.json.
 */
#include "check.h"

#include <dlfcn.h>
#include <time.h>

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int count, char **arguments) {
    CHECK(count == 5);
    char *settings = settings_of(arguments[2], arguments[3], arguments[4], "");
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_host host;
    double start = milliseconds();
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fprintf(stderr, "%s\n", dlerror());
    CHECK(library != NULL);
    int32_t (*open)(const char *, packhost_host *, char *) =
        (int32_t (*)(const char *, packhost_host *, char *))dlsym(library, "packhost_open");
    CHECK(open != NULL);
    EXPECT(PACKHOST_OK, open(settings, &host, message));
    printf("%.2f\n", milliseconds() - start);
    free(settings);
    return 0;
}
