/*
 * packhost.h: the device side of packtool for programs in C and everything that calls C (JNI, Node, Python, Rust).
 *
 * A host keeps the packages of an app on one device: it looks for updates, verifies and installs them, answers the requests of a web
 * view from the installed version, and goes back to the version before if a new one does not work. docs/C-API.md has a whole program.
 *
 *     packhost_host host;
 *     char message[PACKHOST_MESSAGE_SIZE];
 *     if (packhost_open(settings, &host, message) != PACKHOST_OK) { puts(message); return 1; }
 *     packhost_start(host, PACKHOST_NO_LIMIT, PACKHOST_NONE, message);          // when the app starts
 *     packhost_view_new(host, &view, message);                                  // one for each web view
 *     packhost_resolve(view, &request, 30000, PACKHOST_NONE, &answer, message); // for each request of the view
 *     packhost_view_confirm(view, message);                                     // when the page works
 *     packhost_update(host, NULL, progress, context, 600000, canceller, &report, message);   // in the background
 *     packhost_close(host, 5000, message);
 *
 * HANDLES. Hosts, views, answers, texts and cancellers are numbers. The library looks each of them up, so a handle that was never given
 * out, was freed, or is of another kind makes a function return PACKHOST_WRONG_HANDLE and do nothing. No handle is ever given out twice.
 * PACKHOST_NONE (0) is no handle.
 *
 * OWNERSHIP. The caller owns every handle that a function gives it: it closes a host with packhost_close and frees all others with
 * packhost_free. Freeing a handle twice returns PACKHOST_WRONG_HANDLE. The library owns all memory behind its handles: pointers from
 * packhost_text_get and packhost_answer_get are valid until that handle is freed, and nobody may use them later or free them. The
 * library copies what it is given before a function returns, and keeps no pointer of the caller.
 *
 * THREADS. Every function may be called from any thread at any time, also for the same handle, and also from inside a progress
 * callback. Functions with a time limit block their thread; the library calls back on that thread only, and never after the
 * function has returned. packhost_set_channel, packhost_roll_back, packhost_confirm, packhost_status, packhost_explain and
 * packhost_view_confirm wait too, with no limit and no canceller: for what the host does at that moment, and, where they change
 * something, for the moment in which another process changes the store. No download is waited for. Call none of these functions on a
 * thread that must not wait, such as the one that draws.
 *
 * LIMITS. `milliseconds` is the longest time that a function may block; PACKHOST_NO_LIMIT means as long as it takes. After it the
 * function returns PACKHOST_TIMED_OUT, or, if a progress callback runs then, when that has returned. `canceller` is PACKHOST_NONE or a canceller: packhost_cancel, from any thread, makes the
 * function return PACKHOST_CANCELLED. In both cases what was under way is given up in the background, which leaves what is installed as
 * it was; or it has ended before, and holds.
 *
 * ERRORS. Functions return PACKHOST_OK or another code of packhost_code. `message` is NULL or has PACKHOST_MESSAGE_SIZE bytes. It gets
 * a sentence for a person, in English and UTF-8, cut to that size, with a 0 at its end; it is empty after PACKHOST_OK. Out parameters
 * are set only by PACKHOST_OK; before that a handle is set to PACKHOST_NONE. A NULL out parameter, text that is not UTF-8 and
 * settings that are not understood are PACKHOST_WRONG_ARGUMENT. After PACKHOST_TIMED_OUT, PACKHOST_CANCELLED and PACKHOST_CLOSED, what
 * was under way may have ended before, and holds. packhost_start returns the fault of a preset after it has done everything else.
 * packhost_resolve may have left a version that has used up its starts. A store whose disk fails in the middle of an update keeps the
 * steps that were done. After every other error of a host, the installed versions are as they were.
 *
 * TEXTS. All texts are UTF-8 with a 0 at the end. Results are JSON with the names of `packtool client … --json` (docs/JSON.md); new
 * versions may add members.
 *
 * STATE. Hosts share nothing but the table of handles: no settings, no log, no directory, no signal handler. Use one host for each
 * store and process. Several processes may use one store.
 */
#ifndef PACKHOST_H
#define PACKHOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of this interface. A library of the same version has every function and constant of this file, with the same meaning.
 * Functions and constants may be added; then the version stays. The file's name, libpackhost.so.1, ends with it, and so does the
 * version of its symbols, PACKHOST_1.
 */
#define PACKHOST_ABI 1

/* Returns PACKHOST_ABI of the library. A program that loads it at run time compares the two first. */
uint32_t packhost_abi(void);

