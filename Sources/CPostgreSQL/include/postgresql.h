// libpq, loaded when a database is first opened: with all that it needs it would be a part of each command's start, and most
// registries have no database.
#ifndef PACKTOOL_POSTGRESQL_H
#define PACKTOOL_POSTGRESQL_H

#include <libpq-fe.h>
#include <stdbool.h>

// Loads libpq. Call it before any of its functions, from any thread; false if it is not on this machine, or too old.
bool packtool_load_postgresql(void);

#endif
