// libpng's default configuration, without the sources for single CPUs.

#ifndef TFCARVE_THIRD_PARTY_LIBPNG_PNGLIBCONF_H_
#define TFCARVE_THIRD_PARTY_LIBPNG_PNGLIBCONF_H_

#define PNG_ARM_NEON_OPT 0

#include "scripts/pnglibconf.h.prebuilt"

#endif  // TFCARVE_THIRD_PARTY_LIBPNG_PNGLIBCONF_H_
