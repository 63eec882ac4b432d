// Replaces protobuf's descriptor.h: see message.h.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DESCRIPTOR_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DESCRIPTOR_H_

#include <google/protobuf/message.h>

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DESCRIPTOR_H_