typedef uint64_t packhost_host;
typedef uint64_t packhost_view;
typedef uint64_t packhost_answer;
typedef uint64_t packhost_text;
typedef uint64_t packhost_canceller;

/* No handle. */
#define PACKHOST_NONE ((uint64_t)0)
/* No time limit. Every negative number means the same. */
#define PACKHOST_NO_LIMIT ((int64_t)-1)
/* The size of every `message`, in bytes. */
#define PACKHOST_MESSAGE_SIZE 1024

/* What a function returns. Later libraries may return further codes: take them for PACKHOST_FAILED. */
typedef enum packhost_code {
    PACKHOST_OK = 0,
    /* Anything else. */
    PACKHOST_FAILED = 1,
    /* The handle is none, was freed, or is of another kind. */
    PACKHOST_WRONG_HANDLE = 2,
    PACKHOST_WRONG_ARGUMENT = 3,
    /* The host was closed, before or during the call. */
    PACKHOST_CLOSED = 4,
    PACKHOST_CANCELLED = 5,
    PACKHOST_TIMED_OUT = 6,
    /* The registry cannot be reached now; another try may succeed. */
    PACKHOST_UNREACHABLE = 7,
    /* The registry has too much to do; try again later. */
    PACKHOST_OVERLOADED = 8,
    /* Another update of the same store takes longer than `patience`; try again. */
    PACKHOST_BUSY = 9,
    /* Metadata or content that is not signed as it must be, is expired or damaged, or there is no root to trust. */
    PACKHOST_NOT_TRUSTED = 10,
    /* There is no such channel, package, version or file, or no version to go back to. */
    PACKHOST_NOT_FOUND = 11,
    /* A rule forbids it: another version or load than the one confirmed, or a version that this app cannot run. */
    PACKHOST_REFUSED = 12,
    PACKHOST_DISK_FULL = 13,
    /* The store cannot be read or written, is damaged, or was written by a newer program. */
    PACKHOST_STORE_FAILED = 14
} packhost_code;

/* ------------------------------------------------------------------------------------------------------------------ hosts */

/*
 * Opens a store, or creates one. Nothing is fetched, and nothing is written yet.
 *
 * `settings` is a JSON object. Unknown members are refused. `store` and `registry` are needed, all others may be left out:
 *
 *     store          the store's folder. It belongs to the library; do not let the system back it up
 *     registry       the address of the registry, https://…, its host in ASCII (xn--…), or the folder of one
 *     channel        default "stable"
 *     root, rootFile the app's root of trust: the text of root.json, or its path. Needed until the store has one
 *     app            the app's name in its registry; others are refused. Default: the one that the store saw first
 *     appVersion, platform, osVersion, locale, region, model, deviceID     texts that rollouts look at
 *     tags           an object of texts
 *     network        "metered" or "unmetered": packhost_set_network
 *     presets        a list of folders that `packtool preset` wrote
 *     activation     "next-start" (default) or "at-once": when a downloaded version becomes active
 *     starts         how many starts a version has to be confirmed in, default 2
 *     readySeconds   how long a version may run until it is confirmed; default: only starts count
 *     patience       how many seconds to wait for another update of the same store, default 60
 *     schemes        a list of the custom schemes of the app's web views, such as ["h5pack"]
 *     rules          the app's own web rules: the object of a rules file (docs/CONFIGURATION.md)
 *     loopback       a list of services on this device, HOST:PORT, that a package's `api` may lead to
 *     reports        true: report what becomes of updates (docs/REPORTS.md)
 *     reportFacts    true: report the platform and the app's and the system's version too
 */
int32_t packhost_open(const char *settings, packhost_host *host, char *message);

/*
 * Closes a host. Its functions that block return PACKHOST_CLOSED, and its views answer with that code from now on. Waits until
 * nothing of it works in the background any more. Answers and texts stay until they are freed: a file of an answer stays readable,
 * and so does the folder of packhost_folder.
 * Returns PACKHOST_TIMED_OUT if something still works after the time; the host is closed all the same.
 */
int32_t packhost_close(packhost_host host, int64_t milliseconds, char *message);

/* Frees a view, an answer, a text or a canceller. PACKHOST_NONE is allowed. A host is PACKHOST_WRONG_HANDLE here: close it. */
int32_t packhost_free(uint64_t handle);

/* Switches to staged versions and installs presets. Call it when the app starts, before pages open. */
int32_t packhost_start(packhost_host host, int64_t milliseconds, packhost_canceller canceller, char *message);

