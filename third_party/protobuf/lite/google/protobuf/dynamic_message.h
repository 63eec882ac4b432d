// Replaces protobuf's dynamic_message.h: see message.h.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DYNAMIC_MESSAGE_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DYNAMIC_MESSAGE_H_

#include <google/protobuf/message.h>

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DYNAMIC_MESSAGE_H_
