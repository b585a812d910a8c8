/*
 * One run of an app: installs a version, shows it, confirms it, takes the next one while a page is open, and goes back from a third
 * that never works. Arguments: the store, the registry's address, the path of root.json. It asks for versions by lines.
 */
#include "check.h"

static char message[PACKHOST_MESSAGE_SIZE];

struct seen {
    int checking, downloading, installed;
    int64_t received;
};

static int32_t note(void *context, const packhost_progress *progress) {
    struct seen *seen = context;
    if (progress->phase == PACKHOST_CHECKING) {
        CHECK(progress->package == NULL && progress->version == NULL);
        seen->checking++;
    } else {
        CHECK(strcmp(progress->package, "shop") == 0 && progress->version[0] != 0);
        CHECK(progress->expected == -1 || progress->expected >= progress->received);
        if (progress->phase == PACKHOST_DOWNLOADING) seen->downloading++;
        if (progress->phase == PACKHOST_INSTALLING) seen->installed++;
        if (progress->received > seen->received) seen->received = progress->received;
    }
    return 0;
}

static int32_t refuse(void *context, const packhost_progress *progress) {
    (void)context, (void)progress;
    return 1;
}

static packhost_answer resolve(packhost_view view, int32_t kind, const char *url, packhost_response *response) {
    packhost_header headers[] = {{"Accept", kind == PACKHOST_DOCUMENT ? "text/html" : "*/*"}};
    packhost_request request = {"GET", url, headers, 1, kind};
    packhost_answer answer;
    EXPECT(PACKHOST_OK, packhost_resolve(view, &request, 30000, PACKHOST_NONE, &answer, message));
    CHECK(packhost_answer_get(answer, response) == PACKHOST_OK);
    return answer;
}

/* Whether the body of an answer, read from its file and by the library, has this text in it. The answer is freed. */
static int body_has(packhost_answer answer, const packhost_response *response, const char *part) {
    char read[4096], file[4096];
    size_t count = 0, sum = 0;
    CHECK(response->length < sizeof read);
    /* A few bytes at a time, as streams do. */
    do {
        EXPECT(PACKHOST_OK, packhost_answer_read(answer, sum, read + sum, 7, &count, message));
        sum += count;
    } while (count > 0);
    CHECK(sum == response->length);
    read[sum] = 0;
    if (response->body == PACKHOST_BODY_FILE) {
        FILE *opened = fopen(response->file, "rb");
        CHECK(opened != NULL && fseek(opened, (long)response->offset, SEEK_SET) == 0);
        CHECK(fread(file, 1, response->length, opened) == response->length);
        fclose(opened);
        CHECK(memcmp(read, file, sum) == 0);
    } else {
        CHECK(response->body == PACKHOST_BODY_MEMORY && memcmp(read, response->bytes, sum) == 0);
    }
    int found = strstr(read, part) != NULL;
    if (!found) fprintf(stderr, "no %s in %s\n", part, read);
    CHECK(packhost_free(answer) == PACKHOST_OK);
    return found;
}

static int shows(packhost_view view, int32_t kind, const char *url, const char *part) {
    packhost_response response;
    packhost_answer answer = resolve(view, kind, url, &response);
    return body_has(answer, &response, part);
}