/*
 * Writes down, for reports, how the pages of this run were served. Call it when the app ends or goes to the background. Without
 * `reports` in the settings it does nothing.
 */
int32_t packhost_end_session(packhost_host host, int64_t milliseconds, packhost_canceller canceller, char *message);

/* What the user pays for, from the next check on. */
typedef enum packhost_network {
    PACKHOST_NETWORK_UNKNOWN = 0,
    PACKHOST_NETWORK_UNMETERED = 1,
    PACKHOST_NETWORK_METERED = 2
} packhost_network;

int32_t packhost_set_network(packhost_host host, int32_t network, char *message);

/* Looks at another channel from the next check on, until the host is closed. The app remembers the choice. */
int32_t packhost_set_channel(packhost_host host, const char *channel, char *message);

/* -------------------------------------------------------------------------------------------------------------- cancellers */

/* Makes a canceller. Any number of functions, at the same time and one after the other, may be given it. */
int32_t packhost_canceller_new(packhost_canceller *canceller, char *message);

/* Cancels every function that has the canceller, now and later. */
int32_t packhost_cancel(packhost_canceller canceller);

/* ----------------------------------------------------------------------------------------------------------------- updates */

/* `packages` below: NULL for all packages of the channel; or this; or names with commas between them, such as "shop,checkout". */
#define PACKHOST_OPENED "@opened" /* The packages that were opened on this device before, and the installed ones. */

/*
 * Asks the registry what an update would do now. Nothing is installed.
 * `report` gets the JSON of `packtool client update --check --json`.
 */
int32_t packhost_check(
    packhost_host host, const char *packages, int64_t milliseconds, packhost_canceller canceller, packhost_text *report,
    char *message);

typedef enum packhost_phase {
    /* The host looks for what the channel offers. `package` and `version` are NULL. */
    PACKHOST_CHECKING = 0,
    PACKHOST_DOWNLOADING = 1,
    /* Everything came; it is verified and unpacked. */
    PACKHOST_UNPACKING = 2,
    PACKHOST_INSTALLING = 3
} packhost_phase;

/* How far a package is. Valid during the callback only. */
typedef struct packhost_progress {
    int32_t phase;
    const char *package;
    const char *version;
    /* Bytes that came, and bytes that the server announced; -1 while it has not. */
    int64_t received;
    int64_t expected;
} packhost_progress;

/*
 * Called on the thread that called packhost_update, again and again, with what the host does meanwhile. If it is slow, the oldest
 * events are left out, and the update goes on. Return 0, or anything else to cancel the update.
 */
typedef int32_t (*packhost_progress_callback)(void *context, const packhost_progress *progress);

/*
 * Installs what the channel offers this device. Pages on view keep their version; the next page gets the new one, if `activation`
 * says so. `callback` may be NULL; `context` is handed to it unchanged. A second update of one host waits for the first.
 * `report` gets the JSON of `packtool client update --json`. A package that failed is in it with its reason, and the function returns
 * PACKHOST_OK: the others are updated. Errors are for what could not even be decided.
 */
int32_t packhost_update(
    packhost_host host, const char *packages, packhost_progress_callback callback, void *context, int64_t milliseconds,
    packhost_canceller canceller, packhost_text *report, char *message);

/*
 * Leaves the active version for the one that was confirmed before it, or for the one that the app embeds. `reason` is for the log;
 * NULL for none. `version`, if it is not NULL, gets the version that is active now, or an empty text if there is none.
 */
int32_t packhost_roll_back(
    packhost_host host, const char *package, const char *reason, packhost_text *version, char *message);

/*
 * Confirms that a version works. `token` names the load that works (packhost_view_load). packhost_view_confirm does the same for
 * the page on view.
 */
int32_t packhost_confirm(
    packhost_host host, const char *package, const char *version, const char *token, char *message);

/* The state of every package: the JSON of `packtool client status --json`. Nothing is fetched. */
int32_t packhost_status(packhost_host host, packhost_text *status, char *message);

/*
 * Why each package has what it has, and the newest events, at most `events`: the JSON of `packtool client explain --json`. Nothing is
 * fetched. `packages` is NULL for those on the device, or names with commas between them.
 */
int32_t packhost_explain(
    packhost_host host, const char *packages, uint32_t events, packhost_text *explanation, char *message);

