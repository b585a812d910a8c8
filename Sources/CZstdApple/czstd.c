// A target of C has a source.
#include "CZstd.h"
