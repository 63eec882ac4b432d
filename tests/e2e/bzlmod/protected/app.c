// Runs an encrypted model: app MODEL KEY_FILE. Prints the elements of its
// output.
//
// The key is in a file only so that the example is short: see
// docs/how-to/protect.md for where an app keeps it.

#include <stdio.h>
#include <stdlib.h>

#include "encrypted_model.h"
#include "tfcarve_c_api.h"

static int Fail(const char* what) {
  fprintf(stderr, "app: %s\n", what);
  return 1;
}

static int ReadKey(const char* path, unsigned char key[kKeySize]) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL) return 0;
  const size_t count = fread(key, 1, kKeySize, file);
  fclose(file);
  return count == kKeySize;
}

// Loads the model, which is decrypted in memory.
static tfcarve_session* Load(const char* path, const char* key_path) {
  unsigned char key[kKeySize];
  if (!ReadKey(key_path, key)) {
    Fail("the key can't be read");
    return NULL;
  }
  const char* error = NULL;
  encrypted_model* const model = encrypted_model_open(path, key, &error);
  sodium_memzero(key, sizeof(key));
  if (model == NULL) {
    Fail(error);
    return NULL;
  }
  const tfcarve_reader reader = encrypted_model_reader(model);
  tfcarve_session* const session =
      tfcarve_session_new_from_reader(&reader, NULL);
  encrypted_model_close(model);
  return session;
}

static int PrintOutput(const tfcarve_result* result) {
  tfcarve_tensor output;
  if (tfcarve_result_error(result) != NULL) {
    return Fail(tfcarve_result_error(result));
  }
  if (tfcarve_result_get(result, 0, &output) != 0) return Fail("no output");
  const float* const values = output.data;
  for (size_t i = 0; i < output.size / sizeof(float); ++i) {
    printf("%.9g\n", values[i]);
  }
  return 0;
}

static int Run(tfcarve_session* session) {
  static const float kInput[] = {0.f, 0.25f, 0.5f, 0.75f};
  static const int64_t kDims[] = {1, 4};
  if (tfcarve_session_error(session) != NULL) {
    return Fail(tfcarve_session_error(session));
  }
  const tfcarve_tensor input = {"input", TFCARVE_FLOAT, 2,
                                kDims,   kInput,        sizeof(kInput)};
  const char* const output = "output";
  tfcarve_result* const result =
      tfcarve_session_run(session, &input, 1, &output, 1, NULL);
  const int status = PrintOutput(result);
  tfcarve_result_free(result);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 3) return Fail("usage: app MODEL KEY_FILE");
  tfcarve_session* const session = Load(argv[1], argv[2]);
  if (session == NULL) return 1;
  const int status = Run(session);
  tfcarve_session_free(session);
  return status;
}
