#include "family.hpp"

namespace conformance {

namespace {
struct entry {
  const char* name;
  std::unique_ptr<family> (*make)(const options&);
};
constexpr entry families[] = {
    {"symbolic", make_symbolic},
    {"valid", make_valid},
    {"alu", make_alu},
    {"rewrite", make_rewrite},
};
}  // namespace

std::unique_ptr<family> make_family(const std::string& name, const options& chosen) {
  for (const entry& e : families)
    if (name == e.name) return e.make(chosen);
  return nullptr;
}

std::string family_names() {
  std::string out;
  for (const entry& e : families) out += (out.empty() ? "" : ", ") + std::string(e.name);
  return out;
}

}  // namespace conformance
