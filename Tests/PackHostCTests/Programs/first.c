/*
 * The first start of an app: installs its package, shows it, and confirms it.
 * Arguments: the store, the registry's address, the path of root.json.
 */
#include "check.h"

#include <time.h>

static char message[PACKHOST_MESSAGE_SIZE];

int main(int count, char **arguments) {
    CHECK(count == 4);
    char *settings = settings_of(arguments[1], arguments[2], arguments[3], "");
    packhost_host host;
    packhost_view view;
    packhost_answer answer;
    EXPECT(PACKHOST_OK, packhost_open(settings, &host, message));
    EXPECT(PACKHOST_OK, packhost_view_new(host, &view, message));
    /* Nothing is installed: it comes while it is shown. */
    packhost_request request = {"GET", "https://shop.package/", NULL, 0, PACKHOST_DOCUMENT};
    packhost_response response;
    EXPECT(PACKHOST_OK, packhost_resolve(view, &request, 60000, PACKHOST_NONE, &answer, message));
    CHECK(packhost_answer_get(answer, &response) == PACKHOST_OK && response.status == 200);
    CHECK(strcmp(response.reason, "installing") == 0 || strcmp(response.reason, "installed") == 0);
    CHECK(packhost_free(answer) == PACKHOST_OK);
    EXPECT(PACKHOST_OK, packhost_view_confirm(view, message));
    /* The rest of it comes by itself. */
    for (int round = 0; round < 600; round++) {
        packhost_text status;
        EXPECT(PACKHOST_OK, packhost_status(host, &status, message));
        int is_confirmed = strstr(packhost_text_get(status, NULL), "\"confirmed\":true") != NULL;
        CHECK(packhost_free(status) == PACKHOST_OK);
        if (is_confirmed) {
            CHECK(packhost_free(view) == PACKHOST_OK);
            EXPECT(PACKHOST_OK, packhost_close(host, 5000, message));
            free(settings);
            puts("confirmed");
            return 0;
        }
        struct timespec moment = {0, 50000000};
        nanosleep(&moment, NULL);
    }
    return 1;
}
