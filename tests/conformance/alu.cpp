// Cases of alu.jsonl: one operation on constants. Expected is the correctly rounded value where one is given, else the
// measured one; where the library documents another meaning, or tinygrad raised, a reference computed without it.
#include <ostream>

#include "evaluator.hpp"
#include "family.hpp"
#include "numbers.hpp"
#include "reference.hpp"
#include "tree.hpp"

namespace conformance {

using namespace twill;

namespace {

struct operation {
  op code = op::NULL_OP;
  dtype type{};
  std::vector<dtype> types;  // of the operands
  std::vector<i64> words;
};

operation read_operation(const json& line) {
  operation out;
  out.code = read_op(line["op"].string());
  out.type = read_dtype(line["dtype"].string());
  const json* in = line.find("in_dtype");
  const json& arguments = line["args"];
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool condition = out.code == op::WHERE && i == 0;
    out.types.push_back(condition ? bool_ : in != nullptr ? read_dtype(in->string()) : out.type);
    out.words.push_back(read_word(arguments[i], out.types[i].kind));
  }
  const bool converts = out.code == op::CAST || out.code == op::BITCAST;
  const int arity = converts ? 1 : traits(out.code).arity;
  if (!converts && !is_alu(out.code)) throw data_error(std::string("no ALU op: ") + name(out.code));
  if (out.words.size() != static_cast<size_t>(arity))
    throw data_error(std::string(name(out.code)) + " with " + std::to_string(out.words.size()) + " operands");
  return out;
}

bool tagged(const json& line, std::string_view tag) {
  const json* tags = line.find("tags");
  if (tags == nullptr) return false;
  for (const json& t : tags->items())
    if (t.string() == tag) return true;
  return false;
}

// The meaning where it is the library's own, or more exact than what was measured.
std::optional<i64> reference(const operation& o, const json& line) {
  const scalar_kind kind = o.type.kind, from = o.types[0].kind;
  const bool measured = !line["out"].is_object();
  if (is_comparison(o.code)) return std::nullopt;
  if (o.code == op::BITCAST) return measured ? std::nullopt : std::optional<i64>(bitcast_reference(kind, from, o.words[0]));
  if (o.code == op::CAST) {
    if (is_float(from) && !is_float(kind))
      return measured && !tagged(line, "implementation_defined") ? std::nullopt
                                                                 : std::optional<i64>(float_to_integer(kind, double_of(o.words[0])));
    if (kind != scalar_kind::bfloat16) return std::nullopt;
    const i64 word = o.words[0];
    const long double value = is_float(from)                ? static_cast<long double>(double_of(word))
                              : from == scalar_kind::uint64 ? static_cast<long double>(static_cast<u64>(word))
                                                            : static_cast<long double>(word);
    return word_of(rounded_to(kind, value));
  }
  if (!is_float(kind)) return integer_reference(o.code, kind, o.words);
  const bool own = !measured || kind == scalar_kind::bfloat16 || o.code == op::MULACC || o.code == op::POW;
  if (!own) return std::nullopt;
  std::vector<double> values;
  for (size_t i = 0; i < o.words.size(); ++i)
    values.push_back(is_float(o.types[i]) ? double_of(o.words[i]) : static_cast<double>(o.words[i]));
  const std::optional<double> value = float_reference(o.code, kind, values);
  return value ? std::optional<i64>(word_of(*value)) : std::nullopt;
}

// The measured value, nothing where tinygrad raised.
std::optional<i64> measured_value(const operation& o, const json& line) {
  for (const char* field : {"ieee", "c_ref", "truncated", "out"}) {
    const json* found = line.find(field);
    if (found != nullptr && !found->is_object()) return read_word(*found, o.type.kind);
  }
  return std::nullopt;
}

bool agree(const operation& o, i64 expected, i64 got) {
  if (!is_float(o.type)) return expected == got;
  const double a = double_of(expected), b = double_of(got);
  if (o.code == op::MAX && a == 0 && b == 0) return true;  // the sign of a zero result is unspecified
  const bool elementary = o.code == op::EXP2 || o.code == op::LOG2 || o.code == op::SIN || o.code == op::POW;
  const double allowed = !elementary ? 0 : o.type.kind == scalar_kind::float64 ? 2 : 1;
  return distance(o.type.kind, a, b) <= allowed;
}

class alu_family final : public family {
 public:
  explicit alu_family(const options& chosen) : simplify_(chosen.judged.simplify) {}

  void judge(const std::string&, const json& line, verdict& out) override {
    const operation o = read_operation(line);
    graph g;
    std::vector<uop> sources;
    for (size_t i = 0; i < o.words.size(); ++i) sources.push_back(g.make(op::CONST, o.types[i], {}, {&o.words[i], 1}));
    const uop node = g.make(o.code, o.type, {sources.data(), sources.size()});
    const scalar_kind kind = o.type.kind;
    const i64 got = evaluator(node, {})({})[0];
    out.result = "\"value\":" + written(kind, got);

    const std::optional<i64> own = reference(o, line), expected = own ? own : measured_value(o, line);
    if (!expected) return out.skip("tinygrad raised, and no other value is known");
    ++(own ? by_reference_ : by_measurement_);
    if (!agree(o, *expected, got)) out.fail(written(kind, *expected), written(kind, got));
    const i64 folded = evaluator(simplify_(node), {})({})[0];
    if (!agree(o, got, folded)) out.fail("folded as evaluated: " + written(kind, got), written(kind, folded));
    if (!is_float(kind) && (integer_less(kind, got, node.lo()) || integer_less(kind, node.hi(), got)))
      out.fail("bounds with " + written(kind, got), "[" + written(kind, node.lo()) + ", " + written(kind, node.hi()) + ']');
  }
  void summarize(std::ostream& out) const override {
    out << "expected values: " << by_measurement_ << " measured, " << by_reference_ << " from the reference\n";
  }

 private:
  uop (*simplify_)(uop);
  size_t by_measurement_ = 0, by_reference_ = 0;
};

}  // namespace

std::unique_ptr<family> make_alu(const options& chosen) { return std::make_unique<alu_family>(chosen); }

}  // namespace conformance
