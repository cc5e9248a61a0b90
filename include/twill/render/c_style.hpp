// What emitted C++ and CUDA share: a program's instructions as C statements. A register tile becomes one variable for each
// index of its unrolled axes; a lane axis becomes a vector type (C++ only). Whatever is more than an operator stands in a
// small function in front, emitted where it is used; the elementary functions are recorded from their one definition.
//
// Names: v<instruction>[_<element>] values, x<instruction> index expressions, b<number> buffers.
// A vector of bools is a mask: signed integers, 0 or -1, as wide as the operands that it came from.
#pragma once

#include "twill/lower/program.hpp"
#include "twill/render/c_elementary.hpp"

namespace twill::detail {

// The statements of a program.
class c_body {
 public:
  c_body(program_view p, c_prelude& prelude) : p_(p), prelude_(prelude) {
    mask_bytes_.resize(p.instructions.size(), 1);
    for (size_t i = 0; i < p.instructions.size(); ++i) mask_bytes_[i] = mask_bytes(i);
  }
  text write() {
    for (size_t i = 0; i < p_.instructions.size(); ++i) statement(i);
    return out_;
  }
  text pointer_type(size_t buffer) {
    const buffer_info& b = p_.buffers[buffer];
    return say(b.output ? "" : "const ", memory_type(b.kind, 0), '*');
  }

 private:
  using point = i64[max_tile_axes];  // an index for each tile axis

  const instruction& at(size_t i) const { return p_.instructions[i]; }
  int lane_axis(u32 axes) const {
    for (size_t a = 0; a < p_.axes.size(); ++a)
      if ((axes >> a & 1) != 0 && p_.axes[a].lane) return static_cast<int>(a);
    return -1;
  }
  int lanes_of(u32 axes) const {
    const int a = lane_axis(axes);
    return a < 0 ? 0 : p_.axes[static_cast<size_t>(a)].size;
  }
  // A bool's width as a mask. An accumulator's is that of the value it is given first.
  int mask_bytes(size_t i) const {
    const instruction& c = at(i);
    if (c.kind != scalar_kind::bool_) return 1;
    if (c.code == op::DEFINE_ACC) return 4;
    if (c.code == op::LOAD || c.source_count == 0) return 1;
    if (is_comparison(c.code) || c.code == op::CAST || c.code == op::BITCAST) {
      const scalar_kind from = register_kind(at(c.source[0]).kind);
      if (from != scalar_kind::bool_) return byte_size(from);
    }
    for (int s = 0; s < c.source_count; ++s)
      if (at(c.source[s]).kind == scalar_kind::bool_ && lanes_of(at(c.source[s]).axes) != 0) return mask_bytes_[c.source[s]];
    return 1;
  }
  text type_of(size_t i) {
    const instruction& c = at(i);
    const int lanes = lanes_of(c.axes);
    return c.kind == scalar_kind::bool_ ? prelude_.mask_type(mask_bytes_[i], lanes) : prelude_.type(register_kind(c.kind), lanes);
  }
  text memory_type(scalar_kind k, int lanes) { return prelude_.type(k == scalar_kind::bool_ ? scalar_kind::uint8 : k, lanes); }

  text element(size_t i, const point& where) const {
    if (at(i).code == op::ASSIGN) i = at(i).source[0];
    text out = say('v', i);
    i64 number = 0;
    bool tile = false;
    for (size_t a = 0; a < p_.axes.size(); ++a)
      if ((at(i).axes >> a & 1) != 0 && !p_.axes[a].lane) {
        number = number * p_.axes[a].size + where[a];
        tile = true;
      }
    if (tile) out << '_' << number;
    return out;
  }
  // The source as a value of so many lanes; bools as masks of so many bytes.
  text operand(size_t i, const point& where, int lanes, int bytes = 1) {
    const text v = element(i, where);
    const size_t source = at(i).code == op::ASSIGN ? at(i).source[0] : i;
    const int have = lanes_of(at(source).axes);
    if (at(source).kind == scalar_kind::bool_) {
      if (lanes == 0 || (have == lanes && mask_bytes_[source] == bytes)) return v;
      if (have == 0) return prelude_.splat(signed_of_size(bytes), lanes, say('(', v, " ? -1 : 0)"));
      return prelude_.convert(signed_of_size(bytes), lanes, v);
    }
    return have == lanes ? v : prelude_.splat(register_kind(at(source).kind), lanes, v);
  }

