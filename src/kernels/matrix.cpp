#include "ppgnn/kernels/matrix.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <new>

#include "ppgnn/core/sizes.hpp"

namespace ppgnn::kernels {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void Matrix::Free::operator()(float* data) const noexcept {
  ::operator delete (data, std::align_val_t{alignment});
}

Matrix::Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols) {
  const std::optional<std::size_t> checked = checked_product({rows, cols, sizeof(float)});
  // Rounding up to whole huge pages, in whatever gives the memory, must not wrap either.
  if (!checked || !checked_sum({*checked, kHugePage})) throw std::bad_array_new_length();
  const std::size_t bytes = *checked;
  if (bytes == 0) return;
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
  auto* memory = static_cast<float*>(::operator new (bytes, std::align_val_t{alignment}));
  data_ = std::unique_ptr<float[], Free>(memory, Free{alignment});
#if defined(__linux__)
  // Advice only: without huge pages everything works, slower.
  if (alignment == kHugePage) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  std::fill_n(memory, size(), 0.0F);
}

}  // namespace ppgnn::kernels
