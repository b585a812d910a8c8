/*
 * The functions of packhost.h for views and answers. A request crosses as one byte[] of texts that end with 0: method, address, and names
 * and values of headers. An answer comes back as one too: reason, online address, file, and headers. One copy each way is what makes a
 * request cheap.
 */
#include "packhost_jni.h"

#include <stdlib.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_packtool_host_Native_##name

/* The places in the long[] of an answer; Native.java has the same. */
enum { HANDLE, STATUS, BODY, OFFSET, LENGTH, IS_ONLINE, HEADER_COUNT, NUMBER_COUNT };

/* Bytes that are read in one go. */
enum { LONGEST_READ = 256 * 1024 };

NATIVE(jlong, newView)(JNIEnv *env, jclass class, jlong host) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_view view = PACKHOST_NONE;
    throw_failure(env, packhost_view_new((packhost_host)host, &view, message), message);
    return (jlong)view;
}

NATIVE(void, confirmView)(JNIEnv *env, jclass class, jlong view) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    throw_failure(env, packhost_view_confirm((packhost_view)view, message), message);
}

NATIVE(jbyteArray, load)(JNIEnv *env, jclass class, jlong view) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text load = PACKHOST_NONE;
    int32_t code = packhost_view_load((packhost_view)view, &load, message);
    return take_text(env, code, message, load);
}

/* The next text of a request; NULL behind the last. */
static const char *next_text(const char **position, const char *end) {
    const char *text = *position, *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
    if (zero == NULL) return NULL;
    *position = zero + 1;
    return text;
}

static size_t size_of(const char *text) { return text == NULL ? 1 : strlen(text) + 1; }

static char *put(char *place, const char *text) {
    size_t size = size_of(text);
    memcpy(place, text == NULL ? "" : text, size);
    return place + size;
}

/* The texts of an answer; NULL with an exception pending. */
static jbyteArray texts_of(JNIEnv *env, const packhost_response *response) {
    size_t size = size_of(response->reason) + size_of(response->online) + size_of(response->file);
    for (size_t index = 0; index < response->header_count; index++)
        size += size_of(response->headers[index].name) + size_of(response->headers[index].value);
    char *texts = malloc(size);
    if (texts == NULL) {
        throw_out_of_memory(env);
        return NULL;
    }
    char *place = put(put(put(texts, response->reason), response->online), response->file);
    for (size_t index = 0; index < response->header_count; index++)
        place = put(put(place, response->headers[index].name), response->headers[index].value);
    jbyteArray bytes = new_bytes(env, texts, size);
    free(texts);
    return bytes;
}

/* Resolves a request, and gives the handle of the answer to Java only together with all that belongs to it. */
static jbyteArray resolve(
    JNIEnv *env, packhost_view view, const packhost_request *request, jlong milliseconds, jlong canceller,
    jlongArray numbers) {
    char message[PACKHOST_MESSAGE_SIZE] = "";
    packhost_answer answer = PACKHOST_NONE;
    packhost_response response;
    int32_t code = packhost_resolve(view, request, milliseconds, (packhost_canceller)canceller, &answer, message);
    /* Nobody else has the handle yet, so its pointers hold. */
    if (code == PACKHOST_OK) code = packhost_answer_get(answer, &response);
    if (throw_failure(env, code, message)) {
        packhost_free(answer);
        return NULL;
    }
    jbyteArray texts = texts_of(env, &response);
    jlong values[NUMBER_COUNT] = {
        [HANDLE] = (jlong)answer,
        [STATUS] = response.status,
        [BODY] = response.body,
        [OFFSET] = (jlong)response.offset,
        [LENGTH] = (jlong)response.length,
        [IS_ONLINE] = response.online != NULL,
        [HEADER_COUNT] = (jlong)response.header_count,
    };
    if (texts != NULL) (*env)->SetLongArrayRegion(env, numbers, 0, NUMBER_COUNT, values);
    if ((*env)->ExceptionCheck(env)) {
        packhost_free(answer);
        return NULL;
    }
    return texts;
}

NATIVE(jbyteArray, resolve)(
    JNIEnv *env, jclass class, jlong view, jbyteArray texts, jint header_count, jint kind, jlong milliseconds,
    jlong canceller, jlongArray numbers) {
    (void)class;
    int failed = 0;
    size_t length = 0;
    char *copy = copy_bytes(env, texts, &length, &failed);
    if (failed) return NULL;
    packhost_header *headers = malloc(((size_t)header_count + 1) * sizeof *headers);
    jbyteArray result = NULL;
    if (headers == NULL) {
        throw_out_of_memory(env);
    } else {
        const char *position = copy, *end = copy + length;
        packhost_request request = {.headers = headers, .kind = kind};
        request.method = next_text(&position, end);
        request.url = next_text(&position, end);
        for (jint index = 0; index < header_count; index++) {
            const char *name = next_text(&position, end), *value = next_text(&position, end);
            headers[request.header_count++] = (packhost_header){name, value};
        }
        result = resolve(env, (packhost_view)view, &request, milliseconds, canceller, numbers);
    }
    free(headers);
    free(copy);
    return result;
}

/* Returns how many bytes were read; 0 is the end. Java has checked the range. */
NATIVE(jint, read)(
    JNIEnv *env, jclass class, jlong answer, jlong position, jbyteArray buffer, jint offset, jint length) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    size_t capacity = length < LONGEST_READ ? (size_t)length : LONGEST_READ, count = 0;
    char *bytes = malloc(capacity + 1);
    if (bytes == NULL) {
        throw_out_of_memory(env);
        return 0;
    }
    int32_t code = packhost_answer_read((packhost_answer)answer, (uint64_t)position, bytes, capacity, &count, message);
    if (!throw_failure(env, code, message))
        (*env)->SetByteArrayRegion(env, buffer, offset, (jsize)count, (const jbyte *)bytes);
    free(bytes);
    return (jint)count;
}
