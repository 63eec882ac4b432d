#include "encrypted_model.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The file: see docs/how-to/protect.md.
enum {
  kHeadSize = 24,
  kHeaderSize = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
  kTagSize = crypto_secretstream_xchacha20poly1305_ABYTES,
  kChunkSize = 1 << 16
};

// The magic number, version 1, and the size of a chunk.
static const unsigned char kStart[16] = {'t', 'f', 'c', 'a', 'r', 'v', 'e', 'E',
                                         1,   0,   0,   0,   0,   0,   1,   0};

struct encrypted_model {
  FILE* file;
  unsigned char head[kHeadSize];
  size_t size;  // of the model
  size_t left;  // bytes of the model that are still encrypted
  crypto_secretstream_xchacha20poly1305_state state;
  unsigned char encrypted[kChunkSize + kTagSize];
  unsigned char chunk[kChunkSize];  // the current chunk, decrypted
  size_t chunk_size;
  size_t chunk_used;  // bytes of it that have been read
};

// Reads the start of the file. Returns an error or NULL.
static const char* ReadStart(encrypted_model* model, const unsigned char* key) {
  unsigned char header[kHeaderSize];
  if (fread(model->head, 1, kHeadSize, model->file) != kHeadSize ||
      memcmp(model->head, kStart, sizeof(kStart)) != 0 ||
      fread(header, 1, kHeaderSize, model->file) != kHeaderSize) {
    return "the file is not an encrypted model of version 1";
  }
  uint64_t size = 0;
  for (int i = kHeadSize - 1; i >= (int)sizeof(kStart); --i) {
    size = size << 8 | model->head[i];
  }
  if (size > INT32_MAX) return "the model is larger than 2 GB";
  model->size = model->left = (size_t)size;
  crypto_secretstream_xchacha20poly1305_init_pull(&model->state, header, key);
  return NULL;
}

// Decrypts the next chunk. Returns an error or NULL.
static const char* NextChunk(encrypted_model* model) {
  const size_t size = model->left < kChunkSize ? model->left : kChunkSize;
  if (size == 0) return "the model has no more bytes";
  if (fread(model->encrypted, 1, size + kTagSize, model->file) !=
      size + kTagSize) {
    return "the file is cut short";
  }
  unsigned char tag = 0;
  if (crypto_secretstream_xchacha20poly1305_pull(
          &model->state, model->chunk, NULL, &tag, model->encrypted,
          size + kTagSize, model->head, kHeadSize) != 0) {
    return "the key is wrong, or the file has been changed";
  }
  model->left -= size;
  model->chunk_size = size;
  model->chunk_used = 0;
  const int is_last = model->left == 0;
  if (is_last != (tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL) ||
      (is_last && fgetc(model->file) != EOF)) {
    return "the file has too few or too many bytes";
  }
  return NULL;
}

// The `read` of a tfcarve_reader. The library reads from start to end, so the
// offset is not needed.
static const char* Read(void* context, size_t offset, void* buffer,
                        size_t size) {
  encrypted_model* const model = context;
  unsigned char* out = buffer;
  (void)offset;
  while (size > 0) {
    if (model->chunk_used == model->chunk_size) {
      const char* const error = NextChunk(model);
      if (error != NULL) return error;
    }
    const size_t available = model->chunk_size - model->chunk_used;
    const size_t part = size < available ? size : available;
    memcpy(out, model->chunk + model->chunk_used, part);
    model->chunk_used += part;
    out += part;
    size -= part;
  }
  return NULL;
}

encrypted_model* encrypted_model_open(const char* path,
                                      const unsigned char key[kKeySize],
                                      const char** error) {
  if (sodium_init() < 0) {
    *error = "libsodium can't be initialized";
    return NULL;
  }
  encrypted_model* const model = calloc(1, sizeof(*model));
  if (model == NULL) {
    *error = "out of memory";
    return NULL;
  }
  model->file = fopen(path, "rb");
  *error =
      model->file == NULL ? "the file can't be opened" : ReadStart(model, key);
  if (*error == NULL) return model;
  encrypted_model_close(model);
  return NULL;
}

tfcarve_reader encrypted_model_reader(encrypted_model* model) {
  const tfcarve_reader reader = {model, model->size, Read};
  return reader;
}

void encrypted_model_close(encrypted_model* model) {
  if (model == NULL) return;
  if (model->file != NULL) fclose(model->file);
  sodium_memzero(model, sizeof(*model));
  free(model);
}
