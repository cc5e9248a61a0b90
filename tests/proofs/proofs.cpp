// twill_proofs: that each rule of the symbolic set is true, ends, and is needed.
//
//   twill_proofs prove Z3 PART PARTS OUT   proves the rules whose number leaves PART when divided by PARTS; writes what it found
//   twill_proofs fixtures Z3 SCRATCH       tells true, false and endless rules apart
//   twill_proofs instances PART PARTS      applies them to instances of their left sides: values and order
//   twill_proofs needs CORPUS              finds for each an input that needs it
//   twill_proofs find-needs CORPUS         writes corpus_needs.hpp
//   twill_proofs document --check|--update FILE CORPUS OUT...   compares or writes docs/rules.md
#include <cstdio>
#include <cstring>
#include <exception>

#include "proofs/fixtures.hpp"
#include "proofs/needs.hpp"
#include "proofs/procedural.hpp"
#include "proofs/prove.hpp"
#include "twill/symbolic.hpp"

namespace proofs {

const char* text_of(verdict v) {
  switch (v) {
    case verdict::proved: return "proved";
    case verdict::checked: return "checked";
    case verdict::refuted: return "refuted";
    case verdict::not_exportable: return "not exportable";
    case verdict::procedural: return "procedural";
    default: return "open";
  }
}

int prove(const char* z3, size_t part, size_t parts, const std::string& out) {
  const rule_view set = symbolic.view();
  prover p(set, solver(z3, out + ".smt2"));
  int failed = 0;
  std::string results;
  for (const outcome& o : p.prove(part, parts)) {
    const char* problem = nullptr;
    switch (o.state) {
      case verdict::proved: break;
      case verdict::procedural: if (procedural_reason(o.rule.c_str()) == nullptr) problem = "is procedural without a reason in procedural.hpp"; break;
      case verdict::checked: if (written_proof(o.rule.c_str()) == nullptr) problem = "is only checked at 8 and 12 bits, without a written proof in procedural.hpp"; break;
      case verdict::refuted: problem = "is false"; break;
      case verdict::not_exportable: problem = "cannot be exported"; break;
      case verdict::open: problem = "has no proof"; break;
    }
    if (problem != nullptr) {
      std::printf("the rule \"%s\" %s: %s\n", o.rule.c_str(), problem, o.counterexample.c_str());
      ++failed;
    }
    results += o.rule + "\t" + text_of(o.state) + "\t" + o.dtypes + "\t" + o.how + "\n";
  }
  std::ofstream file(out);
  file.write(results.data(), static_cast<std::streamsize>(results.size()));
  std::printf("%d rules without a proof\n", failed);
  return failed == 0 && file ? 0 : 1;
}


// Every rule by instances, those whose number leaves part when divided by parts.
int check_instances(size_t part, size_t parts) {
  const rule_view set = symbolic.view();
  int failed = 0;
  u64 applications = 0, points = 0;
  const auto fail = [&](const findings& f, const char* what, const std::string& detail) {
    std::printf("the rule \"%s\" %s: %s\n", f.rule.c_str(), what, detail.c_str());
    ++failed;
  };
  for (size_t i = 0; i < set.count; ++i) {
    if (i % parts != part) continue;
    const findings f = instance_check(set, set.rules[i], 1 + i).run(1500, 300);
    applications += f.applications;
    points += f.points;
    if (f.applications < 10) fail(f, "hardly fires on instances of its left side", std::to_string(f.applications) + " times");
    if (!f.wrong.empty()) fail(f, "changes a value", f.wrong);
    if (f.not_decreased > 0 && order_exception_of(set.rules[i].name) == nullptr) fail(f, "does not decrease the order", f.does_not_decrease);
  }
  std::printf("%llu applications, %llu points, %d rules with faults\n", static_cast<unsigned long long>(applications), static_cast<unsigned long long>(points), failed);
  return failed == 0 ? 0 : 1;
}

int check_needs(const corpus& cases) {
  const rule_view set = symbolic.view();
  int failed = 0;
  for (size_t i = 0; i < set.count; ++i) {
    if (need_of(set, i, cases).found) continue;
    std::printf("no input needs the rule \"%s\": remove it, or write one down in needs.hpp\n", set.rules[i].name);
    ++failed;
  }
  std::printf("%d of %zu rules that nothing needs\n", failed, set.count);
  return failed == 0 ? 0 : 1;
}

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}
std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