  text& line() {
    for (int i = 0; i < depth_; ++i) out_ << "  ";
    return out_;
  }
  // For every index of the unrolled axes in the mask, lowest bit outermost.
  template <class F> void each_point(u32 axes, point& where, const F& f) {
    size_t order[max_tile_axes]{};
    int n = 0;
    for (size_t a = 0; a < p_.axes.size(); ++a)
      if ((axes >> a & 1) != 0 && !p_.axes[a].lane) {
        order[n++] = a;
        where[a] = 0;
      }
    for (;;) {
      f();
      int k = n - 1;
      for (; k >= 0; --k) {
        if (++where[order[k]] < p_.axes[order[k]].size) break;
        where[order[k]] = 0;
      }
      if (k < 0) return;
    }
  }

  text literal(scalar_kind k, i64 word) {
    k = register_kind(k);
    if (k == scalar_kind::bool_) return word != 0 ? "true" : "false";
    return is_float(k) ? float_literal(k, double_of(word), prelude_.cuda) : integer_literal(k, word);
  }

  // Vectors in pairs, a last one and scalars alone.
  void elementary_points(size_t i, point& where) {
    const instruction& c = at(i);
    const int lanes = lanes_of(c.axes);
    text waiting_result, waiting_operand;
    const auto alone = [&](const text& result, const text& x) {
      line() << "const " << type_of(i) << ' ' << result << " = " << prelude_.elementary(c.code, register_kind(c.kind), lanes, x) << ";\n";
    };
    each_point(c.axes, where, [&] {
      const text result = element(i, where), x = operand(c.source[0], where, lanes);
      if (lanes == 0) {
        alone(result, x);
      } else if (waiting_result.empty()) {
        waiting_result = result;
        waiting_operand = x;
      } else {
        line() << type_of(i) << ' ' << waiting_result << ", " << result << ";\n";
        line() << prelude_.elementary_pair(c.code, register_kind(c.kind), lanes) << '(' << waiting_operand << ", " << x << ", " << waiting_result << ", "
               << result << ");\n";
        waiting_result = text();
      }
    });
    if (!waiting_result.empty()) alone(waiting_result, waiting_operand);
  }

  void statement(size_t i) {
    const instruction& c = at(i);
    point where{};
    switch (c.code) {
      case op::RANGE: open(i); return;
      case op::ENDRANGE:
        --depth_;
        line() << "}\n";
        return;
      case op::CONST:
      case op::DEFINE_ACC: {
        const char* fixed = c.code == op::CONST ? "const " : "";
        const int lanes = lanes_of(c.axes);
        text value = literal(c.kind, c.argument[0]);
        if (lanes != 0) {
          if (c.kind == scalar_kind::bool_)
            value = prelude_.splat(signed_of_size(mask_bytes_[i]), lanes, c.argument[0] != 0 ? "-1" : "0");
          else
            value = prelude_.splat(register_kind(c.kind), lanes, value);
        }
        each_point(c.axes, where, [&] { line() << fixed << type_of(i) << ' ' << element(i, where) << " = " << value << ";\n"; });
        return;
      }
      case op::DEFINE_LOCAL: {
        const scalar_kind k = p_.buffers[static_cast<size_t>(c.argument[0])].kind;
        const i64 elements = c.argument[1] > 0 ? c.argument[1] : 1;
        // Large ones do not go onto the stack.
        const bool large = elements * byte_size(k) > 256 * 1024 && !prelude_.cuda;
        line() << (large ? "static thread_local " : "") << "alignas(64) " << memory_type(k, 0) << " b" << c.argument[0] << '[' << elements
               << "];\n";
        return;
      }
      case op::ASSIGN:
        each_point(c.axes, where, [&] {
          line() << element(i, where) << " = " << operand(c.source[1], where, lanes_of(c.axes), mask_bytes_[c.source[0]]) << ";\n";
        });
        return;
      case op::LOAD:
      case op::STORE:
      case op::INDEX: {
        index_base(i);
        each_point(c.axes, where, [&] {
          if (c.code == op::LOAD)
            load(i, where);
          else if (c.code == op::STORE)
            store(i, where);
          else
            define(i, where) << index_value(i, where) << ";\n";
        });
        return;
      }
      case op::REDUCE_AXIS: each_point(c.axes, where, [&] { reduce(i, where); }); return;
      case op::EXP:
      case op::EXP2:
      case op::LOG:
      case op::LOG2:
      case op::TANH: elementary_points(i, where); return;
      default:
        each_point(c.axes, where, [&] {
          const text value = alu_value(i, where);
          define(i, where) << value << ";\n";
        });
    }
  }
  text& define(size_t i, const point& where) {
    const text type = type_of(i);
    return line() << "const " << type << ' ' << element(i, where) << " = ";
  }

