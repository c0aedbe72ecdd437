#include "graph/pickle.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "ppgnn/core/sizes.hpp"

namespace ppgnn::graph {

namespace {

enum class Global : std::int64_t { csr_matrix, reconstruct, ndarray, dtype, defaultdict, list };

// The only names a file may mention, "module name"; the order is that of Global.
constexpr std::array<std::string_view, 6> kGlobals{"scipy.sparse.csr csr_matrix",
                                                   "numpy.core.multiarray _reconstruct",
                                                   "numpy ndarray",
                                                   "numpy dtype",
                                                   "collections defaultdict",
                                                   "__builtin__ list"};

// Opcodes that exist but are refused, so that the message can call them by name.
constexpr std::pair<char, std::string_view> kRefusedOpcodes[] = {{'I', "INT"},
                                                                 {'L', "LONG"},
                                                                 {'\x8a', "LONG1"},
                                                                 {'\x8b', "LONG4"},
                                                                 {'S', "STRING"},
                                                                 {'B', "BINBYTES"},
                                                                 {'C', "SHORT_BINBYTES"},
                                                                 {'\x8e', "BINBYTES8"},
                                                                 {'\x96', "BYTEARRAY8"},
                                                                 {'\x97', "NEXT_BUFFER"},
                                                                 {'\x98', "READONLY_BUFFER"},
                                                                 {'V', "UNICODE"},
                                                                 {'X', "BINUNICODE"},
                                                                 {'\x8c', "SHORT_BINUNICODE"},
                                                                 {'\x8d', "BINUNICODE8"},
                                                                 {'F', "FLOAT"},
                                                                 {'G', "BINFLOAT"},
                                                                 {'l', "LIST"},
                                                                 {'d', "DICT"},
                                                                 {'s', "SETITEM"},
                                                                 {'\x8f', "EMPTY_SET"},
                                                                 {'\x90', "ADDITEMS"},
                                                                 {'\x91', "FROZENSET"},
                                                                 {'0', "POP"},
                                                                 {'2', "DUP"},
                                                                 {'1', "POP_MARK"},
                                                                 {'g', "GET"},
                                                                 {'j', "LONG_BINGET"},
                                                                 {'p', "PUT"},
                                                                 {'\x94', "MEMOIZE"},
                                                                 {'\x82', "EXT1"},
                                                                 {'\x83', "EXT2"},
                                                                 {'\x84', "EXT4"},
                                                                 {'\x93', "STACK_GLOBAL"},
                                                                 {'i', "INST"},
                                                                 {'o', "OBJ"},
                                                                 {'\x92', "NEWOBJ_EX"},
                                                                 {'\x95', "FRAME"},
                                                                 {'P', "PERSID"},
                                                                 {'Q', "BINPERSID"}};

std::string opcode_name(char opcode) {
  for (const auto& [code, name] : kRefusedOpcodes) {
    if (code == opcode) return std::string(name);
  }
  return "number " + std::to_string(static_cast<std::uint8_t>(opcode));
}

class Loader {
 public:
  explicit Loader(const io::NamedBytes& file) : file_(file) {}

  Result<Pickle> load() {
    while (!stopped_) {
      opcode_at_ = at_;
      const auto opcode = take(1);
      if (!opcode) return error("the file ends before its STOP");
      if (auto done = step(opcode->front()); !done) return done.error();
    }
    if (at_ != file_.bytes.size()) return io::at_byte(file_.name, at_, "bytes follow the STOP");
    return std::move(pickle_);
  }

 private:
  using Index = std::uint32_t;

  Error error(std::string_view what) const { return io::at_byte(file_.name, opcode_at_, what); }

  std::optional<std::string_view> take(std::size_t count) {
    if (count > file_.bytes.size() - at_) return std::nullopt;
    const std::string_view bytes = file_.bytes.substr(at_, count);
    at_ += count;
    return bytes;
  }

  // A little-endian number of `size` bytes after the opcode.
  std::optional<std::uint32_t> take_number(std::size_t size) {
    const auto bytes = take(size);
    if (!bytes) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= std::uint32_t{static_cast<std::uint8_t>((*bytes)[i])} << (8 * i);
    return value;
  }

