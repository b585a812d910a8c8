#include "postgresql.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

// Every function of libpq that packtool calls.
#define FUNCTIONS(DO)                                                                                                          \
    DO(PGconn *, PQconnectStartParams, (const char *const *names, const char *const *values, int expands),                     \
       (names, values, expands))                                                                                               \
    DO(PostgresPollingStatusType, PQconnectPoll, (PGconn *connection), (connection))                                           \
    DO(PQconninfoOption *, PQconninfoParse, (const char *text, char **message), (text, message))                               \
    DO(void, PQconninfoFree, (PQconninfoOption *options), (options))                                                           \
    DO(void, PQfinish, (PGconn *connection), (connection))                                                                     \
    DO(ConnStatusType, PQstatus, (const PGconn *connection), (connection))                                                     \
    DO(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection))                                 \
    DO(int, PQserverVersion, (const PGconn *connection), (connection))                                                         \
    DO(char *, PQerrorMessage, (const PGconn *connection), (connection))                                                       \
    DO(int, PQsocket, (const PGconn *connection), (connection))                                                                \
    DO(int, PQconnectionNeedsPassword, (const PGconn *connection), (connection))                                               \
    DO(int, PQconnectionUsedPassword, (const PGconn *connection), (connection))                                                \
    DO(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *connection, PQnoticeProcessor processor, void *argument),             \
       (connection, processor, argument))                                                                                      \
    DO(int, PQsetnonblocking, (PGconn *connection, int isNonBlocking), (connection, isNonBlocking))                            \
    DO(int, PQsendQuery, (PGconn *connection, const char *statement), (connection, statement))                                 \
    DO(int, PQsendPrepare,                                                                                                     \
       (PGconn *connection, const char *name, const char *statement, int count, const Oid *types),                             \
       (connection, name, statement, count, types))                                                                            \
    DO(int, PQsendQueryPrepared,                                                                                               \
       (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,    \
        int format),                                                                                                           \
       (connection, name, count, values, lengths, formats, format))                                                            \
    DO(int, PQsendQueryParams,                                                                                                 \
       (PGconn *connection, const char *statement, int count, const Oid *types, const char *const *values, const int *lengths, \
        const int *formats, int format),                                                                                       \
       (connection, statement, count, types, values, lengths, formats, format))                                                \
    DO(int, PQenterPipelineMode, (PGconn *connection), (connection))                                                           \
    DO(int, PQexitPipelineMode, (PGconn *connection), (connection))                                                            \
    DO(int, PQpipelineSync, (PGconn *connection), (connection))                                                                \
    DO(PGpipelineStatus, PQpipelineStatus, (const PGconn *connection), (connection))                                           \
    DO(int, PQputCopyData, (PGconn *connection, const char *bytes, int count), (connection, bytes, count))                     \
    DO(int, PQputCopyEnd, (PGconn *connection, const char *message), (connection, message))                                    \
    DO(int, PQflush, (PGconn *connection), (connection))                                                                       \
    DO(int, PQconsumeInput, (PGconn *connection), (connection))                                                                \
    DO(int, PQisBusy, (PGconn *connection), (connection))                                                                      \
    DO(PGresult *, PQgetResult, (PGconn *connection), (connection))                                                            \
    DO(ExecStatusType, PQresultStatus, (const PGresult *result), (result))                                                     \
    DO(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))                                       \
    DO(int, PQntuples, (const PGresult *result), (result))                                                                     \
    DO(int, PQnfields, (const PGresult *result), (result))                                                                     \
    DO(char *, PQfname, (const PGresult *result, int column), (result, column))                                                \
    DO(int, PQfformat, (const PGresult *result, int column), (result, column))                                                 \
    DO(Oid, PQftype, (const PGresult *result, int column), (result, column))                                                   \
    DO(char *, PQcmdTuples, (PGresult *result), (result))                                                                      \
    DO(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))                               \
    DO(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))                                 \
    DO(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))                                 \
    DO(void, PQclear, (PGresult *result), (result))                                                                            \
    DO(void, PQfreemem, (void *pointer), (pointer))

#define DECLARE(result, name, parameters, arguments) __typeof__(name) *name;
#define FORWARD(result, name, parameters, arguments) \
    result name parameters { return functions.name arguments; }
#define FIND(result, name, parameters, arguments) isComplete &= (functions.name = dlsym(library, #name)) != NULL;

static struct { FUNCTIONS(DECLARE) } functions;
static bool isLoaded;

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return;
    bool isComplete = true;
    FUNCTIONS(FIND)
    isLoaded = isComplete;
}

bool packtool_load_postgresql(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return isLoaded;
}

FUNCTIONS(FORWARD)

#else

bool packtool_load_postgresql(void) { return true; }

#endif