  void open(size_t i) {
    const instruction& c = at(i);
    prelude_.type(scalar_kind::int64, 0);
    const i64 trips = c.argument[0], first = c.argument[1];
    if (first < 0) {
      line() << "for (i64 v" << i << " = 0; v" << i << " < " << trips << "; ++v" << i << ") {\n";
    } else if (prelude_.cuda) {
      line() << "if (parallel >= " << first << " && parallel < " << first + trips << ") {\n";
      ++depth_;
      line() << "const i64 v" << i << " = parallel - " << first << ";\n";
      return;
    } else {
      const bool whole = first == 0 && trips == p_.parallel_count;
      line() << "for (i64 v" << i << " = ";
      if (whole || first == 0)
        out_ << "begin";
      else
        out_ << "(begin > " << first << " ? begin - " << first << " : 0)";
      out_ << ", e" << i << " = ";
      if (whole)
        out_ << "end";
      else
        out_ << "(end < " << first + trips << " ? end - " << first << " : " << trips << ')';
      out_ << "; v" << i << " < e" << i << "; ++v" << i << ") {\n";
    }
    ++depth_;
  }

  // Index expressions: x<i> is what is the same for the whole tile.
  text term(size_t i, int s, const text& value) const {
    const i64 k = p_.accesses[at(i).access].coefficient[s];
    const scalar_kind kind = at(at(i).source[s]).kind;
    text out;
    if (k != 1) out << k << " * ";
    if (kind != scalar_kind::int64) out << "(i64)";
    return out << value, out;
  }
  void index_base(size_t i) {
    const access& a = p_.accesses[at(i).access];
    prelude_.type(scalar_kind::int64, 0);
    text value = say(a.offset);
    const point origin{};
    for (int s = 0; s < a.terms; ++s)
      if (at(at(i).source[s]).axes == 0) value << " + " << term(i, s, element(at(i).source[s], origin));
    line() << "const i64 x" << i << " = " << value << ";\n";
  }
  i64 stride(const access& a, int axis) const {
    if (axis < 0 || (a.axes >> axis & 1) == 0) return 0;
    int position = 0;
    for (int b = 0; b < axis; ++b) position += static_cast<int>(a.axes >> b & 1);
    return a.stride[position];
  }
  // The index at an unrolled point and lane. Whether lanes differ other than by their stride: has_lane_terms.
  text index_at(size_t i, const point& where, int lane) const {
    const access& a = p_.accesses[at(i).access];
    text out = say('x', i);
    i64 constant = 0;
    for (size_t n = 0; n < p_.axes.size(); ++n)
      if (!p_.axes[n].lane && (at(i).axes >> n & 1) != 0) constant += stride(a, static_cast<int>(n)) * where[n];
    if (lane > 0) constant += stride(a, lane_axis(at(i).axes)) * lane;
    if (constant > 0) out << " + " << constant;
    if (constant < 0) out << " - " << -constant;
    for (int s = 0; s < a.terms; ++s) {
      const instruction& source = at(at(i).source[s]);
      if (source.axes == 0) continue;
      text value = element(at(i).source[s], where);
      if (lane_axis(source.axes) >= 0) value << '[' << lane << ']';
      out << " + " << term(i, s, value);
    }
    return out;
  }
  bool has_lane_terms(size_t i) const {
    for (int s = 0; s < p_.accesses[at(i).access].terms; ++s)
      if (lane_axis(at(at(i).source[s]).axes) >= 0) return true;
    return false;
  }
  text index_value(size_t i, const point& where) {
    const int lanes = lanes_of(at(i).axes);
    if (lanes == 0) return index_at(i, where, 0);
    text out = say(prelude_.type(scalar_kind::int64, lanes), '{');
    for (int l = 0; l < lanes; ++l) out << (l == 0 ? "" : ", ") << index_at(i, where, l);
    return out << '}', out;
  }

