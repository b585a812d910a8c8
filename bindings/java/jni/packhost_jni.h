/*
 * What the files of the JNI library share. Texts cross as byte[] in UTF-8: JNI's own conversions use a modified UTF-8, which libpackhost
 * does not understand. Java ends each text with a 0.
 */
#ifndef PACKHOST_JNI_H
#define PACKHOST_JNI_H

#include <jni.h>
#include <packhost.h>

/* What JNI_OnLoad looks up once. Nothing else is global. */
struct packhost_classes {
    jclass exception;
    jmethodID new_exception;
    jclass natives;
    jmethodID deliver;
};
extern struct packhost_classes packhost_classes;

/* Throws a PackHostException and returns 1 if the code is an error. An exception that is pending already stays instead. */
int throw_failure(JNIEnv *env, int32_t code, const char *message);

void throw_out_of_memory(JNIEnv *env);

/*
 * Copies a byte[] and puts a 0 behind it; the caller frees the copy. NULL gives NULL. If there is no memory, an exception is pending and
 * `*failed` becomes 1. If it is 1 before, nothing is copied, so that a caller copies several texts and looks once.
 */
char *copy_bytes(JNIEnv *env, jbyteArray bytes, size_t *length, int *failed);
char *copy_text(JNIEnv *env, jbyteArray text, int *failed);

/* Returns new bytes; NULL with an exception pending. */
jbyteArray new_bytes(JNIEnv *env, const char *bytes, size_t length);

/* Turns a text of libpackhost into bytes, and frees it. If the code is an error, throws it. */
jbyteArray take_text(JNIEnv *env, int32_t code, const char *message, packhost_text text);

#endif
