#include "ppgnn/graph/stored_graph.hpp"

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstring>

#include "graph/sections.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

namespace {

static_assert(std::endian::native == std::endian::little, "the file's arrays are used as they are");

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 64;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t num_sections;
  std::uint64_t file_size;
  std::uint64_t checksum;  // of the header with this field zero, and the table
};
static_assert(sizeof(Header) == 32);

struct TableEntry {
  std::uint32_t tag;
  std::uint32_t reserved;
  std::uint64_t offset;
  std::uint64_t length;
  std::uint64_t checksum;
};
static_assert(sizeof(TableEntry) == 32);

using Bytes = std::span<const std::uint8_t>;

std::uint64_t hash(Bytes bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t head_hash(Header header, std::span<const TableEntry> table) {
  header.checksum = 0;
  std::vector<std::uint8_t> head(sizeof(Header) + table.size_bytes());
  std::memcpy(head.data(), &header, sizeof(Header));
  if (!table.empty()) std::memcpy(head.data() + sizeof(Header), table.data(), table.size_bytes());
  return hash(head);
}

constexpr std::uint64_t aligned(std::uint64_t offset) noexcept {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

// One opened file: the section table, checked, and access to the sections by tag.
class StoreFile {
 public:
  static Result<StoreFile> make(std::string name, std::shared_ptr<const io::WholeFile> file) {
    StoreFile store;
    store.name_ = std::move(name);
    store.file_ = std::move(file);
    if (auto checked = store.read_table(); !checked) return checked.error();
    return store;
  }

  // The section as an array of T, empty when the file does not have it.
  template <class T>
  Result<SharedArray<T>> array(SectionTag tag) const {
    const Bytes bytes = sections_[static_cast<std::size_t>(tag) - 1];
    if (bytes.size() % sizeof(T) != 0)
      return error_in(tag, "its length is no multiple of " + std::to_string(sizeof(T)));
    // Sections start at multiples of 64 from the start of a page, so T is aligned.
    return SharedArray<T>({static_cast<const T*>(static_cast<const void*>(bytes.data())), bytes.size() / sizeof(T)},
                          file_);
  }

  Error error_in(SectionTag tag, const std::string& what) const {
    const Bytes bytes = sections_[static_cast<std::size_t>(tag) - 1];
    const std::size_t offset = bytes.empty() ? 0 : static_cast<std::size_t>(bytes.data() - file_->bytes().data());
    return io::at_byte(name_, offset, "section " + std::to_string(static_cast<std::uint32_t>(tag)) + ": " + what);
  }

 private:
  Result<void> read_table() {
    const Bytes bytes = file_->bytes();
    const auto refused = [&](std::size_t offset, const std::string& what) { return io::at_byte(name_, offset, what); };
    Header header{};
    if (bytes.size() < kStoredGraphMagic.size() ||
        std::memcmp(bytes.data(), kStoredGraphMagic.data(), kStoredGraphMagic.size()) != 0) {
      return refused(0, "not a stored graph (it does not start with " + std::string(kStoredGraphMagic) + ")");
    }
    if (bytes.size() < sizeof(Header)) return refused(bytes.size(), "the file ends within its header");
    std::memcpy(&header, bytes.data(), sizeof(Header));
    if (header.version != kVersion) {
      return refused(8, "version " + std::to_string(header.version) + " is not one this program reads (1)");
    }
    if (header.file_size != bytes.size()) {
      return refused(bytes.size(), "the file has " + std::to_string(bytes.size()) + " bytes but declares " +
                                       std::to_string(header.file_size));
    }
    if (header.num_sections > kMaxSections ||
        bytes.size() < sizeof(Header) + header.num_sections * sizeof(TableEntry)) {
      return refused(12, "the number of sections is wrong");
    }
    std::vector<TableEntry> table(header.num_sections);
    if (!table.empty()) std::memcpy(table.data(), bytes.data() + sizeof(Header), table.size() * sizeof(TableEntry));
    if (head_hash(header, table) != header.checksum) return refused(24, "the checksum of the header does not match");

    std::uint64_t expected = sizeof(Header) + table.size() * sizeof(TableEntry);
    std::uint32_t last_tag = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const TableEntry& entry = table[i];
      const std::size_t place = sizeof(Header) + i * sizeof(TableEntry);
      if (entry.tag <= last_tag || entry.tag > kMaxSections || entry.reserved != 0) {
        return refused(place, "section " + std::to_string(entry.tag) + " is unknown or out of order");
      }
      // Sections follow each other without other gaps than the padding: every byte of the file is accounted for.
      if (entry.offset != aligned(expected) || entry.offset > bytes.size() || entry.length == 0 ||
          entry.length > bytes.size() - entry.offset) {
        return refused(place, "section " + std::to_string(entry.tag) + " lies outside the file");
      }
      for (std::uint64_t at = expected; at < entry.offset; ++at) {
        if (bytes[at] != 0) return refused(at, "padding is not zero");
      }
      const Bytes section = bytes.subspan(entry.offset, entry.length);
      if (hash(section) != entry.checksum) {
        return refused(entry.offset, "the checksum of section " + std::to_string(entry.tag) + " does not match");
      }
      sections_[entry.tag - 1] = section;
      expected = entry.offset + entry.length;
      last_tag = entry.tag;
    }
    if (expected != bytes.size()) return refused(expected, "bytes follow the last section");
    return {};
  }

  std::string name_;
  std::shared_ptr<const io::WholeFile> file_;
  std::array<Bytes, kMaxSections> sections_;
};

Result<StringList> read_strings(const StoreFile& store, SectionTag offsets_tag, SectionTag bytes_tag) {
  auto offsets = store.array<std::uint64_t>(offsets_tag);
  if (!offsets) return offsets.error();
  auto bytes = store.array<char>(bytes_tag);
  if (!bytes) return bytes.error();
  auto list = StringList::make(std::move(*offsets), std::move(*bytes));
  if (!list) return store.error_in(offsets_tag, list.error().message);
  return list;
}

Result<Csr> read_csr(const StoreFile& store, SectionTag offsets_tag, SectionTag columns_tag, std::size_t num_columns) {
  auto offsets = store.array<std::uint64_t>(offsets_tag);
  if (!offsets) return offsets.error();
  auto columns = store.array<std::uint32_t>(columns_tag);
  if (!columns) return columns.error();
  auto csr = Csr::make(std::move(*offsets), std::move(*columns), num_columns);
  if (!csr) return store.error_in(offsets_tag, csr.error().message);
  return csr;
}

Result<Features> read_features(const StoreFile& store, const Shape& shape) {
  auto pattern = read_csr(store, SectionTag::feature_offsets, SectionTag::feature_columns, shape.num_feature_columns);
  if (!pattern) return pattern.error();
  auto values = store.array<float>(SectionTag::feature_values);
  if (!values) return values.error();
  FeatureSchema schema;
  schema.origin = static_cast<SchemaOrigin>(shape.schema_origin);
  auto names = read_strings(store, SectionTag::column_name_offsets, SectionTag::column_name_bytes);
  if (!names) return names.error();
  schema.names = std::move(*names);
  auto kinds = store.array<std::uint8_t>(SectionTag::column_kinds);
  if (!kinds) return kinds.error();
  schema.kinds = std::move(*kinds);
  const std::pair<SectionTag, SharedArray<float>*> ranges[] = {{SectionTag::column_low, &schema.low},
                                                               {SectionTag::column_high, &schema.high},
                                                               {SectionTag::column_absent, &schema.absent}};
  for (const auto& [tag, target] : ranges) {
    auto numbers = store.array<float>(tag);
    if (!numbers) return numbers.error();
    *target = std::move(*numbers);
  }
  auto features = Features::make(std::move(*pattern), std::move(*values), std::move(schema));
  if (!features) return store.error_in(SectionTag::feature_columns, features.error().message);
  return features;
}

Result<NodeNames> read_node_names(const StoreFile& store, const Shape& shape) {
  auto names = read_strings(store, SectionTag::node_name_offsets, SectionTag::node_name_bytes);
  if (!names) return names.error();
  if (names->empty()) return NodeNames(shape.num_nodes);
  auto order = store.array<NodeId>(SectionTag::node_name_order);
  if (!order) return order.error();
  auto nodes = NodeNames::make(std::move(*names), std::move(*order));
  if (!nodes) return store.error_in(SectionTag::node_name_order, nodes.error().message);
  return nodes;
}

}  // namespace