  // A memory value as it is in registers, and back.
  text from_memory(size_t i, int lanes, const text& v) {
    const scalar_kind k = at(i).kind;
    if (k == scalar_kind::bool_)
      return lanes == 0 ? say(v, " != 0")
                        : say('(', prelude_.mask_type(1, lanes), ")(", v, " != ", prelude_.type(scalar_kind::uint8, lanes), "{})");
    return register_kind(k) != k ? prelude_.half_value(k, lanes, v) : v;
  }
  text to_memory(scalar_kind k, int lanes, const text& v) {
    if (k == scalar_kind::bool_) return say("(", prelude_.type(scalar_kind::uint8, lanes), lanes == 0 ? ")" : ")-", v);
    return register_kind(k) != k ? prelude_.half_bits(k, lanes, v) : v;
  }

  void load(size_t i, const point& where) {
    const instruction& c = at(i);
    const access& a = p_.accesses[c.access];
    const int lanes = lanes_of(c.axes), axis = lane_axis(c.axes), active = lanes == 0 ? 0 : p_.axes[static_cast<size_t>(axis)].active;
    const i64 step = stride(a, axis);
    const bool lane_terms = has_lane_terms(i);
    const text buffer = say('b', a.buffer), m = memory_type(c.kind, lanes);
    text gate;
    bool gate_mask = false;
    int gate_bytes = 0;
    if (c.gated) {
      const size_t g = c.source[c.source_count - 1];
      gate = element(g, where);
      gate_mask = lanes_of(at(g).axes) != 0;
      gate_bytes = mask_bytes_[g];
    }
    if (!gate_mask && !lane_terms && (lanes == 0 || step == 0)) {
      // One element, for all lanes.
      text value = from_memory(i, 0, say(buffer, '[', index_at(i, where, 0), ']'));
      const bool boolean = c.kind == scalar_kind::bool_;
      if (c.gated) value = say(gate, " ? ", value, " : ", boolean ? "false" : "0");
      if (lanes != 0)
        value = boolean ? prelude_.splat(scalar_kind::int8, lanes, say("((", value, ") ? -1 : 0)"))
                        : prelude_.splat(register_kind(c.kind), lanes, value);
      define(i, where) << value << ";\n";
      return;
    }
    const bool together = step == 1 && !lane_terms;
    const text whole = say("*(const ", m, "_u*)(", buffer, " + ", index_at(i, where, 0), ')');
    if (together && active == lanes && !c.gated) {
      const text value = from_memory(i, lanes, say('(', whole, ')'));
      define(i, where) << value << ";\n";
      return;
    }
    const text raw = say('m', element(i, where).view().data() + 1);
    line() << m << ' ' << raw << " = {};\n";
    const text all = gate_mask && together && active == lanes ? prelude_.all_set(gate_bytes, lanes, gate) : text();
    if (!all.empty()) line() << "if (" << all << ") " << raw << " = " << whole << ";\n";
    if (!all.empty())
      line() << "else {\n";
    else if (c.gated && !gate_mask)
      line() << "if (" << gate << ") {\n";
    else
      line() << "{\n";
    ++depth_;
    if (together && !gate_mask) {
      if (active == lanes)
        line() << raw << " = " << whole << ";\n";
      else
        line() << "__builtin_memcpy(&" << raw << ", " << buffer << " + " << index_at(i, where, 0) << ", " << active * byte_size(c.kind)
               << ");\n";
    } else {
      for (int l = 0; l < active; ++l) {
        line();
        if (gate_mask) out_ << "if (" << gate << '[' << l << "] != 0) ";
        out_ << raw << '[' << l << "] = " << buffer << '[' << index_at(i, where, l) << "];\n";
      }
    }
    --depth_;
    line() << "}\n";
    const text value = from_memory(i, lanes, raw);
    define(i, where) << value << ";\n";
  }

