// Replaces protobuf's descriptor.pb.h: see message.h.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DESCRIPTOR_PB_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DESCRIPTOR_PB_H_

#include <google/protobuf/message.h>

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_DESCRIPTOR_PB_H_
