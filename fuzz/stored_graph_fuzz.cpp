// Any bytes as a stored graph, and once more under checksums that fit them, so that what lies behind the checksums is
// tried too: refused, or a data set that can be described and written again.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "ppgnn/graph/statistics.hpp"
#include "ppgnn/graph/stored_graph.hpp"

namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kEntry = 32;

std::uint64_t load(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

void store(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

// Puts the right length and checksums where they belong, as docs/formats/graph.md says.
void sign(std::string& bytes) {
  if (bytes.size() < kHeader) return;
  std::uint32_t sections = 0;
  std::memcpy(&sections, bytes.data() + 12, sizeof(sections));
  const std::size_t head = kHeader + sections * kEntry;
  if (sections > 64 || head > bytes.size()) return;
  store(bytes, 16, bytes.size());
  for (std::size_t entry = kHeader; entry < head; entry += kEntry) {
    const std::uint64_t offset = load(bytes, entry + 8);
    const std::uint64_t length = load(bytes, entry + 16);
    if (offset > bytes.size() || length > bytes.size() - offset) continue;
    store(bytes, entry + 24, XXH3_64bits(bytes.data() + offset, length));
  }
  store(bytes, 24, 0);
  store(bytes, 24, XXH3_64bits(bytes.data(), head));
}

void open_bytes(const std::string& bytes) {
  static const int kFile = ::memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
  if (::ftruncate(kFile, 0) != 0 ||
      ::pwrite(kFile, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  const auto dataset = ppgnn::graph::open_stored_graph(kPath);
  if (!dataset) return;
  if (!check(*dataset)) std::abort();
  static_cast<void>(checksum(*dataset));
  static_cast<void>(statistics(*dataset));
  for (ppgnn::graph::NodeId node = 0; node < dataset->num_nodes(); ++node) {
    if (dataset->nodes.find(dataset->nodes.name(node)) != node) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  open_bytes(bytes);
  sign(bytes);
  open_bytes(bytes);
  return 0;
}