  void store(size_t i, const point& where) {
    const instruction& c = at(i);
    const access& a = p_.accesses[c.access];
    const int lanes = lanes_of(c.axes), axis = lane_axis(c.axes), active = lanes == 0 ? 0 : p_.axes[static_cast<size_t>(axis)].active;
    const size_t value = c.source[c.source_count - 1];
    const text buffer = say('b', a.buffer), m = memory_type(c.kind, lanes);
    if (lanes == 0) {
      const text v = to_memory(c.kind, 0, element(value, where));
      line() << buffer << '[' << index_at(i, where, 0) << "] = " << v << ";\n";
      return;
    }
    const text v = to_memory(c.kind, lanes, operand(value, where, lanes, 1));
    if (stride(a, axis) == 1 && !has_lane_terms(i)) {
      if (active == lanes) {
        line() << "*(" << m << "_u*)(" << buffer << " + " << index_at(i, where, 0) << ") = " << v << ";\n";
        return;
      }
      line() << "{\n";
      line() << "  const " << m << " s = " << v << ";\n";
      line() << "  __builtin_memcpy(" << buffer << " + " << index_at(i, where, 0) << ", &s, " << active * byte_size(c.kind) << ");\n";
    } else {
      line() << "{\n";
      line() << "  const " << m << " s = " << v << ";\n";
      for (int l = 0; l < active; ++l) line() << "  " << buffer << '[' << index_at(i, where, l) << "] = s[" << l << "];\n";
    }
    line() << "}\n";
  }

  void reduce(size_t i, const point& where) {
    const instruction& c = at(i);
    const size_t source = c.source[0];
    const op how = static_cast<op>(c.argument[0]);
    const scalar_kind k = register_kind(c.kind);
    const u32 removed = at(source).axes & static_cast<u32>(c.argument[1]);
    const int lanes = lanes_of(at(source).axes), bytes = mask_bytes_[source];
    const int lane = lane_axis(removed);
    const text name = element(i, where), sum = say('r', name.view().data() + 1);
    const auto type = [&](int n) { return k == scalar_kind::bool_ ? prelude_.mask_type(bytes, n) : prelude_.type(k, n); };
    point inner{};
    for (size_t a = 0; a < p_.axes.size(); ++a) inner[a] = where[a];
    bool first = true;
    each_point(removed, inner, [&] {
      const text v = element(source, inner), value = first ? v : alu(how, k, k, lanes, bytes, sum, v, {}, false, false, nullptr);
      line() << (first ? say(type(lanes), ' ') : text()) << sum << " = " << value << ";\n";
      first = false;
    });
    if (lane < 0) {
      define(i, where) << sum << ";\n";
      return;
    }
    const int active = p_.axes[static_cast<size_t>(lane)].active;
    const auto lane_value = [&](const text& v, int n) {
      return k == scalar_kind::bool_ ? say('(', v, '[', n, "] != 0)") : say(v, '[', n, ']');
    };
    if (active == lanes && (lanes & (lanes - 1)) == 0) {
      text v = sum;
      for (int half = lanes / 2; half > 1; half /= 2) {
        const text next = say(sum, 'h', half), low = say(next, "l"), high = say(next, "h"), t = type(half);
        line() << "const " << t << ' ' << low << " = " << c_prelude::lanes_of(v, 0, half) << ";\n";
        line() << "const " << t << ' ' << high << " = " << c_prelude::lanes_of(v, half, half) << ";\n";
        const text value = alu(how, k, k, half, bytes, low, high, {}, false, false, nullptr);
        line() << "const " << t << ' ' << next << " = " << value << ";\n";
        v = next;
      }
      const text value =
          lanes == 1 ? lane_value(v, 0) : alu(how, k, k, 0, 1, lane_value(v, 0), lane_value(v, 1), {}, false, false, nullptr);
      define(i, where) << value << ";\n";
      return;
    }
    text v = lane_value(sum, 0);
    for (int l = 1; l < active; ++l) {
      const text next = say(sum, 'n', l), value = alu(how, k, k, 0, 1, v, lane_value(sum, l), {}, false, false, nullptr);
      line() << "const " << type(0) << ' ' << next << " = " << value << ";\n";
      v = next;
    }
    define(i, where) << v << ";\n";
  }