Result<void> write_stored_graph(const Dataset& dataset, const std::filesystem::path& path) {
  if (const auto checked = check(dataset); !checked) return checked.error();
  if (dataset.graph.offsets().empty()) return Error{ErrorCode::invalid_argument, "the data set has no graph"};
  const std::vector<Section> sections = sections_of(dataset);
  std::vector<TableEntry> table;
  std::uint64_t end = sizeof(Header) + sections.size() * sizeof(TableEntry);
  for (const Section& section : sections) {
    table.push_back(
        {static_cast<std::uint32_t>(section.tag), 0, aligned(end), section.bytes.size(), hash(section.bytes)});
    end = aligned(end) + section.bytes.size();
  }
  Header header{{}, kVersion, static_cast<std::uint32_t>(sections.size()), end, 0};
  std::copy(kStoredGraphMagic.begin(), kStoredGraphMagic.end(), header.magic.begin());
  header.checksum = head_hash(header, table);

  auto file = io::AtomicFile::create(path);
  if (!file) return file.error();
  constexpr std::array<std::uint8_t, kAlignment> kZeros{};
  std::uint64_t at = 0;
  const auto write_at = [&](std::uint64_t offset, Bytes bytes) -> Result<void> {
    if (auto padded = file->write(Bytes(kZeros).first(offset - at)); !padded) return padded;
    at = offset + bytes.size();
    return file->write(bytes);
  };
  auto written = write_at(0, bytes_of(std::span<const Header>(&header, 1)));
  if (written) written = write_at(at, bytes_of(std::span<const TableEntry>(table)));
  for (std::size_t i = 0; written && i < sections.size(); ++i) written = write_at(table[i].offset, sections[i].bytes);
  return written ? file->commit() : written;
}

