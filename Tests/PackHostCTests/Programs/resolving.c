/*
 * How long a program in C takes for a request of a file of 100 KB, from the request to its last byte: Resolving.java without a JVM. Prints
 * the median and the 99th percentile in microseconds. Arguments: the store, the registry's address, the path of root.json, the number of
 * requests, and the number of files, which are called file-0.bin and so on.
 */
#include "check.h"

#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int is_longer(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    CHECK(count == 6);
    static char message[PACKHOST_MESSAGE_SIZE], buffer[128 * 1024];
    int rounds = atoi(arguments[4]), files = atoi(arguments[5]);
    int64_t *times = malloc((size_t)rounds * sizeof *times);
    CHECK(rounds > 0 && times != NULL);
    char *settings = settings_of(arguments[1], arguments[2], arguments[3], ", \"activation\": \"at-once\"");
    packhost_host host;
    packhost_view view;
    packhost_text text;
    packhost_answer answer;
    packhost_response response;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_update(host, NULL, NULL, NULL, 60000, PACKHOST_NONE, &text, message));
    free_text(text);
    EXPECT(PACKHOST_OK, packhost_view_new(host, &view, message));
    packhost_request request = {"GET", "https://shop.package/", NULL, 0, PACKHOST_DOCUMENT};
    EXPECT(PACKHOST_OK, packhost_resolve(view, &request, 60000, PACKHOST_NONE, &answer, message));
    CHECK(packhost_free(answer) == PACKHOST_OK);
    packhost_header headers[] = {
        {"Accept", "*/*"},
        {"Sec-Fetch-Dest", "script"},
        {"Referer", "https://shop.package/"},
        {"User-Agent",
         "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"},
    };
    for (int round = 0; round < rounds * 2; round++) {
        char url[64];
        snprintf(url, sizeof url, "https://shop.package/file-%d.bin", (int)(round * 7919LL % files));
        request = (packhost_request){"GET", url, headers, 4, PACKHOST_PART};
        int64_t start = now();
        size_t got = 0, sum = 0;
        CHECK(packhost_resolve(view, &request, 1000, PACKHOST_NONE, &answer, message) == PACKHOST_OK);
        CHECK(packhost_answer_get(answer, &response) == PACKHOST_OK);
        do {
            CHECK(packhost_answer_read(answer, sum, buffer, sizeof buffer, &got, message) == PACKHOST_OK);
            sum += got;
        } while (got > 0);
        CHECK(packhost_free(answer) == PACKHOST_OK);
        /* The first half warms the caches. */
        if (round >= rounds) times[round - rounds] = now() - start;
        CHECK(sum == 100000);
    }
    qsort(times, (size_t)rounds, sizeof *times, is_longer);
    printf("%.1f %.1f\n", (double)times[rounds / 2] / 1000, (double)times[rounds * 99 / 100] / 1000);
    CHECK(packhost_free(view) == PACKHOST_OK);
    EXPECT(PACKHOST_OK, packhost_close(host, 5000, message));
    free(settings);
    free(times);
    return 0;
}
