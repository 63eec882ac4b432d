// Overrides TensorFlow's source of the same path: computes the Fourier
// transform with Eigen. TensorFlow uses the library fft2d. The output here has
// fft2d's format for real numbers:
// https://www.kurims.kyoto-u.ac.jp/~ooura/fft.html, rdft() in fftsg.c.

#include <complex>
#include <vector>

#include "third_party/fft2d/fft.h"
#include "unsupported/Eigen/FFT"

namespace tensorflow {

// Replaces n real numbers by their spectrum: the sums of a[j] cos(2 pi j k / n)
// for k < n / 2 at even indices, the sums of the sines at odd indices. a[1],
// whose sine is zero, is the cosine sum of k = n / 2. In this namespace the
// function hides the library's function, which uses the two work areas.
static void rdft(int n, int /*direction*/, double* a, int*, double*) {
  Eigen::FFT<double> transform;
  transform.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> spectrum(n / 2 + 1);
  transform.fwd(spectrum.data(), a, n);
  for (int k = 0; k < n / 2; ++k) {
    a[2 * k] = spectrum[k].real();
    a[2 * k + 1] = -spectrum[k].imag();
  }
  a[1] = spectrum[n / 2].real();
}

}  // namespace tensorflow

#include_next <tensorflow/core/kernels/spectrogram.cc>
