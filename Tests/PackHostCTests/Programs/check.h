/* What the programs of this folder share. A fault ends the program with its place, its message and status 1. */
#ifndef CHECK_H
#define CHECK_H
#include "packhost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                     \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

/* A call has the code, and a message exactly where it failed. */
#define EXPECT(code, call)                                                                      \
    do {                                                                                        \
        memset(message, 'x', sizeof message);                                                   \
        int32_t got = (call);                                                                   \
        if (got != (code) || memchr(message, 0, sizeof message) == NULL                         \
            || (message[0] == 0) != (got == PACKHOST_OK)) {                                     \
            message[sizeof message - 1] = 0;                                                    \
            fprintf(stderr, "%s:%d: %s is %d: %s\n", __FILE__, __LINE__, #call, got, message);  \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

/* Settings with a store, a registry and the path of a root, and members of a test. */
static char *settings_of(const char *store, const char *registry, const char *root, const char *more) {
    size_t size = strlen(store) + strlen(registry) + strlen(root) + strlen(more) + 100;
    char *text = malloc(size);
    CHECK(text != NULL);
    snprintf(text, size, "{\"store\": \"%s\", \"registry\": \"%s\", \"rootFile\": \"%s\"%s}", store, registry, root, more);
    return text;
}

/* Asks the test for something, by a line, and waits until it is done. */
static inline void ask(const char *what) {
    char line[16];
    printf("%s\n", what);
    fflush(stdout);
    CHECK(fgets(line, sizeof line, stdin) != NULL);
}

static inline void free_text(packhost_text text) { CHECK(packhost_free(text) == PACKHOST_OK); }

/* Whether a text that is freed now has this in it. */
static inline int has(packhost_text text, const char *part) {
    size_t length = 0;
    const char *bytes = packhost_text_get(text, &length);
    CHECK(bytes != NULL && strlen(bytes) == length);
    int found = strstr(bytes, part) != NULL;
    if (!found) fprintf(stderr, "no %s in %s\n", part, bytes);
    free_text(text);
    return found;
}

static inline const char *header_of(const packhost_response *response, const char *name) {
    for (size_t index = 0; index < response->header_count; index++)
        if (strcmp(response->headers[index].name, name) == 0) return response->headers[index].value;
    return NULL;
}
#endif
