/*
 * One start of an app that opens its page and never confirms it. Prints the page's title.
 * Arguments: the store, the registry's address, the path of root.json.
 */
#include "check.h"

static char message[PACKHOST_MESSAGE_SIZE];

int main(int count, char **arguments) {
    CHECK(count == 4);
    char *settings = settings_of(arguments[1], arguments[2], arguments[3], "");
    packhost_host host;
    packhost_view view;
    packhost_text text;
    packhost_answer answer;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_start(host, 60000, PACKHOST_NONE, message));
    EXPECT(PACKHOST_OK, packhost_view_new(host, &view, message));
    packhost_request request = {"GET", "https://shop.package/", NULL, 0, PACKHOST_DOCUMENT};
    EXPECT(PACKHOST_OK, packhost_resolve(view, &request, 60000, PACKHOST_NONE, &answer, message));
    char body[256];
    size_t length = 0;
    EXPECT(PACKHOST_OK, packhost_answer_read(answer, 0, body, sizeof body - 1, &length, message));
    body[length] = 0;
    char *title = strstr(body, "<title>"), *end = strstr(body, "</title>");
    CHECK(title != NULL && end != NULL);
    *end = 0;
    puts(title + strlen("<title>"));
    EXPECT(PACKHOST_OK, packhost_update(host, NULL, NULL, NULL, 60000, PACKHOST_NONE, &text, message));
    CHECK(packhost_free(text) == PACKHOST_OK && packhost_free(answer) == PACKHOST_OK);
    CHECK(packhost_free(view) == PACKHOST_OK);
    EXPECT(PACKHOST_OK, packhost_close(host, 5000, message));
    free(settings);
    return 0;
}
