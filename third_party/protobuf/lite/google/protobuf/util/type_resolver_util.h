// Replaces protobuf's type_resolver_util.h: see message.h.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_TYPE_RESOLVER_UTIL_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_TYPE_RESOLVER_UTIL_H_

#include <google/protobuf/message.h>

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_TYPE_RESOLVER_UTIL_H_
