/* The functions of packhost.h for hosts, cancellers and updates. */
#include "packhost_jni.h"

#include <stdlib.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_packtool_host_Native_##name

NATIVE(jlong, open)(JNIEnv *env, jclass class, jbyteArray settings) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_host host = PACKHOST_NONE;
    char *text = copy_text(env, settings, &failed);
    if (!failed) throw_failure(env, packhost_open(text, &host, message), message);
    free(text);
    return (jlong)host;
}

/* The code tells whether all has ended in time; nothing is thrown. */
NATIVE(jint, close)(JNIEnv *env, jclass class, jlong host, jlong milliseconds) {
    (void)env, (void)class;
    return packhost_close((packhost_host)host, milliseconds, NULL);
}

NATIVE(void, free)(JNIEnv *env, jclass class, jlong handle) {
    (void)env, (void)class;
    packhost_free((uint64_t)handle);
}

NATIVE(void, start)(JNIEnv *env, jclass class, jlong host, jlong milliseconds, jlong canceller) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    throw_failure(env, packhost_start((packhost_host)host, milliseconds, (packhost_canceller)canceller, message), message);
}

NATIVE(void, endSession)(JNIEnv *env, jclass class, jlong host, jlong milliseconds, jlong canceller) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    throw_failure(
        env, packhost_end_session((packhost_host)host, milliseconds, (packhost_canceller)canceller, message), message);
}

NATIVE(void, setNetwork)(JNIEnv *env, jclass class, jlong host, jint network) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    throw_failure(env, packhost_set_network((packhost_host)host, network, message), message);
}

NATIVE(void, setChannel)(JNIEnv *env, jclass class, jlong host, jbyteArray channel) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    char *text = copy_text(env, channel, &failed);
    if (!failed) throw_failure(env, packhost_set_channel((packhost_host)host, text, message), message);
    free(text);
}

NATIVE(jlong, newCanceller)(JNIEnv *env, jclass class) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_canceller canceller = PACKHOST_NONE;
    throw_failure(env, packhost_canceller_new(&canceller, message), message);
    return (jlong)canceller;
}

NATIVE(void, cancel)(JNIEnv *env, jclass class, jlong canceller) {
    (void)env, (void)class;
    packhost_cancel((packhost_canceller)canceller);
}

NATIVE(jbyteArray, check)(
    JNIEnv *env, jclass class, jlong host, jbyteArray packages, jlong milliseconds, jlong canceller) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text report = PACKHOST_NONE;
    char *names = copy_text(env, packages, &failed);
    if (failed) return NULL;
    int32_t code =
        packhost_check((packhost_host)host, names, milliseconds, (packhost_canceller)canceller, &report, message);
    free(names);
    return take_text(env, code, message, report);
}

struct delivery {
    JNIEnv *env;
    jobject listener;
};

/* Runs on the thread of the update, as all of libpackhost's callbacks do. */
static int32_t deliver(void *context, const packhost_progress *progress) {
    struct delivery *delivery = context;
    JNIEnv *env = delivery->env;
    /* After an exception JNI allows hardly any call. The exception waits for the end of the update. */
    if ((*env)->ExceptionCheck(env)) return 1;
    if ((*env)->PushLocalFrame(env, 4) != 0) return 1;
    jbyteArray package = NULL, version = NULL;
    if (progress->package != NULL) package = new_bytes(env, progress->package, strlen(progress->package));
    if (progress->version != NULL && !(*env)->ExceptionCheck(env))
        version = new_bytes(env, progress->version, strlen(progress->version));
    jboolean goes_on = JNI_FALSE;
    if (!(*env)->ExceptionCheck(env))
        goes_on = (*env)->CallStaticBooleanMethod(
            env, packhost_classes.natives, packhost_classes.deliver, delivery->listener, (jint)progress->phase, package,
            version, (jlong)progress->received, (jlong)progress->expected);
    if ((*env)->ExceptionCheck(env)) goes_on = JNI_FALSE;
    (*env)->PopLocalFrame(env, NULL);
    return goes_on ? 0 : 1;
}

NATIVE(jbyteArray, update)(
    JNIEnv *env, jclass class, jlong host, jbyteArray packages, jobject listener, jlong milliseconds, jlong canceller) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text report = PACKHOST_NONE;
    char *names = copy_text(env, packages, &failed);
    if (failed) return NULL;
    struct delivery delivery = {env, listener};
    int32_t code = packhost_update(
        (packhost_host)host, names, listener == NULL ? NULL : deliver, &delivery, milliseconds,
        (packhost_canceller)canceller, &report, message);
    free(names);
    return take_text(env, code, message, report);
}

NATIVE(jbyteArray, rollBack)(JNIEnv *env, jclass class, jlong host, jbyteArray package, jbyteArray reason) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text version = PACKHOST_NONE;
    char *name = copy_text(env, package, &failed), *why = copy_text(env, reason, &failed);
    jbyteArray result = NULL;
    if (!failed) {
        int32_t code = packhost_roll_back((packhost_host)host, name, why, &version, message);
        result = take_text(env, code, message, version);
    }
    free(name), free(why);
    return result;
}

NATIVE(jlong, folder)(JNIEnv *env, jclass class, jlong host, jbyteArray package) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text folder = PACKHOST_NONE;
    char *name = copy_text(env, package, &failed);
    if (!failed) throw_failure(env, packhost_folder((packhost_host)host, name, &folder, message), message);
    free(name);
    return (jlong)folder;
}

NATIVE(jbyteArray, text)(JNIEnv *env, jclass class, jlong text) {
    (void)class;
    size_t length = 0;
    const char *pointer = packhost_text_get((packhost_text)text, &length);
    return new_bytes(env, pointer == NULL ? "" : pointer, length);
}

NATIVE(void, confirm)(
    JNIEnv *env, jclass class, jlong host, jbyteArray package, jbyteArray version, jbyteArray token) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    char *name = copy_text(env, package, &failed), *number = copy_text(env, version, &failed),
         *load = copy_text(env, token, &failed);
    if (!failed) throw_failure(env, packhost_confirm((packhost_host)host, name, number, load, message), message);
    free(name), free(number), free(load);
}

NATIVE(jbyteArray, status)(JNIEnv *env, jclass class, jlong host) {
    (void)class;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text status = PACKHOST_NONE;
    int32_t code = packhost_status((packhost_host)host, &status, message);
    return take_text(env, code, message, status);
}

NATIVE(jbyteArray, explain)(JNIEnv *env, jclass class, jlong host, jbyteArray packages, jint events) {
    (void)class;
    int failed = 0;
    char message[PACKHOST_MESSAGE_SIZE];
    packhost_text explanation = PACKHOST_NONE;
    char *names = copy_text(env, packages, &failed);
    if (failed) return NULL;
    int32_t code = packhost_explain((packhost_host)host, names, (uint32_t)events, &explanation, message);
    free(names);
    return take_text(env, code, message, explanation);
}
