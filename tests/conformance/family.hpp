// A family of cases: how one is judged, and what is said about all of them.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "engine.hpp"
#include "json.hpp"

namespace conformance {

// What became of one case.
struct verdict {
  enum class kind { passed, failed, skipped };
  kind what = kind::passed;
  std::string expected, got;  // of a failed one
  std::string reason;         // of a skipped one
  std::string result;         // fields of the results file's line after the id: "\"value\":3"

  // Only the first problem of a case is told.
  void fail(std::string expected_value, std::string got_value) {
    if (what == kind::failed) return;
    what = kind::failed;
    expected = std::move(expected_value);
    got = std::move(got_value);
  }
  void skip(std::string why) {
    what = kind::skipped;
    reason = std::move(why);
  }
};

struct options {
  bool results = false;      // fill in verdict::result
  bool list_weaker = false;  // a line for every case where the corpus has fewer nodes
  engine judged = library();
};

class family {
 public:
  virtual ~family() = default;
  // Throws data_error where the case is not of the schema; a twill::error is a failure of the case.
  virtual void judge(const std::string& id, const json& line, verdict& out) = 0;
  // Lines before the last one.
  virtual void summarize(std::ostream&) const {}
  // Are at most these percents of each family of ids larger than the corpus's, where that is sound? Says which are not.
  virtual bool weaker_at_most(size_t, std::ostream&) const { return true; }
};

std::unique_ptr<family> make_symbolic(const options&);
std::unique_ptr<family> make_valid(const options&);
std::unique_ptr<family> make_alu(const options&);
std::unique_ptr<family> make_rewrite(const options&);

// nullptr for a name that is none.
std::unique_ptr<family> make_family(const std::string& name, const options&);
// "symbolic, valid, …"
std::string family_names();

}  // namespace conformance
