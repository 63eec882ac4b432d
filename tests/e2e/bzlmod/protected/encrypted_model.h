// Reads a model that `tfcarve protect` has encrypted. Written in C, with
// libsodium.

#ifndef PROTECTED_ENCRYPTED_MODEL_H_
#define PROTECTED_ENCRYPTED_MODEL_H_

#include <sodium.h>

#include "tfcarve_c_api.h"

enum { kKeySize = crypto_secretstream_xchacha20poly1305_KEYBYTES };

typedef struct encrypted_model encrypted_model;

// Opens the file at `path`. On failure returns NULL and sets `*error` to a
// static text. The caller closes the model.
encrypted_model* encrypted_model_open(const char* path,
                                      const unsigned char key[kKeySize],
                                      const char** error);

// Returns what reads the decrypted model once. It uses `model` until
// tfcarve_session_new_from_reader returns.
tfcarve_reader encrypted_model_reader(encrypted_model* model);

// Erases the decrypted bytes and closes the file. NULL is ignored.
void encrypted_model_close(encrypted_model* model);

#endif  // PROTECTED_ENCRYPTED_MODEL_H_
