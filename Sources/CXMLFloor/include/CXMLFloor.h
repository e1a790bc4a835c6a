#pragma once

#include <stdint.h>

// The floor of staging: libxml2's push parser with empty SAX2 handlers over a whole file, as any reader of an export
// that uses it must at least do. Returns the number of elements, or -1 when the file cannot be read.
int64_t cxml_floor_count_elements(const char *path);
