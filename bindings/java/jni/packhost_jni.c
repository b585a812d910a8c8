/* Loading, exceptions and texts. */
#include "packhost_jni.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packhost_classes packhost_classes;

static jclass find(JNIEnv *env, const char *name) {
    jclass found = (*env)->FindClass(env, name);
    if (found == NULL) return NULL;
    jclass kept = (*env)->NewGlobalRef(env, found);
    (*env)->DeleteLocalRef(env, found);
    return kept;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *env = NULL;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
    if (packhost_abi() != PACKHOST_ABI) {
        char message[100];
        snprintf(message, sizeof message, "libpackhost has interface %u, and this library needs %d", packhost_abi(), PACKHOST_ABI);
        jclass error = (*env)->FindClass(env, "java/lang/UnsatisfiedLinkError");
        if (error != NULL) (*env)->ThrowNew(env, error, message);
        return JNI_ERR;
    }
    struct packhost_classes *classes = &packhost_classes;
    classes->exception = find(env, "packtool/host/PackHostException");
    classes->natives = find(env, "packtool/host/Native");
    if (classes->exception == NULL || classes->natives == NULL) return JNI_ERR;
    classes->new_exception = (*env)->GetMethodID(env, classes->exception, "<init>", "(I[B)V");
    classes->deliver =
        (*env)->GetStaticMethodID(env, classes->natives, "deliver", "(Lpacktool/host/UpdateListener;I[B[BJJ)Z");
    if (classes->new_exception == NULL || classes->deliver == NULL) return JNI_ERR;
    return JNI_VERSION_1_6;
}

void throw_out_of_memory(JNIEnv *env) {
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (error != NULL) (*env)->ThrowNew(env, error, "libpackhost_jni: no memory");
}

int throw_failure(JNIEnv *env, int32_t code, const char *message) {
    if (code == PACKHOST_OK) return 0;
    if ((*env)->ExceptionCheck(env)) return 1;
    jbyteArray bytes = new_bytes(env, message, strlen(message));
    if (bytes == NULL) return 1;
    jobject exception =
        (*env)->NewObject(env, packhost_classes.exception, packhost_classes.new_exception, (jint)code, bytes);
    if (exception != NULL) (*env)->Throw(env, (jthrowable)exception);
    return 1;
}

char *copy_bytes(JNIEnv *env, jbyteArray bytes, size_t *length, int *failed) {
    if (length != NULL) *length = 0;
    if (bytes == NULL || *failed) return NULL;
    jsize count = (*env)->GetArrayLength(env, bytes);
    char *copy = malloc((size_t)count + 1);
    if (copy == NULL) {
        throw_out_of_memory(env);
        *failed = 1;
        return NULL;
    }
    (*env)->GetByteArrayRegion(env, bytes, 0, count, (jbyte *)copy);
    copy[count] = 0;
    if (length != NULL) *length = (size_t)count;
    return copy;
}

char *copy_text(JNIEnv *env, jbyteArray text, int *failed) { return copy_bytes(env, text, NULL, failed); }

jbyteArray new_bytes(JNIEnv *env, const char *bytes, size_t length) {
    if (length > INT32_MAX) {
        throw_out_of_memory(env);
        return NULL;
    }
    jbyteArray array = (*env)->NewByteArray(env, (jsize)length);
    if (array != NULL) (*env)->SetByteArrayRegion(env, array, 0, (jsize)length, (const jbyte *)bytes);
    return array;
}

jbyteArray take_text(JNIEnv *env, int32_t code, const char *message, packhost_text text) {
    jbyteArray bytes = NULL;
    if (!throw_failure(env, code, message) && !(*env)->ExceptionCheck(env)) {
        size_t length = 0;
        const char *pointer = packhost_text_get(text, &length);
        bytes = new_bytes(env, pointer == NULL ? "" : pointer, length);
    }
    packhost_free(text);
    return bytes;
}
