/*
 * Updates a store and prints why it has what it has.
 * Arguments: the store, the registry's address, the path of root.json.
 */
#include "check.h"

static char message[PACKHOST_MESSAGE_SIZE];

int main(int count, char **arguments) {
    CHECK(count == 4);
    char *settings = settings_of(arguments[1], arguments[2], arguments[3], "");
    packhost_host host;
    packhost_text text;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_start(host, 60000, PACKHOST_NONE, message));
    EXPECT(PACKHOST_OK, packhost_update(host, NULL, NULL, NULL, 60000, PACKHOST_NONE, &text, message));
    free_text(text);
    EXPECT(PACKHOST_OK, packhost_explain(host, "shop", 0, &text, message));
    puts(packhost_text_get(text, NULL));
    free_text(text);
    EXPECT(PACKHOST_OK, packhost_close(host, 5000, message));
    free(settings);
    return 0;
}
