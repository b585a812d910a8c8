// What FoundationNetworking has no call for, set on every libcurl handle that this process makes: certificate authorities; that an
// answer to a request with `Accept-Encoding: identity` is handed over as it came; how many bytes an answer may have.
#ifndef PACKTOOL_CURL_HANDLES_H
#define PACKTOOL_CURL_HANDLES_H

#include <stddef.h>

// The field of a request that says how many bytes of body its answer may have. It does not go out.
#define PACKTOOL_ANSWER_LIMIT "Packtool-Answer-Limit"

// Takes a copy of certificates in PEM form, which from now on are the authorities of each handle that is made. Call it once,
// before the first request: handles that are there already keep what they have. Returns 0; else there is no memory.
int packtool_set_curl_authorities(const void *pem, size_t count);

// The system's own list that libcurl was built with; null where it has none, or does not say (before 7.84).
const char *packtool_system_authorities(void);

#endif
