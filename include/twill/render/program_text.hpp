// A linear program as a listing for people.
#pragma once

#include "twill/ir/constant.hpp"
#include "twill/lower/program.hpp"

namespace twill {

namespace detail {
// Shortest decimal that is exact, where it has few digits; else what is left after eight.
constexpr void put_number(text& out, double v) {
  if (v != v) {
    out << "nan";
    return;
  }
  if (v < 0 || (v == 0 && __builtin_bit_cast(i64, v) < 0)) {
    out << '-';
    v = -v;
  }
  if (v - v != 0) {
    out << "inf";
    return;
  }
  int power = 0;
  for (; v >= 1e15; v /= 10) ++power;
  for (; v != 0 && v < 1e-4; v *= 10) --power;
  u64 whole = static_cast<u64>(v), digits = static_cast<u64>((v - static_cast<double>(whole)) * 1e8 + 0.5);
  if (digits == 100000000) {
    ++whole;
    digits = 0;
  }
  out << whole;
  if (digits != 0) {
    int count = 8;
    while (digits % 10 == 0) {
      digits /= 10;
      --count;
    }
    out << '.';
    u64 unit = 1;
    for (int i = 1; i < count; ++i) unit *= 10;
    for (; unit > digits; unit /= 10) out << '0';
    out << digits;
  }
  if (power != 0) out << 'e' << power;
}
constexpr void put_axes(text& out, u32 axes) {
  if (axes == 0) return;
  out << '[';
  bool first = true;
  for (int a = 0; a < max_tile_axes; ++a) {
    if ((axes >> a & 1) == 0) continue;
    if (!first) out << ' ';
    out << 'a' << a;
    first = false;
  }
  out << ']';
}
}  // namespace detail

// Axes and buffers first, then an instruction a line: %number[axes] = op.kind sources, memory as b<buffer>[index].
constexpr text program_text(program_view p) {
  text out;
  out << "parallel " << p.parallel_count << ", work " << p.work << '\n';
  for (size_t b = 0; b < p.buffers.size(); ++b)
    out << 'b' << b << ": "
        << (p.buffers[b].local    ? "local "
            : p.buffers[b].output ? "output "
                                  : "input ")
        << name(p.buffers[b].kind) << " x " << p.buffers[b].elements << '\n';
  for (size_t a = 0; a < p.axes.size(); ++a) {
    out << 'a' << a << ": " << (p.axes[a].lane ? "lanes " : "unrolled ") << p.axes[a].size;
    if (p.axes[a].active != p.axes[a].size) out << ", " << p.axes[a].active << " active";
    out << '\n';
  }
  int depth = 0;
  for (size_t i = 0; i < p.instructions.size(); ++i) {
    const instruction& c = p.instructions[i];
    if (c.code == op::ENDRANGE && depth > 0) --depth;
    for (int d = 0; d < depth; ++d) out << "  ";
    const bool indexed = c.code == op::LOAD || c.code == op::STORE || c.code == op::INDEX;
    const int terms = indexed ? p.accesses[c.access].terms : 0;
    const auto index = [&] {
      const access& a = p.accesses[c.access];
      bool first = true;
      const auto plus = [&](i64 k, const char* kind, u64 number) {
        if (k == 0) return;
        if (!first)
          out << (k < 0 ? " - " : " + ");
        else if (k < 0)
          out << '-';
        first = false;
        const u64 size = k < 0 ? u64{0} - static_cast<u64>(k) : static_cast<u64>(k);
        if (kind[0] == '\0')
          out << size;
        else {
          if (size != 1) out << size << ' ';
          out << kind << number;
        }
      };
      for (int s = 0; s < terms; ++s) plus(a.coefficient[s], "%", c.source[s]);
      int n = 0;
      for (u32 axis = 0; axis < u32{max_tile_axes}; ++axis)
        if ((a.axes >> axis & 1) != 0) plus(a.stride[n++], "a", axis);
      plus(a.offset, "", 0);
      if (first) out << '0';
    };
    if (c.code == op::RANGE) {
      out << '%' << i << " = RANGE " << c.argument[0];
      if (c.argument[1] >= 0) out << ", parallel from " << c.argument[1];
      ++depth;
    } else if (c.code == op::ENDRANGE) {
      out << "ENDRANGE %" << c.source[0];
    } else if (c.code == op::STORE) {
      out << "STORE." << name(c.kind);
      detail::put_axes(out, c.axes);
      out << " b" << p.accesses[c.access].buffer << '[';
      index();
      out << "] = %" << c.source[terms];
    } else if (c.code == op::DEFINE_LOCAL) {
      out << "DEFINE_LOCAL b" << c.argument[0];
    } else if (c.code == op::ASSIGN) {
      out << "ASSIGN %" << c.source[0] << " = %" << c.source[1];
    } else {
      out << '%' << i;
      detail::put_axes(out, c.axes);
      out << " = " << name(c.code) << '.' << name(c.kind);
      if (c.code == op::CONST || c.code == op::DEFINE_ACC) {
        out << ' ';
        if (is_float(c.kind))
          detail::put_number(out, double_of(c.argument[0]));
        else if (c.kind == scalar_kind::uint64)
          out << static_cast<u64>(c.argument[0]);
        else
          out << c.argument[0];
      } else if (c.code == op::LOAD || c.code == op::INDEX) {
        if (c.code == op::LOAD)
          out << " b" << p.accesses[c.access].buffer << '[';
        else
          out << " (";
        index();
        out << (c.code == op::LOAD ? ']' : ')');
        if (c.gated) out << " if %" << c.source[terms];
      } else {
        if (c.code == op::REDUCE_AXIS) {
          out << ' ' << name(static_cast<op>(c.argument[0]));
          detail::put_axes(out, static_cast<u32>(c.argument[1]));
        }
        for (int s = 0; s < c.source_count; ++s) out << (s == 0 ? " %" : ", %") << c.source[s];
      }
    }
    out << '\n';
  }
  return out;
}

}  // namespace twill
