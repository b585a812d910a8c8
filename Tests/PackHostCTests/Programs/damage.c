/*
 * A whole run of an app over a store that may be damaged and a registry that may lie: any call may fail, with a message, and none ends
 * the process. A page that is shown is one of the two that were published.
 * Arguments: the store, the registry's address, the path of root.json.
 */
#include "check.h"

static char message[PACKHOST_MESSAGE_SIZE];

/* Whether a call has worked. Its message is whole either way. */
#define WORKED(call)                                                                                   \
    (memset(message, 'x', sizeof message), check_outcome((call), #call))

static int check_outcome(int32_t code, const char *call) {
    if (memchr(message, 0, sizeof message) == NULL || (message[0] == 0) != (code == PACKHOST_OK)) {
        message[sizeof message - 1] = 0;
        fprintf(stderr, "%s is %d: %s\n", call, code, message);
        exit(1);
    }
    return code == PACKHOST_OK;
}

/* Reads the answer's body to its end; where that works, a page has one of the two titles. */
static void read_page(packhost_answer answer, const packhost_response *response) {
    static char page[1 << 16];
    size_t sum = 0, count = 1;
    while (count > 0 && sum < sizeof page - 1)
        if (!WORKED(packhost_answer_read(answer, sum, page + sum, sizeof page - 1 - sum, &count, message))) return;
        else sum += count;
    page[sum] = 0;
    if (response->status != 200 || (strcmp(response->reason, "installed") != 0 && strcmp(response->reason, "installing") != 0)) return;
    if (strstr(page, "<title>one</title>") == NULL && strstr(page, "<title>two</title>") == NULL) {
        fprintf(stderr, "a page that nobody published: %s\n", page);
        exit(1);
    }
}

static void show(packhost_view view, int32_t kind, const char *url) {
    packhost_request request = {"GET", url, NULL, 0, kind};
    packhost_answer answer;
    packhost_response response;
    if (!WORKED(packhost_resolve(view, &request, 1000, PACKHOST_NONE, &answer, message))) return;
    CHECK(packhost_answer_get(answer, &response) == PACKHOST_OK);
    if (kind == PACKHOST_DOCUMENT) read_page(answer, &response);
    CHECK(packhost_free(answer) == PACKHOST_OK);
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    char *settings = settings_of(arguments[1], arguments[2], arguments[3], "");
    packhost_host host;
    packhost_view view;
    packhost_text text;
    for (int round = 0; round < 2; round++) {
        if (!WORKED(packhost_open(settings, &host, message))) continue;
        (void)WORKED(packhost_start(host, 1000, PACKHOST_NONE, message));
        if (WORKED(packhost_view_new(host, &view, message))) {
            show(view, PACKHOST_DOCUMENT, "https://shop.package/");
            show(view, PACKHOST_PART, "https://shop.package/data.txt");
            if (WORKED(packhost_update(host, NULL, NULL, NULL, 1000, PACKHOST_NONE, &text, message))) free_text(text);
            show(view, PACKHOST_DOCUMENT, "https://shop.package/");
            (void)WORKED(packhost_view_confirm(view, message));
            if (WORKED(packhost_view_load(view, &text, message))) free_text(text);
            CHECK(packhost_free(view) == PACKHOST_OK);
        }
        if (WORKED(packhost_check(host, NULL, 1000, PACKHOST_NONE, &text, message))) free_text(text);
        if (WORKED(packhost_status(host, &text, message))) free_text(text);
        if (WORKED(packhost_explain(host, "shop", 10, &text, message))) free_text(text);
        (void)WORKED(packhost_close(host, 1000, message));
    }
    free(settings);
    puts("done");
    return 0;
}
