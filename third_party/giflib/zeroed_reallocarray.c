// Replaces giflib's openbsd-reallocarray.c: new memory is zero. If an image
// ends early, giflib leaves the rest of its pixels as they were allocated, and
// a model would read what other code left there.

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void* openbsd_reallocarray(void* block, size_t count, size_t size) {
  if (count == 0 || size == 0) return NULL;
  if (count > SIZE_MAX / size) {
    errno = ENOMEM;
    return NULL;
  }
  return block == NULL ? calloc(count, size) : realloc(block, count * size);
}
