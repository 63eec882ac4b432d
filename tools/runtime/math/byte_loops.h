// Functions of each byte, or of each sum of products of bytes.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_BYTE_LOOPS_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_BYTE_LOOPS_H_

#include <cstdint>

#include "tools/runtime/math/kernels.h"

namespace tfcarve {
namespace math {

// out[i] = min(upper, max(lower, in[i])). `out` may be `in`.
void LimitBytes(Index size, const std::uint8_t* in, std::uint8_t lower,
                std::uint8_t upper, std::uint8_t* out);

// Sets `lower` to the minimum and `upper` to the maximum of integers; if `size`
// is 0, to the maximum and the minimum of 32-bit integers.
void FindRange(Index size, const std::int32_t* in, std::int32_t* lower,
               std::int32_t* upper);

// out[i * columns + j] = table[in[i * columns + j]] + added[j], modulo 2^32.
void AddColumns(Index rows, Index columns, const std::uint8_t* in,
                const std::int32_t (&table)[256], const std::int32_t* added,
                std::int32_t* out);

// out[i] = a_table[a[i]] + b_table[b[i]], modulo 2^32.
void AddTables(Index size, const std::uint8_t* a,
               const std::int32_t (&a_table)[256], const std::uint8_t* b,
               const std::int32_t (&b_table)[256], std::int32_t* out);

// out[c] = the maximum or the mean, rounded down, of pixels[t][c], for at least
// one tap.
void LargestBytes(Index taps, const std::uint8_t* const* pixels, Index channels,
                  std::uint8_t* out);
void MeanOfBytes(Index taps, const std::uint8_t* const* pixels, Index channels,
                 std::uint8_t* out);

// Packs filters for FilterBytes(), one for each channel: [pair of
// taps][channel] [tap of the pair], with 0 for a tap that does not exist.
void PackFilters(Index taps, const std::int8_t* filters, Index channels,
                 std::int16_t* packed);

// out[c] = initial[c] + the sum of pixels[t][c] * the filter of channel c at t,
// modulo 2^32.
void FilterBytes(Index taps, const std::uint8_t* const* pixels,
                 const std::int16_t* packed, const std::int32_t* initial,
                 Index channels, std::int32_t* out);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_BYTE_LOOPS_H_
