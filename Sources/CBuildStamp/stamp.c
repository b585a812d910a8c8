#include "CBuildStamp.h"

#ifndef PACKTOOL_COMMIT
#define PACKTOOL_COMMIT ""
#endif
#ifndef PACKTOOL_DATE
#define PACKTOOL_DATE ""
#endif

const char *packtool_build_commit(void) { return PACKTOOL_COMMIT; }

const char *packtool_build_date(void) { return PACKTOOL_DATE; }