  void push(PickleValue value) {
    stack_.push_back(static_cast<Index>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }
  void push(PickleKind kind, std::int64_t integer = 0, std::string_view text = {}) {
    PickleValue value;
    value.kind = kind;
    value.integer = integer;
    value.text = text;
    push(std::move(value));
  }

  // The stack belongs to the opcodes since the last MARK.
  [[nodiscard]] std::size_t floor() const noexcept { return marks_.empty() ? 0 : marks_.back(); }
  [[nodiscard]] bool has(std::size_t count) const noexcept { return stack_.size() - floor() >= count; }
  Index pop() {
    const Index top = stack_.back();
    stack_.pop_back();
    return top;
  }
  PickleValue& top() { return pickle_.values[stack_.back()]; }

  std::vector<Index> pop_last(std::size_t count) {
    std::vector<Index> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }
  // Everything above the last MARK, and the MARK.
  std::optional<std::vector<Index>> pop_mark() {
    if (marks_.empty()) return std::nullopt;
    auto items = pop_last(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  Result<void> push_number(std::size_t size) {
    const auto number = take_number(size);
    if (!number) return error("the file ends within a number");
    push(PickleKind::integer, size == 4 ? static_cast<std::int32_t>(*number) : std::int64_t{*number});
    return {};
  }

  Result<void> push_text(std::size_t size_bytes) {
    const auto length = take_number(size_bytes);
    const auto text = length ? take(*length) : std::nullopt;
    if (!text) return error("a string is longer than the rest of the file");
    push(PickleKind::text, 0, *text);
    return {};
  }

  Result<void> push_tuple(std::vector<Index> items) {
    push(PickleKind::tuple);
    top().items = std::move(items);
    return {};
  }
  Result<void> push_tuple(std::size_t count) {
    if (!has(count)) return error("TUPLE finds too few values");
    return push_tuple(pop_last(count));
  }

  Result<void> global() {
    const std::size_t first = file_.bytes.find('\n', at_);
    const std::size_t second = first == std::string_view::npos ? first : file_.bytes.find('\n', first + 1);
    if (second == std::string_view::npos) return error("the file ends within a GLOBAL");
    const std::string name = std::string(file_.bytes.substr(at_, first - at_)) + ' ' +
                             std::string(file_.bytes.substr(first + 1, second - first - 1));
    at_ = second + 1;
    for (std::size_t i = 0; i < kGlobals.size(); ++i) {
      if (kGlobals[i] == name) {
        push(PickleKind::global, static_cast<std::int64_t>(i), kGlobals[i]);
        return {};
      }
    }
    // At most the start of a name of any length, with what is not printable left out.
    std::string shown;
    for (const char c : name.substr(0, 80)) shown += c >= ' ' && c <= '~' ? c : '?';
    return error("the name '" + shown + "' is not accepted");
  }

  [[nodiscard]] bool is_global(Index index, Global wanted) const {
    const PickleValue& value = pickle_[index];
    return value.kind == PickleKind::global && value.integer == static_cast<std::int64_t>(wanted);
  }
  [[nodiscard]] bool is_integer(Index index, std::int64_t wanted) const {
    const PickleValue& value = pickle_[index];
    return (value.kind == PickleKind::integer || value.kind == PickleKind::boolean) && value.integer == wanted;
  }

  // The three calls that occur, each with the arguments it occurs with; anything else is refused.
  Result<void> reduce() {
    if (!has(2)) return error("REDUCE finds too few values");
    const PickleValue& arguments = pickle_[pop()];
    const Index callable = pop();
    if (arguments.kind != PickleKind::tuple) return error("REDUCE has no tuple of arguments");
    const auto& items = arguments.items;
    if (is_global(callable, Global::reconstruct) && items.size() == 3 && is_global(items[0], Global::ndarray)) {
      push(PickleKind::array);
      return {};
    }
    if (is_global(callable, Global::dtype) && items.size() == 3 && pickle_[items[0]].kind == PickleKind::text) {
      const std::string_view type = pickle_[items[0]].text;
      if (type != "i4" && type != "i8" && type != "f4" && type != "f8")
        return error("the array type is not i4, i8, f4 or f8");
      push(PickleKind::type, 0, type);
      return {};
    }
    if (is_global(callable, Global::defaultdict) && items.size() == 1 && is_global(items[0], Global::list)) {
      push(PickleKind::dict);
      return {};
    }
    const PickleValue& called = pickle_[callable];
    const std::string name = called.kind == PickleKind::global ? std::string(called.text) : "a value that is no name";
    return error("REDUCE of " + name + " with these arguments is not accepted");
  }

  Result<void> new_object() {
    if (!has(2)) return error("NEWOBJ finds too few values");
    const Index arguments = pop();
    const Index type = pop();
    if (!is_global(type, Global::csr_matrix) || pickle_[arguments].kind != PickleKind::tuple ||
        !pickle_[arguments].items.empty()) {
      return error("NEWOBJ is accepted for an empty csr_matrix only");
    }
    push(PickleKind::csr_matrix);
    return {};
  }

  Result<void> build() {
    if (!has(2)) return error("BUILD finds too few values");
    const Index state_index = pop();
    const PickleValue& state = pickle_[state_index];
    PickleValue& object = top();
    if (object.built) return error("BUILD is applied twice to one value");
    object.built = true;
    switch (object.kind) {
      case PickleKind::type:
        return build_type(state);
      case PickleKind::array:
        return build_array(object, state);
      case PickleKind::csr_matrix:
        if (state.kind != PickleKind::dict) return error("the state of a csr_matrix is not a dict");
        object.items = {state_index};
        return {};
      default:
        return error("BUILD of this value is not accepted");
    }
  }

  Result<void> build_type(const PickleValue& state) const {
    const bool little = state.kind == PickleKind::tuple && state.items.size() >= 2 &&
                        pickle_[state.items[1]].kind == PickleKind::text &&
                        (pickle_[state.items[1]].text == "<" || pickle_[state.items[1]].text == "|");
    if (!little) return error("the array type is not little-endian");
    return {};
  }

  Result<void> build_array(PickleValue& array, const PickleValue& state) const {
    // (version 1, shape, type, is it column-major, bytes)
    if (state.kind != PickleKind::tuple || state.items.size() != 5 || !is_integer(state.items[0], 1) ||
        pickle_[state.items[1]].kind != PickleKind::tuple || pickle_[state.items[2]].kind != PickleKind::type ||
        !is_integer(state.items[3], 0) || pickle_[state.items[4]].kind != PickleKind::text) {
      return error("the state of an array is not (1, shape, type, False, bytes)");
    }
    const std::string_view bytes = pickle_[state.items[4]].text;
    std::uint64_t size = pickle_[state.items[2]].text.back() == '4' ? 4 : 8;
    for (const Index dimension : pickle_[state.items[1]].items) {
      const PickleValue& extent = pickle_[dimension];
      if (extent.kind != PickleKind::integer || extent.integer < 0)
        return error("the shape of an array is no list of sizes");
      const auto wide = static_cast<std::uint64_t>(extent.integer);
      const auto product = checked_product({size, wide});
      if (!product || *product > bytes.size()) return error("an array is larger than its bytes");
      size = *product;
      array.shape.push_back(wide);
    }
    if (size != bytes.size()) return error("an array's shape and its number of bytes differ");
    array.items = {state.items[2]};
    array.text = bytes;
    return {};
  }

  Result<void> append(std::vector<Index> items) {
    if (!has(1) || top().kind != PickleKind::list) return error("APPEND finds no list");
    top().items.insert(top().items.end(), items.begin(), items.end());
    return {};
  }

  Result<void> set_items(std::vector<Index> items) {
    if (!has(1) || top().kind != PickleKind::dict) return error("SETITEMS finds no dict");
    if (items.size() % 2 != 0) return error("SETITEMS finds a key without a value");
    top().items.insert(top().items.end(), items.begin(), items.end());
    return {};
  }

  Result<void> remember(std::size_t size) {
    const auto slot = take_number(size);
    if (!slot || !has(1)) return error("BINPUT finds nothing to remember");
    memo_[*slot] = stack_.back();
    return {};
  }

  Result<void> recall() {
    const auto slot = take_number(1);
    const auto found = slot ? memo_.find(*slot) : memo_.end();
    if (found == memo_.end()) return error("BINGET finds nothing remembered under its number");
    stack_.push_back(found->second);
    return {};
  }

  Result<void> step(char opcode) {
    switch (opcode) {
      case '\x80': {  // PROTO
        const auto protocol = take_number(1);
        if (!protocol || *protocol != 2 || opcode_at_ != 0) return error("only protocol 2 is accepted");
        return {};
      }
      case 'c':
        return global();
      case 'q':
        return remember(1);
      case 'r':
        return remember(4);
      case 'h':
        return recall();
      case '(':
        marks_.push_back(stack_.size());
        return {};
      case ')':
        push(PickleKind::tuple);
        return {};
      case '}':
        push(PickleKind::dict);
        return {};
      case ']':
        push(PickleKind::list);
        return {};
      case '\x81':
        return new_object();
      case '\x85':
        return push_tuple(1);
      case '\x86':
        return push_tuple(2);
      case '\x87':
        return push_tuple(3);
      case 'R':
        return reduce();
      case 'b':
        return build();
      case 'a':
        if (!has(2)) return error("APPEND finds too few values");
        return append({pop()});
      case 't':
      case 'e':
      case 'u': {
        auto items = pop_mark();
        if (!items) return error("a MARK is missing");
        if (opcode == 't') return push_tuple(std::move(*items));
        return opcode == 'e' ? append(std::move(*items)) : set_items(std::move(*items));
      }
      case 'U':
        return push_text(1);
      case 'T':
        return push_text(4);
      case 'J':
        return push_number(4);
      case 'K':
        return push_number(1);
      case 'M':
        return push_number(2);
      case 'N':
        push(PickleKind::none);
        return {};
      case '\x88':
        push(PickleKind::boolean, 1);
        return {};
      case '\x89':
        push(PickleKind::boolean, 0);
        return {};
      case '.':
        if (stack_.size() != 1 || !marks_.empty()) return error("STOP finds more or less than one value");
        pickle_.root = stack_.back();
        stopped_ = true;
        return {};
      default:
        return error("opcode " + opcode_name(opcode) + " is not accepted");
    }
  }

  io::NamedBytes file_;
  Pickle pickle_;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
  bool stopped_ = false;
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, Index> memo_;
};

}  // namespace

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const noexcept {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& name = values[dict.items[i]];
    if (name.kind == PickleKind::text && name.text == key) return &values[dict.items[i + 1]];
  }
  return nullptr;
}

Result<Pickle> load_pickle(const io::NamedBytes& file) {
  return Loader(file).load();
}

}  // namespace ppgnn::graph