  text alu_value(size_t i, const point& where) {
    const instruction& c = at(i);
    const int lanes = lanes_of(c.axes);
    const scalar_kind from = at(c.source[0]).kind, in_register = register_kind(from);
    const bool converts = c.code == op::CAST || c.code == op::BITCAST;
    // Masks are brought to one width: the result's, or that of what is selected.
    int bytes = c.kind == scalar_kind::bool_ ? mask_bytes_[i] : byte_size(register_kind(c.kind));
    if (converts && from == scalar_kind::bool_ && lanes != 0) bytes = mask_bytes_[c.source[0]];
    text v[3];
    for (int s = 0; s < c.source_count && s < 3; ++s) v[s] = operand(c.source[s], where, lanes, bytes);
    if (c.code == op::CAST) return cast(c.kind, in_register, lanes, bytes, v[0]);
    if (c.code == op::BITCAST) return bitcast(c.kind, from, lanes, v[0]);
    const auto constant = [&](int s) { return s < c.source_count && at(c.source[s]).code == op::CONST; };
    const i64* second = constant(1) ? &at(c.source[1]).argument[0] : nullptr;
    const auto ordered = [&](int s) { return constant(s) && at(c.source[s]).argument[0] != word_of(__builtin_nan("")); };
    return alu(c.code, register_kind(c.kind), in_register, lanes, bytes, v[0], v[1], v[2], ordered(0), ordered(1), second);
  }

  // An operation on values named a, b, c. second: the word of b where that is constant.
  text alu(op code, scalar_kind k, scalar_kind from, int lanes, int bytes, const text& a, const text& b, const text& c, bool a_ordered,
           bool b_ordered, const i64* second) {
    if (code == op::WHERE) {
      if (k == scalar_kind::bool_ && lanes != 0) return say('(', a, " & ", b, ") | (~", a, " & ", c, ')');
      return say(a, " ? ", b, " : ", c);
    }
    if (is_comparison(code) && from != scalar_kind::bool_) {
      const text test = say(a, code == op::CMPLT ? " < " : " != ", b);
      return lanes == 0 ? test : say('(', prelude_.mask_type(bytes, lanes), ")(", test, ')');
    }
    if (k == scalar_kind::bool_) {
      const char* no = lanes == 0 ? "!" : "~";
      switch (code) {
        case op::ADD:
        case op::OR:
        case op::MAX: return say(a, " | ", b);
        case op::MUL:
        case op::AND:
        case op::MIN:
        case op::IDIV:
        case op::FLOORDIV:
        case op::FDIV: return say(a, " & ", b);
        case op::SUB:
        case op::XOR:
        case op::CMPNE: return say(a, " ^ ", b);
        case op::CMPLT: return say(no, a, " & ", b);
        case op::MOD:
        case op::FLOORMOD:
        case op::SHL:
        case op::SHR: return say(a, " & ", no, b);
        case op::NEG:
        case op::RECIP: return a;
        case op::MULACC: return say('(', a, " & ", b, ") | ", c);
        default: unsupported(code, k);
      }
    }
    if (is_float(k)) {
      switch (code) {
        case op::ADD: return say(a, " + ", b);
        case op::SUB: return say(a, " - ", b);
        case op::MUL: return say(a, " * ", b);
        case op::FDIV: return say(a, " / ", b);
        case op::NEG: return say('-', a);
        case op::RECIP: return say(prelude_.number(k, lanes, 1), " / ", a);
        case op::SQRT: return prelude_.square_root(k, lanes, a);
        case op::MULACC: return prelude_.fma(k, lanes, a, b, c);
        case op::MAX:
        case op::MIN:
          return b_ordered ? prelude_.extreme(code == op::MAX, k, lanes, b, a, true)
                           : prelude_.extreme(code == op::MAX, k, lanes, a, b, a_ordered);
        case op::EXP:
        case op::EXP2:
        case op::LOG:
        case op::LOG2:
        case op::SIN:
        case op::TANH: return prelude_.elementary(code, k, lanes, a);
        default: unsupported(code, k);
      }
    }
    const text t = prelude_.type(k, lanes), u = prelude_.unsigned_type(k, lanes);
    const auto wrapping = [&](const char* sign) { return say('(', t, ")((", u, ')', a, sign, '(', u, ')', b, ')'); };
    const bool plain_divisor = second != nullptr && *second != 0 && *second != -1;
    const bool plain_count = second != nullptr && *second >= 0 && *second < bit_width(k);
    switch (code) {
      case op::ADD: return wrapping(" + ");
      case op::SUB: return wrapping(" - ");
      case op::MUL: return wrapping(" * ");
      case op::NEG: return lanes == 0 ? say('(', t, ")(0 - (", u, ')', a, ')') : say('(', t, ")(-(", u, ')', a, ')');
      case op::MULACC: return say('(', t, ")((", u, ')', a, " * (", u, ')', b, " + (", u, ')', c, ')');
      case op::AND: return say('(', t, ")(", a, " & ", b, ')');
      case op::OR: return say('(', t, ")(", a, " | ", b, ')');
      case op::XOR: return say('(', t, ")(", a, " ^ ", b, ')');
      case op::MAX: return say('(', a, " > ", b, " ? ", a, " : ", b, ')');
      case op::MIN: return say('(', a, " < ", b, " ? ", a, " : ", b, ')');
      case op::IDIV:
      case op::FDIV: return plain_divisor ? say('(', t, ")(", a, " / ", b, ')') : prelude_.guarded(op::IDIV, k, lanes, a, b);
      case op::MOD: return plain_divisor ? say('(', t, ")(", a, " % ", b, ')') : prelude_.guarded(code, k, lanes, a, b);
      case op::SHL: return plain_count ? say('(', t, ")((", u, ')', a, " << ", b, ')') : prelude_.guarded(code, k, lanes, a, b);
      case op::SHR: return plain_count ? say('(', t, ")(", a, " >> ", b, ')') : prelude_.guarded(code, k, lanes, a, b);
      case op::FLOORDIV:
      case op::FLOORMOD:
      case op::THREEFRY: return prelude_.guarded(code, k, lanes, a, b);
      default: unsupported(code, k);
    }
  }
  [[noreturn]] static void unsupported(op code, scalar_kind k) {
    raise<graph_error>(say(name(code), " of ", name(k), " cannot be rendered"));
  }

