// The declarations of Apple's CoreFoundation that Abseil uses for the time
// zone.
#ifndef TFCARVE_TESTS_TOOLCHAINS_INCLUDE_DARWIN_COREFOUNDATION_CFTIMEZONE_H_
#define TFCARVE_TESTS_TOOLCHAINS_INCLUDE_DARWIN_COREFOUNDATION_CFTIMEZONE_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef const struct __CFTimeZone* CFTimeZoneRef;
typedef const struct __CFString* CFStringRef;
typedef unsigned CFStringEncoding;
typedef long CFIndex;

#define kCFStringEncodingUTF8 ((CFStringEncoding)0x08000100)

CFTimeZoneRef CFTimeZoneCopyDefault(void);
CFStringRef CFTimeZoneGetName(CFTimeZoneRef zone);
CFIndex CFStringGetLength(CFStringRef text);
CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length,
                                          CFStringEncoding encoding);
unsigned char CFStringGetCString(CFStringRef text, char* buffer, CFIndex size,
                                 CFStringEncoding encoding);
void CFRelease(const void* object);

#ifdef __cplusplus
}
#endif

#endif  // TFCARVE_TESTS_TOOLCHAINS_INCLUDE_DARWIN_COREFOUNDATION_CFTIMEZONE_H_
