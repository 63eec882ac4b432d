// Replaces protobuf's field_comparator.h: see message.h.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_FIELD_COMPARATOR_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_FIELD_COMPARATOR_H_

#include <google/protobuf/message.h>

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_FIELD_COMPARATOR_H_