static void check_first_page(packhost_view view) {
    packhost_response response;
    packhost_answer answer = resolve(view, PACKHOST_DOCUMENT, "https://shop.package/", &response);
    CHECK(response.status == 200 && response.online == NULL && strcmp(response.reason, "installed") == 0);
    CHECK(strcmp(header_of(&response, "content-type"), "text/html; charset=utf-8") == 0);
    CHECK(header_of(&response, "etag") != NULL && header_of(&response, "content-length") != NULL);
    char tag[200];
    snprintf(tag, sizeof tag, "%s", header_of(&response, "etag"));
    CHECK(body_has(answer, &response, "<title>one</title>"));
    CHECK(shows(view, PACKHOST_PART, "https://shop.package/app.js", "say('one')"));
    CHECK(shows(view, PACKHOST_PART, "h5pack://shop/app.js", "say('one')"));

    /* A range, what the page has already, what no version has, and what is nobody's. */
    packhost_header range[] = {{"Range", "bytes=4-8"}};
    packhost_request request = {"GET", "https://shop.package/app.js", range, 1, PACKHOST_PART};
    EXPECT(PACKHOST_OK, packhost_resolve(view, &request, 1000, PACKHOST_NONE, &answer, message));
    CHECK(packhost_answer_get(answer, &response) == PACKHOST_OK);
    CHECK(response.status == 206 && response.length == 5 && response.offset == 4);
    CHECK(body_has(answer, &response, "'one'"));
    packhost_header known[] = {{"If-None-Match", tag}};
    request = (packhost_request){NULL, "https://shop.package/", known, 1, PACKHOST_PART};
    EXPECT(PACKHOST_OK, packhost_resolve(view, &request, 1000, PACKHOST_NONE, &answer, message));
    CHECK(packhost_answer_get(answer, &response) == PACKHOST_OK);
    CHECK(response.status == 304 && response.body == PACKHOST_BODY_NONE && response.length == 0);
    CHECK(packhost_free(answer) == PACKHOST_OK);
    answer = resolve(view, PACKHOST_PART, "https://shop.package/none.js", &response);
    CHECK(response.status == 404 && strcmp(response.reason, "notInVersion") == 0);
    CHECK(packhost_free(answer) == PACKHOST_OK);
    answer = resolve(view, PACKHOST_PART, "https://example.org/x", &response);
    CHECK(response.status == 0 && strcmp(response.online, "https://example.org/x") == 0);
    CHECK(strcmp(response.reason, "foreign") == 0);
    CHECK(packhost_free(answer) == PACKHOST_OK);

    packhost_text load;
    EXPECT(PACKHOST_OK, packhost_view_load(view, &load, message));
    CHECK(has(load, "\"missing\":[\"https://shop.package/none.js\"]"));
    EXPECT(PACKHOST_OK, packhost_view_confirm(view, message));
    EXPECT(PACKHOST_OK, packhost_view_confirm(view, message));
}

/* A registry that does not answer, and cancelled calls. */
static void check_limits(packhost_host host, const char *store, const char *root) {
    packhost_text report = 1;
    packhost_canceller canceller;
    EXPECT(PACKHOST_OK, packhost_canceller_new(&canceller, message));
    CHECK(packhost_cancel(canceller) == PACKHOST_OK);
    EXPECT(PACKHOST_CANCELLED, packhost_update(host, NULL, NULL, NULL, -1, canceller, &report, message));
    CHECK(report == PACKHOST_NONE && packhost_free(canceller) == PACKHOST_OK);
    EXPECT(PACKHOST_CANCELLED, packhost_update(host, NULL, refuse, NULL, -1, PACKHOST_NONE, &report, message));

    char *settings = settings_of(store, "http://127.0.0.1:9", root, "");
    packhost_host unreachable;
    EXPECT(PACKHOST_OK, packhost_open(settings, &unreachable, message));
    EXPECT(PACKHOST_UNREACHABLE, packhost_check(unreachable, NULL, 60000, PACKHOST_NONE, &report, message));
    EXPECT(PACKHOST_OK, packhost_close(unreachable, 5000, message));
    free(settings);
}

