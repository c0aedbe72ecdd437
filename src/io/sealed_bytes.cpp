#include "ppgnn/io/sealed_bytes.hpp"

#include <bit>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::io {

static_assert(std::endian::native == std::endian::little);

std::string seal(std::string_view magic, std::uint32_t version, std::string_view content) {
  Writer writer;
  writer.number(version);
  writer.number(std::uint64_t{content.size()});
  std::string bytes(magic);
  bytes.append(writer.bytes()).append(content);
  const Digest digest = sha256(bytes);
  return bytes.append(digest.begin(), digest.end());
}

Result<std::string_view> unseal(std::string_view magic, std::uint32_t version, std::string_view bytes) {
  const Result<Unsealed> found = unseal(magic, version, version, bytes);
  if (!found) return found.error();
  return found->content;
}

Result<Unsealed> unseal(std::string_view magic, std::uint32_t oldest, std::uint32_t newest, std::string_view bytes) {
  const auto malformed = [&](const std::string& what) {
    return Error{ErrorCode::malformed, std::string(magic) + " file: " + what};
  };
  if (!bytes.starts_with(magic))
    return Error{ErrorCode::malformed, "not a " + std::string(magic) + " file: its first bytes are others"};
  Reader header(bytes.substr(magic.size()));
  const auto found = header.number<std::uint32_t>();
  const auto size = header.number<std::uint64_t>();
  if (header.failed()) return malformed("cut short");
  if (found < oldest || found > newest) {
    return malformed("version " + std::to_string(found) + ", this program reads " +
                     (oldest < newest ? std::to_string(oldest) + " to " : "") + std::to_string(newest));
  }
  const std::size_t start = magic.size() + sizeof found + sizeof size;
  constexpr std::size_t kDigest = std::tuple_size_v<Digest>;
  if (bytes.size() < start + kDigest || bytes.size() - start - kDigest != size) return malformed("wrong length");
  const Digest digest = sha256(bytes.substr(0, bytes.size() - kDigest));
  if (std::memcmp(digest.data(), bytes.data() + bytes.size() - kDigest, kDigest) != 0) {
    return malformed("checksum does not match");
  }
  return Unsealed{found, bytes.substr(start, size)};
}

Result<void> write_sealed(const std::filesystem::path& path, std::string_view bytes) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  if (const auto written = file->write({data, bytes.size()}); !written) return written.error();
  return file->commit();
}

}  // namespace ppgnn::io
