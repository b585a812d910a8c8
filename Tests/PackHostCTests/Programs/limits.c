/*
 * What ends a call before its work does: its limit, though the callback is slow, and a close or a canceller from inside the callback.
 * Arguments: a new store, the registry's address, the path of root.json. The registry has a large version of shop.
 */
#include "check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static char message[PACKHOST_MESSAGE_SIZE];

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int32_t be_slow(void *context, const packhost_progress *progress) {
    (void)progress;
    ++*(int *)context;
    usleep(200000);
    return 0;
}

/* The download has dozens of events, and the callback takes longer for each than they come. */
static void check_slow_callback(packhost_host host) {
    int count = 0;
    packhost_text report = PACKHOST_NONE;
    int64_t start = now();
    int32_t code = packhost_update(host, NULL, be_slow, &count, 500, PACKHOST_NONE, &report, message);
    CHECK(code == PACKHOST_TIMED_OUT || code == PACKHOST_OK);
    CHECK(now() - start < 2500 && count < 12);
    CHECK(packhost_free(report) == PACKHOST_OK);
}

struct ending {
    packhost_host host;
    packhost_canceller canceller;
    int32_t code;
    int count;
};

static int32_t close_inside(void *context, const packhost_progress *progress) {
    struct ending *ending = context;
    CHECK(progress->phase == PACKHOST_CHECKING);
    ending->count++;
    ending->code = packhost_close(ending->host, 20000, NULL);
    return 0;
}

static int32_t cancel_inside(void *context, const packhost_progress *progress) {
    struct ending *ending = context;
    CHECK(progress->phase == PACKHOST_CHECKING);
    ending->count++;
    ending->code = packhost_cancel(ending->canceller);
    return 0;
}

/* A registry that takes connections and never answers: an update of it does not end by itself. */
static void check_ends_inside(const char *store, const char *root) {
    int registry = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    CHECK(registry >= 0 && bind(registry, (struct sockaddr *)&address, size) == 0 && listen(registry, 16) == 0);
    CHECK(getsockname(registry, (struct sockaddr *)&address, &size) == 0);
    char url[64], other[4096];
    snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    snprintf(other, sizeof other, "%s-of-mute", store);
    char *settings = settings_of(other, url, root, "");
    packhost_text report;

    struct ending ending = {.code = -1};
    EXPECT(PACKHOST_OK, packhost_open(settings, &ending.host, message));
    EXPECT(PACKHOST_CLOSED, packhost_update(ending.host, NULL, close_inside, &ending, 120000, PACKHOST_NONE, &report, message));
    /* The close has ended the update, and waited for that. */
    CHECK(ending.code == PACKHOST_OK && ending.count == 1);

    ending = (struct ending){.code = -1};
    EXPECT(PACKHOST_OK, packhost_open(settings, &ending.host, message));
    EXPECT(PACKHOST_OK, packhost_canceller_new(&ending.canceller, message));
    EXPECT(
        PACKHOST_CANCELLED,
        packhost_update(ending.host, NULL, cancel_inside, &ending, 120000, ending.canceller, &report, message));
    CHECK(ending.code == PACKHOST_OK && ending.count == 1);
    EXPECT(PACKHOST_TIMED_OUT, packhost_update(ending.host, NULL, NULL, NULL, 0, PACKHOST_NONE, &report, message));
    CHECK(packhost_free(ending.canceller) == PACKHOST_OK);
    EXPECT(PACKHOST_OK, packhost_close(ending.host, 20000, message));
    free(settings);
    close(registry);
}

static void *confirm_wrongly(void *context) {
    char message[PACKHOST_MESSAGE_SIZE];
    EXPECT(PACKHOST_REFUSED, packhost_confirm(*(packhost_host *)context, "shop", "1.0.0", "not the token", message));
    return NULL;
}

/* A document that waits for a store that another process has locked, and is given up. */
static void check_document(const char *settings, const char *store) {
    char path[4096];
    snprintf(path, sizeof path, "%s/state.lock", store);
    packhost_host host;
    packhost_view view;
    packhost_answer answer;
    packhost_text status;
    pthread_t thread;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_view_new(host, &view, message));
    int lock = open(path, O_RDWR);
    CHECK(lock >= 0 && flock(lock, LOCK_EX) == 0);
    /* It waits for the lock, and everything else for it. */
    CHECK(pthread_create(&thread, NULL, confirm_wrongly, &host) == 0);
    sleep(1);
    packhost_request request = {"GET", "https://shop.package/", NULL, 0, PACKHOST_DOCUMENT};
    EXPECT(PACKHOST_TIMED_OUT, packhost_resolve(view, &request, 300, PACKHOST_NONE, &answer, message));
    CHECK(close(lock) == 0 && pthread_join(thread, NULL) == 0);
    /* Waits until what was given up has ended. */
    EXPECT(PACKHOST_OK, packhost_close(host, 20000, message));
    CHECK(packhost_free(view) == PACKHOST_OK);
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_status(host, &status, message));
    CHECK(has(status, "\"starts\":0"));
    EXPECT(PACKHOST_OK, packhost_close(host, 20000, message));
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    char *settings = settings_of(arguments[1], arguments[2], arguments[3], ", \"activation\": \"at-once\"");
    packhost_host host;
    packhost_text report;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    check_slow_callback(host);
    EXPECT(PACKHOST_OK, packhost_close(host, 20000, message));
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_update(host, NULL, NULL, NULL, 60000, PACKHOST_NONE, &report, message));
    CHECK(has(report, "\"version\":\"1.0.0\""));
    EXPECT(PACKHOST_OK, packhost_close(host, 20000, message));
    check_document(settings, arguments[1]);
    check_ends_inside(arguments[1], arguments[3]);
    free(settings);
    puts("done");
    return 0;
}