// docs/rules.md: written if `update`, else compared.
int document(const std::string& path, bool update, const corpus& cases, const std::vector<std::string>& results) {
  struct proof { std::string state, dtypes, how; };
  std::map<std::string, proof> proofs;
  for (const std::string& file : results) {
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
      std::string parts[4];
      int at = 0;
      for (const char c : line) {
        if (c == '\t' && at < 3) ++at;
        else parts[at] += c;
      }
      proofs[parts[0]] = {parts[1], parts[2], parts[3]};
    }
  }
  const rule_view set = symbolic.view();
  size_t procedural = 0, checked = 0, proved = 0;
  std::string table, reasons, written, exceptions;
  for (size_t i = 0; i < set.count; ++i) {
    const rule& r = set.rules[i];
    if (r.act || r.test) proofs[r.name].state = "procedural";
    if (proofs.count(r.name) == 0) {
      std::printf("no result for the rule \"%s\": run the tests proofs/rules_* first\n", r.name);
      return 1;
    }
    const proof& p = proofs[r.name];
    const std::string whole = rule_text(set, r).c_str();
    const size_t guard_at = whole.find(" if ");
    const std::string text = whole.substr(0, guard_at), guard = guard_at == std::string::npos ? "" : whole.substr(guard_at + 4);
    std::string how;
    if (p.state == "procedural") {
      ++procedural;
      how = "procedural";
      const char* reason = procedural_reason(r.name);
      reasons += "| " + code(r.name) + " | " + (reason != nullptr ? reason : "**none**") + " |\n";
    } else if (p.state == "checked") {
      ++checked;
      how = "checked: " + p.how;
      const char* proof_text = written_proof(r.name);
      written += "| " + code(r.name) + " | " + (proof_text != nullptr ? proof_text : "**none**") + " |\n";
    } else {
      ++proved;
      how = "Z3: " + p.how;
    }
    if (const char* reason = order_exception_of(r.name)) exceptions += "| " + code(r.name) + " | " + reason + " |\n";
    const need n = need_of(set, i, cases);
    const std::string input = n.found ? (n.input.empty() ? "" : cell(n.input) + ": ") + code(n.text) : "**none**";
    table += "| " + code(r.name) + " | " + code(text) + " | " + code(guard) + " | " + (r.act ? "" : r.kind == rule_kind::ring ? "ring" : "ordered") + " | " + p.dtypes + " | " + how + " | " + input + " |\n";
  }
  const auto share = [&](size_t n) { return std::to_string(n) + " (" + std::to_string((1000 * n / set.count + 5) / 10) + " %)"; };
  std::string all = "# The rules of `simplify`\n\nWritten by `twill_proofs document` from the rules themselves, what Z3 said of them, and the inputs that need them; the test\n`proofs/document` compares. Of " +
    std::to_string(set.count) + " rules " + share(proved) + " are proved by Z3, " + share(checked) + " are checked and proved in words, " + share(procedural) + " are procedural.\n\n"
    "A `ring` rule is true modulo 2^n and proved on bit-vectors of 8, 16, 32 and 64 bits; where something divides, on integers modulo 2^n of\n"
    "any width. An `ordered` rule fires only where bounds show that nothing overflows, and is proved on unbounded integers between the\n"
    "dtype's least and greatest, with division by its cases and its quotients and remainders as numbers of their own. Floats are proved in\n"
    "SMT's theory of floating point, after a product's negations are taken out of it. Guards are exact numbers. All rules, the procedural ones\n"
    "too, are applied by the engine to instances of their left sides, with constants in all small combinations and signs, and evaluated\n"
    "for the values of the variables (`proofs/instances_*`). Each input in the last column gets a different and not smaller result without its rule.\n\n"
    "## Why rewriting ends\n\nEvery rule decreases this measure of terms, graphs unfolded into trees, compared from the first number on:\n\n"
    "1. the weight: 2 for a constant, 3 for another leaf, for an op what `weight_of` in tests/proofs/order.hpp says,\n2. leaves that are not constants,\n3. nodes,\n4. comparisons with a constant on the left,\n"
    "5. the sum of the constants' magnitudes,\n6. operands of associative ops out of canonical order or in chains on the right, innermost first.\n\n"
    "The weight of an op grows strictly with that of each operand, so what decreases at a rule's root decreases in every context. The order\nis checked on every application of the instances. Rules that do not always decrease it:\n\n| rule | why it ends |\n| --- | --- |\n" + exceptions +
    "\n## All rules\n\n| rule | what it does | guard | kind | dtypes | proof | an input that needs it |\n| --- | --- | --- | --- | --- | --- | --- |\n" + table +
    "\n## Procedural rules\n\n| rule | why it is no pattern |\n| --- | --- |\n" + reasons + "\n## Checked rules\n\n| rule | proof |\n| --- | --- |\n" + written;
  int failed = 0;
  if (100 * procedural > 15 * set.count) std::printf("%zu of %zu rules are procedural, more than 15 %%\n", procedural, set.count), ++failed;
  if (100 * checked > 5 * set.count) std::printf("%zu of %zu rules are only checked, more than 5 %%\n", checked, set.count), ++failed;
  if (update) {
    std::ofstream out(path);
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
    return failed;
  }
  std::ifstream in(path);
  const std::string old((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (old == all) return failed;
  std::printf("%s is out of date: run twill_proofs document with --update\n", path.c_str());
  return 1;
}

}  // namespace proofs

int main(int count, char** words) {
  try {
    const auto is = [&](const char* command, int arguments) { return count == arguments + 2 && std::strcmp(words[1], command) == 0; };
    if (is("prove", 4)) return proofs::prove(words[2], std::stoul(words[3]), std::stoul(words[4]), words[5]);
    if (is("fixtures", 2)) return proofs::check_fixtures(proofs::solver(words[2], words[3]));
    if (is("instances", 2)) return proofs::check_instances(std::stoul(words[2]), std::stoul(words[3]));
    if (is("needs", 1)) return proofs::check_needs(proofs::corpus(words[2]));
    if (is("find-needs", 1)) return proofs::find_needs(proofs::corpus(words[2]));
    if (count >= 6 && std::strcmp(words[1], "document") == 0)
      return proofs::document(words[3], std::strcmp(words[2], "--update") == 0, proofs::corpus(words[4]), {words + 5, words + count});
    std::fputs("usage: twill_proofs prove Z3 PART PARTS OUT | fixtures Z3 SCRATCH | instances PART PARTS | needs CORPUS | find-needs CORPUS |\n"
               "                    document --check|--update FILE CORPUS OUT...\n", stderr);
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