  text cast(scalar_kind to, scalar_kind from, int lanes, int bytes, const text& v) {
    if (to == scalar_kind::bool_) {
      if (from == scalar_kind::bool_) return v;
      if (lanes == 0) return say(v, " != 0");
      return say('(', prelude_.mask_type(bytes, lanes), ")(", v, " != ", prelude_.type(from, lanes), "{})");
    }
    const scalar_kind target = register_kind(to);
    if (from == scalar_kind::bool_) {
      if (lanes == 0) return prelude_.convert(target, 0, v);
      const int size = byte_size(target);
      const text mask = bytes == size ? v : prelude_.convert(signed_of_size(size), lanes, v);
      return is_float(target) ? prelude_.convert(target, lanes, say('-', mask)) : say('(', prelude_.type(target, lanes), ")(-", mask, ')');
    }
    if (target != to) return prelude_.round_half(to, from, lanes, v);
    if (to == from) return v;
    if (is_float(from) && !is_float(to)) return prelude_.saturate(to, from, lanes, v);
    if (lanes != 0 && !is_float(to) && byte_size(to) == byte_size(from)) return say('(', prelude_.type(to, lanes), ')', v);
    return prelude_.convert(to, lanes, v);
  }
  text bitcast(scalar_kind to, scalar_kind from, int lanes, const text& v) {
    text bits = v;
    if (register_kind(from) != from) {
      bits = prelude_.half_bits(from, lanes, v);
      from = scalar_kind::uint16;
    }
    if (from == scalar_kind::bool_) {
      bits = to_memory(from, lanes, v);
      from = scalar_kind::uint8;
    }
    if (to == scalar_kind::bool_)
      return lanes == 0 ? say(bits, " != 0")
                        : say('(', prelude_.mask_type(1, lanes), ")(", bits, " != ", prelude_.type(from, lanes), "{})");
    if (register_kind(to) != to) return prelude_.half_value(to, lanes, prelude_.bits_as(scalar_kind::uint16, from, lanes, bits));
    return prelude_.bits_as(to, from, lanes, bits);
  }

  program_view p_;
  c_prelude& prelude_;
  vector<int> mask_bytes_;
  text out_;
  int depth_ = 1;
};

}  // namespace twill::detail