Result<Dataset> open_stored_graph(const std::filesystem::path& path) {
  auto file = io::WholeFile::read(path);
  if (!file) return file.error();
  auto opened = StoreFile::make(path.string(), std::move(*file));
  if (!opened) return opened.error();
  const StoreFile& store = *opened;

  const auto shapes = store.array<Shape>(SectionTag::shape);
  if (!shapes) return shapes.error();
  if (shapes->size() != 1) return store.error_in(SectionTag::shape, "it is missing or has the wrong length");
  const Shape& shape = (*shapes)[0];
  if (shape.schema_origin > static_cast<std::uint64_t>(SchemaOrigin::derived)) {
    return store.error_in(SectionTag::shape, "the origin of the schema is unknown");
  }

  Dataset dataset;
  auto graph = read_csr(store, SectionTag::graph_offsets, SectionTag::graph_columns, shape.num_nodes);
  if (!graph) return graph.error();
  dataset.graph = std::move(*graph);
  auto features = read_features(store, shape);
  if (!features) return features.error();
  dataset.features = std::move(*features);
  auto labels = store.array<std::int32_t>(SectionTag::labels);
  if (!labels) return labels.error();
  dataset.labels = std::move(*labels);
  auto class_names = read_strings(store, SectionTag::class_name_offsets, SectionTag::class_name_bytes);
  if (!class_names) return class_names.error();
  dataset.class_names = std::move(*class_names);
  auto nodes = read_node_names(store, shape);
  if (!nodes) return nodes.error();
  dataset.nodes = std::move(*nodes);
  const auto name = store.array<char>(SectionTag::name);
  if (!name) return name.error();
  dataset.name.assign(name->begin(), name->end());
  if (const auto checked = check(dataset); !checked) return store.error_in(SectionTag::shape, checked.error().message);
  return dataset;
}

}  // namespace ppgnn::graph
