/*
 * What a program may do wrong, one by one and then at random from eight threads, and none of it may end the process.
 * Arguments: a store with a version of shop, the registry's address, the path of root.json, the number of random sequences.
 */
#include "check.h"

#include <pthread.h>

enum { THREADS = 8, SHARED = 64 };

static char *settings;
static unsigned sequences;

/* Handles that all threads use, close and free, whoever made them. */
static uint64_t shared[SHARED];

static uint64_t take(unsigned *seed) { return __atomic_load_n(&shared[rand_r(seed) % SHARED], __ATOMIC_RELAXED); }
static void give(unsigned *seed, uint64_t handle) {
    __atomic_store_n(&shared[rand_r(seed) % SHARED], handle, __ATOMIC_RELAXED);
}

static void wrong_arguments(void) {
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_host host = 1;
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_open(NULL, &host, message));
    CHECK(host == PACKHOST_NONE);
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_open(settings, NULL, message));
    CHECK(packhost_open(NULL, NULL, NULL) == PACKHOST_WRONG_ARGUMENT);
    const char *wrong[] = {
        "", "{", "[]", "{}", "{\"store\": 1, \"registry\": \"x\"}", "{\"store\": \"\", \"registry\": \"x\"}",
        "{\"store\": \"/tmp/x\", \"registry\": \"https://\"}", "{\"store\": \"/tmp/x\", \"registry\": \"x\", \"colour\": 1}",
        "{\"store\": \"/tmp/x\", \"registry\": \"x\", \"channel\": \"No Channel\"}",
        "{\"store\": \"/tmp/x\", \"registry\": \"x\", \"starts\": 0}",
        "{\"store\": \"/tmp/x\", \"registry\": \"x\", \"network\": \"slow\"}",
        "{\"store\": \"/tmp/x\", \"registry\": \"x\", \"activation\": \"never\"}",
        "{\"store\": \"/tmp/x\", \"registry\": \"x\", \"rootFile\": \"/nowhere/root.json\"}",
        "{\"store\": \"\xff\", \"registry\": \"x\"}",
    };
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++)
        EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_open(wrong[index], &host, message));
    /* A message is cut, between two characters. */
    char *named = malloc(8000), *end = named;
    CHECK(named != NULL);
    end += sprintf(end, "{\"store\": \"/tmp/x\", \"registry\": \"x\", \"");
    for (int letter = 0; letter < 2000; letter++) end += sprintf(end, "\xe2\x82\xac");
    sprintf(end, "\": 1}");
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_open(named, &host, message));
    size_t length = strlen(message);
    CHECK(length > PACKHOST_MESSAGE_SIZE - 4 && memcmp(message + length - 3, "\xe2\x82\xac", 3) == 0);
    free(named);
}

static void wrong_handles(void) {
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_host host;
    packhost_view view;
    packhost_answer answer;
    packhost_text text;
    packhost_canceller canceller;
    packhost_response response;
    packhost_request request = {"GET", "https://shop.package/", NULL, 0, PACKHOST_DOCUMENT};
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_view_new(host, &view, message));
    EXPECT(PACKHOST_OK, packhost_canceller_new(&canceller, message));
    EXPECT(PACKHOST_OK, packhost_status(host, &text, message));
    EXPECT(PACKHOST_OK, packhost_resolve(view, &request, 30000, PACKHOST_NONE, &answer, message));
    uint64_t others[] = {0, 1, 42, UINT64_MAX, host + 1, view, canceller, text, answer};
    for (size_t index = 0; index < sizeof others / sizeof *others; index++) {
        uint64_t other = others[index];
        packhost_text none = 1;
        EXPECT(PACKHOST_WRONG_HANDLE, packhost_status(other, &none, message));
        CHECK(none == PACKHOST_NONE);
        EXPECT(PACKHOST_WRONG_HANDLE, packhost_update(other, NULL, NULL, NULL, 0, PACKHOST_NONE, &none, message));
        EXPECT(PACKHOST_WRONG_HANDLE, packhost_close(other, 0, message));
        if (other != view) EXPECT(PACKHOST_WRONG_HANDLE, packhost_resolve(other, &request, 0, PACKHOST_NONE, &none, message));
        if (other != view) EXPECT(PACKHOST_WRONG_HANDLE, packhost_view_confirm(other, message));
        if (other != answer) CHECK(packhost_answer_get(other, &response) == PACKHOST_WRONG_HANDLE);
        if (other != text) CHECK(packhost_text_get(other, NULL) == NULL);
        if (other != canceller) CHECK(packhost_cancel(other) == PACKHOST_WRONG_HANDLE);
        if (other != canceller && other != PACKHOST_NONE)
            EXPECT(PACKHOST_WRONG_HANDLE, packhost_start(host, 1000, other, message));
    }
    /* NULL where there must be something. */
    size_t count;
    CHECK(packhost_answer_get(answer, NULL) == PACKHOST_WRONG_ARGUMENT);
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_answer_read(answer, 0, NULL, 10, &count, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_answer_read(answer, 0, message, 10, NULL, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, NULL, 0, PACKHOST_NONE, &text, message));
    packhost_request broken = {"GET", NULL, NULL, 0, PACKHOST_PART};
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, &broken, 0, PACKHOST_NONE, &text, message));
    broken = (packhost_request){"GET", "x", NULL, 3, PACKHOST_PART};
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, &broken, 0, PACKHOST_NONE, &text, message));
    broken = (packhost_request){"GET", "x", NULL, 0, 77};
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, &broken, 0, PACKHOST_NONE, &text, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_set_network(host, 9, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_explain(host, "shop,,", 1, &text, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_confirm(host, "shop", "not a version", "t", message));
    /* Past the end there is nothing. */
    EXPECT(PACKHOST_OK, packhost_answer_read(answer, UINT64_MAX, message + 1, 10, &count, message));
    CHECK(count == 0);
    /* Everything twice. */
    CHECK(packhost_free(answer) == PACKHOST_OK && packhost_free(answer) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_free(view) == PACKHOST_OK && packhost_free(view) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_free(canceller) == PACKHOST_OK && packhost_free(canceller) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_free(host) == PACKHOST_WRONG_HANDLE && packhost_free(PACKHOST_NONE) == PACKHOST_OK);
    EXPECT(PACKHOST_OK, packhost_close(host, 5000, message));
    EXPECT(PACKHOST_WRONG_HANDLE, packhost_close(host, 5000, message));
}

