// Whom a function of libcurl stands in for.
#ifndef PACKTOOL_CURL_CALLER_H
#define PACKTOOL_CURL_CALLER_H

// The function that the caller would have called without us. A process may hold libcurl twice, with another TLS library each
// (Debian's libcurl.so.4 and libcurl-gnutls.so.4), and a handle of the one must not reach the other.
// caller: where the call returns to; own: the function of ours with that name. Never null: without libcurl the process ends, with
// the words that the dynamic linker would have said at its start.
void *packtool_next_function(const char *name, const void *caller, const void *own);

// The function of the libcurl that this executable uses, which is loaded when first asked for; null if it has no such function.
void *packtool_curl_function(const char *name);

#endif
