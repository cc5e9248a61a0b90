// twill_parity FILE PART PARTS OUT.cpp: writes a source file of static_asserts. Of the file's expressions every 16th, by the hash of
// its id, that falls to the part must become in constant evaluation, node for node, what it has become here.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>

#include "engine.hpp"
#include "json.hpp"
#include "packing.hpp"
#include "sha256.hpp"
#include "tree.hpp"

namespace {

using namespace twill;

constexpr unsigned one_of = 16;

void write(std::ostream& out, const vector<i64>& words) {
  out << '{';
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out << (i % 40 == 0 ? ",\n   " : ",");
    if (words[i] == std::numeric_limits<i64>::min())
      out << "-9223372036854775807-1";
    else
      out << words[i];
  }
  out << '}';
}

void write_case(std::ostream& out, const std::string& id, const conformance::json& line) {
  graph g;
  const vector<i64> original = conformance::packed(conformance::read_tree(g, line["expr"]));
  graph fresh;
  out << "static_assert(conformance::simplifies_to(";
  write(out, original);
  out << ",\n  ";
  write(out, conformance::packed(conformance::library().simplify(conformance::unpacked(fresh, original))));
  out << "), " << conformance::quoted(id) << ");\n";
}

// What the check must refuse: a + 0 that stays as it is.
void write_wrong_case(std::ostream& out) {
  graph g;
  const vector<i64> sum = conformance::packed(g.var("a", 0, 9) + 0);
  out << "static_assert(!conformance::simplifies_to(";
  write(out, sum);
  out << ",\n  ";
  write(out, sum);
  out << "), \"no difference is found\");\n";
}

int run(const char* file, unsigned part, unsigned parts, const char* to) {
  std::ifstream in(file);
  if (!in) throw conformance::data_error(std::string("cannot read ") + file);
  std::ofstream created(to);
  std::ostream& out = created;
  out << "#include \"parity.hpp\"\n";
  write_wrong_case(out);
  unsigned chosen = 0;
  for (std::string text; std::getline(in, text);) {
    const conformance::json line = conformance::json::parse(text);
    const std::string& id = line["id"].string();
    if (conformance::sha256(id)[0] % one_of == 0 && chosen++ % parts == part) write_case(out, id, line);
  }
  if (chosen < parts) throw conformance::data_error(std::string(file) + ": fewer cases than parts");
  if (!out.flush()) throw conformance::data_error(std::string("cannot write ") + to);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 5) throw conformance::data_error("usage: twill_parity FILE PART PARTS OUT.cpp");
    return run(argv[1], static_cast<unsigned>(std::atoi(argv[2])), static_cast<unsigned>(std::atoi(argv[3])), argv[4]);
  } catch (const std::exception& e) {
    std::cerr << "twill_parity: " << e.what() << '\n';
    return 2;
  }
}
