// Replaces protobuf's message_differencer.h: see message.h.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_MESSAGE_DIFFERENCER_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_MESSAGE_DIFFERENCER_H_

#include <google/protobuf/message.h>

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_UTIL_MESSAGE_DIFFERENCER_H_