int main(int count, char **arguments) {
    CHECK(count == 4 && packhost_abi() == PACKHOST_ABI);
    char *settings =
        settings_of(arguments[1], arguments[2], arguments[3], ", \"activation\": \"at-once\", \"schemes\": [\"h5pack\"]");
    packhost_host host;
    packhost_view view;
    packhost_text text;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_start(host, PACKHOST_NO_LIMIT, PACKHOST_NONE, message));
    EXPECT(PACKHOST_OK, packhost_check(host, "shop", 60000, PACKHOST_NONE, &text, message));
    CHECK(has(text, "would-install"));
    struct seen seen = {0};
    EXPECT(PACKHOST_OK, packhost_update(host, NULL, note, &seen, 60000, PACKHOST_NONE, &text, message));
    CHECK(has(text, "\"outcome\":\"activated\""));
    CHECK(seen.checking > 0 && seen.downloading > 0 && seen.installed > 0 && seen.received > 0);

    EXPECT(PACKHOST_OK, packhost_view_new(host, &view, message));
    EXPECT(PACKHOST_NOT_FOUND, packhost_view_confirm(view, message));
    check_first_page(view);
    EXPECT(PACKHOST_OK, packhost_status(host, &text, message));
    CHECK(has(text, "\"confirmed\":true"));
    check_limits(host, arguments[1], arguments[3]);

    /* The page keeps its version over an update; the next one is new. */
    ask("publish 2.0.0 two");
    packhost_text load;
    EXPECT(PACKHOST_OK, packhost_view_load(view, &load, message));
    EXPECT(PACKHOST_OK, packhost_update(host, NULL, NULL, NULL, 60000, PACKHOST_NONE, &text, message));
    CHECK(has(text, "\"version\":\"2.0.0\"") && has(load, "\"version\":\"1.0.0\""));
    CHECK(shows(view, PACKHOST_PART, "https://shop.package/app.js", "say('one')"));
    EXPECT(PACKHOST_REFUSED, packhost_view_confirm(view, message));
    CHECK(shows(view, PACKHOST_DOCUMENT, "https://shop.package/", "<title>two</title>"));
    CHECK(shows(view, PACKHOST_PART, "https://shop.package/app.js", "say('two')"));
    EXPECT(PACKHOST_REFUSED, packhost_confirm(host, "shop", "2.0.0", "not the token", message));
    EXPECT(PACKHOST_OK, packhost_view_confirm(view, message));

    /* A version that does not work, by the app's own word, and back. */
    ask("publish 3.0.0 three");
    EXPECT(PACKHOST_OK, packhost_update(host, "shop", NULL, NULL, 60000, PACKHOST_NONE, &text, message));
    CHECK(has(text, "\"version\":\"3.0.0\""));
    CHECK(shows(view, PACKHOST_DOCUMENT, "https://shop.package/", "<title>three</title>"));
    EXPECT(PACKHOST_OK, packhost_roll_back(host, "shop", "its page is blank", &text, message));
    CHECK(strcmp(packhost_text_get(text, NULL), "2.0.0") == 0);
    free_text(text);
    CHECK(shows(view, PACKHOST_DOCUMENT, "https://shop.package/", "<title>two</title>"));
    EXPECT(PACKHOST_OK, packhost_explain(host, "shop", 100, &text, message));
    CHECK(has(text, "its page is blank"));
    EXPECT(PACKHOST_NOT_FOUND, packhost_roll_back(host, "other", NULL, NULL, message));

    EXPECT(PACKHOST_OK, packhost_end_session(host, 5000, PACKHOST_NONE, message));
    /* An answer outlives its host. */
    packhost_response response;
    packhost_answer answer = resolve(view, PACKHOST_PART, "https://shop.package/app.js", &response);
    EXPECT(PACKHOST_OK, packhost_close(host, 5000, message));
    CHECK(body_has(answer, &response, "say('two')"));
    packhost_request request = {"GET", "https://shop.package/app.js", NULL, 0, PACKHOST_PART};
    EXPECT(PACKHOST_CLOSED, packhost_resolve(view, &request, 1000, PACKHOST_NONE, &answer, message));
    EXPECT(PACKHOST_WRONG_HANDLE, packhost_close(host, 5000, message));
    CHECK(packhost_free(view) == PACKHOST_OK);
    free(settings);
    puts("done");
    return 0;
}
