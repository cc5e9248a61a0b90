// Asks Z3 many questions in one process. Each is asked afresh, so that one answer does not depend on the others, and with
// a limit in the solver's own units, so that it does not depend on the machine.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace proofs {

struct question {
  std::string text;     // without check-sat
  std::string symbols;  // to report when it is satisfiable
  bool linear = false;  // products are names of their own: the question holds what is to be known of them
  std::string answer{}; // unsat: proved; sat: refuted; unknown
  std::string model{};
};

class solver {
 public:
  // program: the path of z3; scratch: a file that may be written.
  solver(std::string program, std::string scratch) : program_(std::move(program)), scratch_(std::move(scratch)) {}

  void ask(std::vector<question>& questions, long resources) const {
    if (questions.empty()) return;
    {
      std::string all;
      for (size_t i = 0; i < questions.size(); ++i)
        all += "(reset)\n(set-option :rlimit " + std::to_string(resources) + ")\n(set-option :timeout 60000)\n" +
               (questions[i].linear ? "(set-option :smt.arith.nl false)\n" : "(set-option :smt.arith.nl true)\n") + questions[i].text + "(echo \"@" + std::to_string(i) +
               "\")\n" + (questions[i].linear ? "(check-sat-using (then simplify propagate-values solve-eqs smt))\n" : "(check-sat)\n");
      write(all);
    }
    size_t now = questions.size();
    for (const std::string& line : run()) {
      if (line[0] == '@') now = static_cast<size_t>(std::stoul(line.substr(1)));
      else if (now < questions.size() && questions[now].answer.empty()) questions[now].answer = line;
      else if (line.find("error") != std::string::npos) throw std::runtime_error("z3: " + line);
    }
    for (const question& q : questions)
      if (q.answer != "unsat" && q.answer != "sat" && q.answer != "unknown" && q.answer != "timeout")
        throw std::runtime_error("z3 did not answer but said: " + q.answer + " to\n" + q.text);
  }
  // The values of the symbols in a counterexample.
  std::string counterexample(const question& q, long resources) const {
    write("(set-option :rlimit " + std::to_string(resources) + ")\n" + q.text + "(check-sat)\n(get-value (" + q.symbols + "))\n");
    std::string all;
    for (const std::string& line : run())
      if (line != "sat") all += (all.empty() ? "" : " ") + line;
    return all;
  }

 private:
  void write(const std::string& all) const {
    std::ofstream out(scratch_);
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
    if (!out) throw std::runtime_error("cannot write " + scratch_);
  }
  std::vector<std::string> run() const {
    FILE* pipe = popen((program_ + " -smt2 '" + scratch_ + "' 2>&1").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot run " + program_);
    std::vector<std::string> lines;
    std::string line;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) {
      if (c != '\n') line += static_cast<char>(c);
      else if (!line.empty()) {
        lines.push_back(line);
        line.clear();
      }
    }
    if (!line.empty()) lines.push_back(line);
    pclose(pipe);
    return lines;
  }
  std::string program_, scratch_;
};

}  // namespace proofs