/*
 * The folder of the active version's files, as its site has them, for a shell that shows a folder by itself. `folder` gets its path,
 * without a slash at the end. The folder and its files stay as they are until that text is freed, however many updates come, and
 * whether or not the host is closed before. It belongs to the library: only read it. Call the function again after an update, and
 * free the text before when nobody shows its folder any more. Two calls for one version give two texts. The function waits for nothing.
 * PACKHOST_NOT_FOUND if no version is completely installed, its files are damaged, or the channel has switched the package off.
 * What is installed is known after packhost_start. Nothing counts a start here: resolve the package's page (PACKHOST_DOCUMENT) in a
 * view before the shell shows the folder, and call packhost_view_confirm when it works.
 */
int32_t packhost_folder(packhost_host host, const char *package, packhost_text *folder, char *message);

/* Returns the text of a handle, or NULL if it is wrong. `length`, if it is not NULL, gets its bytes without the 0 at the end. */
const char *packhost_text_get(packhost_text text, size_t *length);

/* ------------------------------------------------------------------------------------------------------------------- views */

/*
 * Makes a view: what one web view, window or tab shows. Every page in it gets all its files from the version that was active when
 * the page started.
 */
int32_t packhost_view_new(packhost_host host, packhost_view *view, char *message);

typedef struct packhost_header {
    const char *name;
    const char *value;
} packhost_header;

typedef enum packhost_request_kind {
    /* A part of the page on view: a script, a style, an image, data. */
    PACKHOST_PART = 0,
    /*
     * The document of the view's own page. Its package is made ready: if it is not installed, it begins to install itself, which
     * fetches. If its version is not confirmed, this is a start of it, and is counted before the function returns. From here on,
     * the view's parts belong to this page.
     */
    PACKHOST_DOCUMENT = 1,
    /* The document of a frame. Its package is made ready, and nothing is counted. */
    PACKHOST_FRAME = 2
} packhost_request_kind;

typedef struct packhost_request {
    /* NULL for GET. */
    const char *method;
    /* The address as the page sent it, such as https://shop.package/app.js or h5pack://shop/app.js. */
    const char *url;
    /* The request's headers. Give all that are known, above all Range, If-None-Match, Referer and Accept. */
    const packhost_header *headers;
    size_t header_count;
    int32_t kind;
} packhost_request;

/*
 * Answers a request of a view. A request that the device has a file for is answered at once, without a lock of the store and without
 * the network. A file that is still on its way is waited for.
 */
int32_t packhost_resolve(
    packhost_view view, const packhost_request *request, int64_t milliseconds, packhost_canceller canceller,
    packhost_answer *answer, char *message);

typedef enum packhost_body {
    PACKHOST_BODY_NONE = 0,
    /* `length` bytes at `bytes`. */
    PACKHOST_BODY_MEMORY = 1,
    /* `length` bytes of `file`, from `offset` on. The file does not change, and stays until the answer is freed. */
    PACKHOST_BODY_FILE = 2
} packhost_body;

typedef struct packhost_response {
    /* The address to send the request to, with its method, headers and body; NULL if the device answers. */
    const char *online;
    /* Why, in one word, such as "installed", "rule" or "notInstalled" (docs/WEB-COVERAGE.md). */
    const char *reason;
    /* The status of HTTP; 0 with `online`. The device answers with an error page where it has nothing to show. */
    int32_t status;
    int32_t body;
    /* Names in lower case, in the order of the names. With `content-type` where there is a body. */
    const packhost_header *headers;
    size_t header_count;
    const char *file;
    uint64_t offset;
    const void *bytes;
    uint64_t length;
} packhost_response;

/* Fills `response`. Its pointers are valid until the answer is freed. */
int32_t packhost_answer_get(packhost_answer answer, packhost_response *response);

/*
 * Reads the body of an answer, in memory or in a file: at most `capacity` bytes from `position` on, counted from the body's beginning.
 * `count` gets how many were read; 0 is the end.
 */
int32_t packhost_answer_read(
    packhost_answer answer, uint64_t position, void *buffer, size_t capacity, size_t *count, char *message);

/*
 * Confirms that the version of the page on view works. PACKHOST_NOT_FOUND if the view shows no page that the device has answered.
 * PACKHOST_REFUSED if another version or load has replaced it.
 */
int32_t packhost_view_confirm(packhost_view view, char *message);

/*
 * The load of the page on view, for packhost_confirm and for the page itself: {"package": …, "version": …, "token": …, "missing": […]}.
 * `missing` has the addresses of scripts and styles that the page requested and its version does not have: such a page is not ready
 * when it has loaded. PACKHOST_NOT_FOUND as for packhost_view_confirm.
 */
int32_t packhost_view_load(packhost_view view, packhost_text *load, char *message);

#ifdef __cplusplus
}
#endif

#endif
