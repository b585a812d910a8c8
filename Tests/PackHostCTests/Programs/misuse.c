/*
 * What a program may do wrong, one by one and then at random from eight threads, and none of it may end the process.
 * Arguments: a store with a version of shop, the registry's address, the path of root.json, the number of random sequences.
 */
#include "check.h"

#include <pthread.h>

enum { THREADS = 8, SLOTS = 8 };
enum kind { HOST, VIEW, ANSWER, TEXT, CANCELLER, KINDS };

static char *settings;
static unsigned sequences;

/* Handles that all threads use, close and free, whoever made them. */
static uint64_t shared[KINDS][SLOTS];

/* Marsaglia's xorshift. */
static unsigned random_number(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (unsigned)(*seed >> 32);
}

/* Mostly a handle of the kind, which another thread may free at any time; sometimes one of another kind. */
static uint64_t take(uint64_t *seed, enum kind kind) {
    if (random_number(seed) % 6 == 0) kind = random_number(seed) % KINDS;
    return __atomic_load_n(&shared[kind][random_number(seed) % SLOTS], __ATOMIC_RELAXED);
}

/* Keeps a handle, if it is one, in the place of another, which is closed or freed; it may have been before. */
static void give(uint64_t *seed, enum kind kind, int32_t code, uint64_t handle) {
    if (code != PACKHOST_OK) return;
    uint64_t old = __atomic_exchange_n(&shared[kind][random_number(seed) % SLOTS], handle, __ATOMIC_RELAXED);
    if (kind == HOST) packhost_close(old, 0, NULL);
    else packhost_free(old);
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
        "{\"store\": \"/tmp/x\", \"registry\": \"https://b\xc3\xbc" "cher.example\"}",
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
        none = 1;
        EXPECT(PACKHOST_WRONG_HANDLE, packhost_folder(other, "shop", &none, message));
        CHECK(none == PACKHOST_NONE);
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
    packhost_text none;
    CHECK(packhost_answer_get(answer, NULL) == PACKHOST_WRONG_ARGUMENT);
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_answer_read(answer, 0, NULL, 10, &count, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_answer_read(answer, 0, message, 10, NULL, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, NULL, 0, PACKHOST_NONE, &none, message));
    packhost_request broken = {"GET", NULL, NULL, 0, PACKHOST_PART};
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, &broken, 0, PACKHOST_NONE, &none, message));
    broken = (packhost_request){"GET", "x", NULL, 3, PACKHOST_PART};
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, &broken, 0, PACKHOST_NONE, &none, message));
    broken = (packhost_request){"GET", "x", NULL, 0, 77};
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_resolve(view, &broken, 0, PACKHOST_NONE, &none, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_set_network(host, 9, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_explain(host, "shop,,", 1, &none, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_confirm(host, "shop", "not a version", "t", message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_folder(host, NULL, &none, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_folder(host, "shop", NULL, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_folder(host, "No Package", &none, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_folder(host, "\xff", &none, message));
    EXPECT(PACKHOST_WRONG_ARGUMENT, packhost_folder(host, "../shop", &none, message));
    EXPECT(PACKHOST_NOT_FOUND, packhost_folder(host, "other", &none, message));
    /* A folder is a text like others. */
    packhost_text folder, same;
    EXPECT(PACKHOST_OK, packhost_folder(host, "shop", &folder, message));
    EXPECT(PACKHOST_OK, packhost_folder(host, "shop", &same, message));
    CHECK(folder != same && strcmp(packhost_text_get(folder, &count), packhost_text_get(same, NULL)) == 0);
    CHECK(strlen(packhost_text_get(folder, NULL)) == count && packhost_text_get(folder, NULL)[count - 1] != '/');
    CHECK(packhost_free(folder) == PACKHOST_OK && packhost_free(folder) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_text_get(folder, NULL) == NULL && packhost_text_get(same, NULL) != NULL);
    /* Past the end there is nothing. */
    EXPECT(PACKHOST_OK, packhost_answer_read(answer, UINT64_MAX, message + 1, 10, &count, message));
    CHECK(count == 0);
    /* Everything twice. */
    CHECK(packhost_free(text) == PACKHOST_OK && packhost_free(text) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_free(answer) == PACKHOST_OK && packhost_free(answer) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_free(view) == PACKHOST_OK && packhost_free(view) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_free(canceller) == PACKHOST_OK && packhost_free(canceller) == PACKHOST_WRONG_HANDLE);
    CHECK(packhost_free(host) == PACKHOST_WRONG_HANDLE && packhost_free(PACKHOST_NONE) == PACKHOST_OK);
    EXPECT(PACKHOST_OK, packhost_close(host, 5000, message));
    EXPECT(PACKHOST_WRONG_HANDLE, packhost_close(host, 5000, message));
    EXPECT(PACKHOST_WRONG_HANDLE, packhost_folder(host, "shop", &none, message));
    CHECK(packhost_text_get(same, NULL) != NULL && packhost_free(same) == PACKHOST_OK);
}

struct closing {
    packhost_host host;
    /* What the first close returned; -1 before it. */
    int32_t code;
};

static int32_t close_inside(void *context, const packhost_progress *progress) {
    (void)progress;
    struct closing *closing = context;
    int32_t code = packhost_close(closing->host, 5000, NULL);
    if (closing->code == -1) closing->code = code;
    else CHECK(code == PACKHOST_WRONG_HANDLE);
    return 0;
}

static void close_in_callback(void) {
    char message[PACKHOST_MESSAGE_SIZE];
    struct closing closing = {PACKHOST_NONE, -1};
    packhost_text report;
    EXPECT(PACKHOST_OK, packhost_open(settings, &closing.host, message));
    int32_t code = packhost_update(closing.host, NULL, close_inside, &closing, 60000, PACKHOST_NONE, &report, message);
    /* The update may have ended before the first callback. limits.c has one that cannot. */
    CHECK(closing.code == PACKHOST_OK && (code == PACKHOST_CLOSED || code == PACKHOST_OK));
    EXPECT(PACKHOST_WRONG_HANDLE, packhost_status(closing.host, &report, message));
}

static int32_t cancel_some(void *context, const packhost_progress *progress) {
    (void)progress;
    return random_number(context) % 4 == 0;
}

static void one_call(uint64_t *seed) {
    char message[PACKHOST_MESSAGE_SIZE], buffer[64];
    uint64_t made = PACKHOST_NONE;
    packhost_response response;
    size_t count;
    int32_t code;
    switch (random_number(seed) % 28) {
    case 0: code = packhost_open(settings, &made, message); give(seed, HOST, code, made); break;
    case 1: if (random_number(seed) % 4 == 0) packhost_close(take(seed, HOST), random_number(seed) % 20, message); break;
    case 2: packhost_free(take(seed, random_number(seed) % KINDS)); break;
    case 3: case 4: code = packhost_view_new(take(seed, HOST), &made, message); give(seed, VIEW, code, made); break;
    case 5: code = packhost_canceller_new(&made, message); give(seed, CANCELLER, code, made); break;
    case 6: packhost_cancel(take(seed, CANCELLER)); break;
    case 7: code = packhost_status(take(seed, HOST), &made, message); give(seed, TEXT, code, made); break;
    case 8: code = packhost_explain(take(seed, HOST), NULL, 5, &made, message); give(seed, TEXT, code, made); break;
    case 9: packhost_start(take(seed, HOST), random_number(seed) % 50, take(seed, CANCELLER), message); break;
    case 10:
        code = packhost_check(take(seed, HOST), NULL, random_number(seed) % 30, take(seed, CANCELLER), &made, message);
        give(seed, TEXT, code, made);
        break;
    case 11:
        code = packhost_update(
            take(seed, HOST), PACKHOST_OPENED, cancel_some, seed, random_number(seed) % 60, PACKHOST_NONE, &made, message);
        give(seed, TEXT, code, made);
        break;
    case 12: packhost_view_confirm(take(seed, VIEW), message); break;
    case 13: code = packhost_view_load(take(seed, VIEW), &made, message); give(seed, TEXT, code, made); break;
    case 14: packhost_set_network(take(seed, HOST), random_number(seed) % 4, message); break;
    case 15: packhost_set_channel(take(seed, HOST), "stable", message); break;
    case 16: code = packhost_roll_back(take(seed, HOST), "other", NULL, &made, message); give(seed, TEXT, code, made); break;
    case 17: packhost_confirm(take(seed, HOST), "shop", "9.9.9", "none", message); break;
    case 18: packhost_end_session(take(seed, HOST), random_number(seed) % 50, PACKHOST_NONE, message); break;
    case 19:
        code = packhost_answer_read(
            take(seed, ANSWER), random_number(seed) % 100, buffer, random_number(seed) % sizeof buffer, &count, message);
        CHECK(code != PACKHOST_OK || count <= sizeof buffer);
        break;
    case 20:
        code = packhost_folder(take(seed, HOST), random_number(seed) % 4 ? "shop" : "other", &made, message);
        if (code == PACKHOST_OK) CHECK(packhost_text_get(made, &count)[0] == '/');
        give(seed, TEXT, code, made);
        break;
    default: {
        int32_t kind = random_number(seed) % 4;
        packhost_request request = {"GET", kind == 1 ? "https://shop.package/" : "h5pack://shop/app.js", NULL, 0, kind};
        code = packhost_resolve(take(seed, VIEW), &request, random_number(seed) % 200, PACKHOST_NONE, &made, message);
        if (code != PACKHOST_OK) break;
        /* Nobody else has it yet, so its pointers hold. */
        CHECK(packhost_answer_get(made, &response) == PACKHOST_OK);
        for (size_t index = 0; index < response.header_count; index++) CHECK(response.headers[index].value[0] != 0);
        give(seed, ANSWER, code, made);
    }
    }
}

static void *misuse(void *number) {
    uint64_t seed = (uint64_t)(size_t)number * 0x9E3779B97F4A7C15;
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
    for (size_t slot = 0; slot < SLOTS; slot++) {
        packhost_close(shared[HOST][slot], 20000, NULL);
        for (int kind = VIEW; kind < KINDS; kind++) packhost_free(shared[kind][slot]);
    }
    free(settings);
    puts("done");
    return 0;
}
