#pragma once
#include <stdlib.h>
#include <zopfli/deflate.h>
#include <zopfli/hash.h>
#include <zopfli/lz77.h>