static int32_t close_inside(void *context, const packhost_progress *progress) {
    (void)progress;
    packhost_close(*(packhost_host *)context, 5000, NULL);
    return 0;
}

static void close_in_callback(void) {
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_host host;
    packhost_text report;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    int32_t code = packhost_update(host, NULL, close_inside, &host, 60000, PACKHOST_NONE, &report, message);
    CHECK(code == PACKHOST_CLOSED || code == PACKHOST_OK || code == PACKHOST_CANCELLED);
    EXPECT(PACKHOST_WRONG_HANDLE, packhost_status(host, &report, message));
}

static void one_call(unsigned *seed) {
    char message[PACKHOST_MESSAGE_SIZE];
    uint64_t made = PACKHOST_NONE;
    packhost_response response;
    char buffer[64];
    size_t count;
    switch (rand_r(seed) % 20) {
    case 0: if (packhost_open(settings, &made, message) == PACKHOST_OK) give(seed, made); break;
    case 1: packhost_close(take(seed), rand_r(seed) % 20, message); break;
    case 2: case 3: case 4: packhost_free(take(seed)); break;
    case 5: case 6: if (packhost_view_new(take(seed), &made, message) == PACKHOST_OK) give(seed, made); break;
    case 7: if (packhost_canceller_new(&made, message) == PACKHOST_OK) give(seed, made); break;
    case 8: packhost_cancel(take(seed)); break;
    case 9: if (packhost_status(take(seed), &made, message) == PACKHOST_OK) give(seed, made); break;
    case 10: if (packhost_explain(take(seed), NULL, 5, &made, message) == PACKHOST_OK) give(seed, made); break;
    case 11: packhost_start(take(seed), rand_r(seed) % 50, take(seed), message); break;
    case 12: if (packhost_check(take(seed), NULL, rand_r(seed) % 30, take(seed), &made, message) == PACKHOST_OK) give(seed, made); break;
    case 13: packhost_view_confirm(take(seed), message); break;
    case 14: packhost_set_network(take(seed), rand_r(seed) % 4, message); break;
    case 15: packhost_answer_read(take(seed), rand_r(seed) % 100, buffer, sizeof buffer, &count, message); break;
    default: {
        /* What this thread holds, it may read. */
        int32_t kind = rand_r(seed) % 4;
        packhost_request request = {"GET", kind == 1 ? "https://shop.package/" : "h5pack://shop/app.js", NULL, 0, kind};
        if (packhost_resolve(take(seed), &request, rand_r(seed) % 200, PACKHOST_NONE, &made, message) != PACKHOST_OK) break;
        CHECK(packhost_answer_get(made, &response) == PACKHOST_OK);
        for (size_t index = 0; index < response.header_count; index++) CHECK(response.headers[index].value[0] != 0);
        give(seed, made);
    }
    }
}

static void *misuse(void *number) {
    unsigned seed = (unsigned)(size_t)number;
    for (unsigned sequence = 0; sequence < sequences / THREADS; sequence++)
        for (int call = 0; call < 5; call++) one_call(&seed);
    return NULL;
}

int main(int count, char **arguments) {
    CHECK(count == 5);
    settings = settings_of(arguments[1], arguments[2], arguments[3], ", \"schemes\": [\"h5pack\"]");
    sequences = (unsigned)atoi(arguments[4]);
    wrong_arguments();
    wrong_handles();
    close_in_callback();
    pthread_t threads[THREADS];
    for (size_t thread = 0; thread < THREADS; thread++)
        CHECK(pthread_create(&threads[thread], NULL, misuse, (void *)(thread + 1)) == 0);
    for (size_t thread = 0; thread < THREADS; thread++) CHECK(pthread_join(threads[thread], NULL) == 0);
    for (size_t index = 0; index < SHARED; index++)
        if (packhost_close(shared[index], 20000, NULL) == PACKHOST_WRONG_HANDLE) packhost_free(shared[index]);
    free(settings);
    puts("done");
    return 0;
}
