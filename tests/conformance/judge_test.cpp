// The judges find what is wrong: engines that give wrong values, bounds that miss one, results that go on changing.
#include <sstream>

#include "../conformance/family.hpp"
#include "catch.hpp"

namespace {

using conformance::json;
using conformance::make_family;
using conformance::options;
using conformance::verdict;
using twill::uop;

verdict judged(const char* family, const std::string& line, const options& chosen = {}) {
  verdict out;
  make_family(family, chosen)->judge("t/1", json::parse(line), out);
  return out;
}
bool passes(const verdict& v) { return v.what == verdict::kind::passed; }
bool fails(const verdict& v) { return v.what == verdict::kind::failed; }
options simplifying_by(uop (*f)(uop)) {
  options out;
  out.judged.simplify = f;
  return out;
}

constexpr const char* sum =
    R"({"expr":["ADD",["VAR","a",0,8],["CONST",1]],"vmin":0,"vmax":9,"nodes":3,"simp":"same","simp_nodes":3,"render":"a+1",
        "domain":[9,true],"true_min":1,"vars":["a"],"samples":[[[3],4]]})";
constexpr const char* gate =
    R"({"valid":["CMPLT",["VAR","a",0,8],["CONST",4]],"idx":[["VAR","a",0,8],["CONST",0]],"image_shape":[1,4,4],"simplify_valid":null,
        "idx_given_valid":[["VAR","a",0,8],["CONST",0]],"peer_unsound":[],"vars":["a"],"samples":[[[3],true,[3,0]],[[5],false,[5,0]]]})";

std::string with(std::string line, const std::string& part, const std::string& instead) {
  const size_t at = line.find(part);
  REQUIRE(at != std::string::npos);
  return line.replace(at, part.size(), instead);
}

}  // namespace

TEST_CASE("a right case passes in every family") {
  CHECK(passes(judged("symbolic", sum)));
  CHECK(passes(judged("valid", gate)));
}

TEST_CASE("symbolic: a wrong value, another dtype, an endless change and a bound that misses are found") {
  CHECK(fails(judged("symbolic", sum, simplifying_by([](uop u) { return u.is_constant() ? u : u.owner->constant(twill::int32, 4); }))));
  CHECK(fails(judged("symbolic", sum, simplifying_by([](uop u) { return u.owner->constant(twill::int64, 4); }))));
  CHECK(fails(judged("symbolic", sum, simplifying_by([](uop u) { return u + 0; }))));
  CHECK(fails(judged("symbolic", with(sum, R"("true_min":1)", R"("true_min":0)"))));
  CHECK(fails(judged("symbolic", with(sum, R"("vmax":9)", R"("vmax":10)"))));
  CHECK(fails(judged("symbolic", with(sum, "[[[3],4]]", "[[[3],5]]"))));
  // A result that is right at the sample only.
  CHECK(fails(judged("symbolic", sum, simplifying_by([](uop u) {
                       return u.is(twill::op::ADD) && u.source(0).is(twill::op::DEFINE_VAR) ? twill::max(u, 4) : u;
                     }))));
}

TEST_CASE("symbolic: a float result that is only nearly the same is found") {
  const std::string product =
      R"({"expr":["MUL",["VAR","x","-inf","inf","float32"],["CONST","0x1p+1","float32"]],"vmin":"-inf","vmax":"inf","nodes":3,"simp":"same",
          "simp_nodes":3,"render":"x*2","domain":[3,false],"vars":["x"],"samples":[[["0x1p+0"],"0x1p+1"]]})";
  CHECK(passes(judged("symbolic", product)));
  CHECK(fails(judged("symbolic", product, simplifying_by([](uop u) {
                       return u.is(twill::op::MUL) && u.source(1).argument(0) == twill::word_of(2.0) ? u.source(0) * (2.0 + 0x1p-20) : u;
                     }))));
  CHECK(fails(
      judged("symbolic", product, simplifying_by([](uop u) { return u.is(twill::op::MUL) ? u + u * 0.0 : u; }))));  // not for infinities
}

TEST_CASE("symbolic: bounds of floats hold what is known") {
  const std::string constant =
      R"({"expr":["MAX",["CONST","0x1p+0","float32"],["CONST","0x1p+1","float32"]],"vmin":"0x1p+1","vmax":"0x1p+1","nodes":3,
                                   "simp":null,"domain":[1,true],"vars":[],"samples":[[[],"0x1p+1"]]})";
  CHECK(passes(judged("symbolic", constant)));
  CHECK(fails(judged("symbolic", with(constant, R"("vmax":"0x1p+1")", R"("vmax":"0x1.8p+1")"))));
}

TEST_CASE("symbolic: vectors have a value for each lane") {
  const std::string lanes =
      R"({"expr":["GEP",[1,0],["VECTORIZE",["VAR","a",0,8],["ADD",["CONST",2],["CONST",1]]]],"dtype":"int32x2","vmin":0,"vmax":8,"nodes":6,"simp":null,
          "simp_nodes":null,"render":null})";
  CHECK(passes(judged("symbolic", lanes)));
  CHECK(fails(judged("symbolic", lanes,
                     simplifying_by([](uop u) { return u.is(twill::op::GEP) ? u.source(0) : u; }))));  // the lanes in another order
  const std::string constant =
      R"({"expr":["VCONST",["0x1p+0","nan"],"float32x2"],"dtype":"float32x2","vmin":"-inf","vmax":"inf","nodes":1,"simp":"same",
                                   "simp_nodes":1,"render":"x"})";
  CHECK(passes(judged("symbolic", constant)));
}

TEST_CASE("symbolic: sizes are compared in the corpus's vocabulary") {
  const auto summary = [](uop (*f)(uop)) {
    const auto family = make_family("symbolic", simplifying_by(f));
    verdict v;
    family->judge("t/1", json::parse(sum), v);
    std::ostringstream out;
    family->summarize(out);
    return out.str();
  };
  CHECK(summary([](uop u) { return u; }).find("t: weaker 0, equal 1, stronger 0") == 0);
  // min is -max(-a, -b), which is longer than it looks: a, 100, a + 1 with its 1, and seven more.
  CHECK(summary([](uop u) { return u.is(twill::op::MIN) ? u : twill::min(u, 100); }).find("t: weaker 1, equal 0, stronger 0") == 0);
}

TEST_CASE("valid: an index that differs where the gate holds, and a gate that differs, are found") {
  options chosen;
  chosen.judged.given_valid = [](uop, uop u) { return u + 1; };
  CHECK(fails(judged("valid", gate, chosen)));
  chosen = {};
  chosen.judged.simplify_valid = [](uop valid) { return !valid; };
  CHECK(fails(judged("valid", gate, chosen)));
}

TEST_CASE("valid: only an image's gate can be dropped, and only where the index is outside") {
  options dropping;
  dropping.judged.simplify_valid = [](uop valid) { return valid.owner->constant(twill::bool_, 1); };
  CHECK(passes(judged("valid", gate, dropping)));
  CHECK(fails(judged("valid", with(gate, "[1,4,4]", "[1,6,4]"), dropping)));
  CHECK(fails(judged("valid", with(gate, "[1,4,4]", "null"), dropping)));
}

TEST_CASE("alu: measured, correctly rounded and documented values") {
  CHECK(passes(judged("alu", R"({"op":"ADD","dtype":"int8","args":[127,1],"out":-128})")));
  CHECK(passes(judged("alu", R"({"op":"ADD","dtype":"int8","args":[127,1],"out":128})")));  // reduced to int8 it is -128
  CHECK(fails(judged("alu", R"({"op":"ADD","dtype":"int8","args":[127,1],"out":127})")));
  CHECK(passes(judged("alu", R"({"op":"MAX","dtype":"float32","args":["nan","0x1p+0"],"out":"0x1p+0","ieee":"nan"})")));
  CHECK(fails(judged("alu", R"({"op":"MAX","dtype":"float32","args":["nan","0x1p+0"],"out":"0x1p+0"})")));
  // 1 + 2^-8 + 2^-9 rounds up in bfloat16, which has seven bits of fraction; the measured value was cut off.
  CHECK(passes(judged("alu", R"({"op":"ADD","dtype":"bfloat16","args":["0x1p+0","0x1.8p-8"],"out":"0x1p+0"})")));
  CHECK(passes(
      judged("alu", R"({"op":"CAST","dtype":"int8","in_dtype":"float32","args":["0x1p+20"],"out":0,"tags":["implementation_defined"]})")));
  CHECK(passes(judged("alu", R"({"op":"MOD","dtype":"int32","args":[7,0],"out":{"error":"ZeroDivisionError"}})")));
  // Two steps are one too many for a float32 sine, and right for a float64 one.
  CHECK(fails(judged("alu", R"({"op":"SIN","dtype":"float32","args":["0x0p+0"],"out":"0x1p-148"})")));
  CHECK(passes(judged("alu", R"({"op":"EXP2","dtype":"float64","args":["0x0p+0"],"out":"0x1.0000000000002p+0"})")));
  CHECK(fails(judged("alu", R"({"op":"EXP2","dtype":"float64","args":["0x0p+0"],"out":"0x1.0000000000003p+0"})")));
  CHECK(fails(judged("alu", R"({"op":"ADD","dtype":"int8","args":[1,1],"out":2})",
                     simplifying_by([](uop u) { return u.owner->constant(twill::int8, 3); }))));
}

TEST_CASE("rewrite: matches in another order, another result and a larger one are found") {
  const std::string matches =
      R"({"kind":"upat","nodes":[["DEFINE_VAR","int32",[],["a",0,9]],["DEFINE_VAR","int32",[],["b",0,9]],["ADD","int32",[0,1],null]],
          "in":[2],"patterns":[{"op":["ADD"],"dtype":null,"arg":null,"name":null,"any_len":false,"src":{"kind":"perm","pats":[
          {"op":null,"dtype":null,"arg":null,"name":"x","src":null,"any_len":true},{"op":null,"dtype":null,"arg":null,"name":"y","src":null,"any_len":true}]}}],
          "matches":[[{"x":0,"y":1},{"x":1,"y":0}]]})";
  CHECK(passes(judged("rewrite", matches)));
  CHECK(fails(judged("rewrite", with(matches, R"([{"x":0,"y":1},{"x":1,"y":0}])", R"([{"x":1,"y":0},{"x":0,"y":1}])"))));
  CHECK(fails(judged("rewrite", with(matches, R"(,{"x":1,"y":0})", ""))));
  CHECK(fails(judged("rewrite", with(matches, R"({"x":1,"y":0}])", R"({"x":1,"y":0},{"x":1,"y":0}])"))));

  const std::string replaced =
      R"({"kind":"substitute","nodes":[["DEFINE_VAR","int32",[],["a",0,9]],["CONST","int32",[],1],["ADD","int32",[0,1],null],["ADD","int32",[1,1],null]],
          "in":[2,0,1],"out":[3],"n_pairs":1})";
  CHECK(passes(judged("rewrite", replaced)));
  CHECK(fails(judged("rewrite", with(replaced, R"("out":[3])", R"("out":[2])"))));

  const std::string rewritten =
      R"({"kind":"graph_rewrite","matcher":"symbolic","bottom_up":false,"nodes":[["DEFINE_VAR","int32",[],["a",0,9]],["DEFINE_VAR","int32",[],["b",0,9]],
          ["ADD","int32",[0,1],null]],"in":[2],"out":[2]})";
  CHECK(passes(judged("rewrite", rewritten)));
  CHECK(fails(judged("rewrite", with(rewritten, R"("out":[2])", R"("out":[0])"))));  // which has fewer nodes

  const std::string map =
      R"({"kind":"rewrite_map","matcher":"symbolic","bottom_up":false,"n_pairs":0,"nodes":[["DEFINE_VAR","int32",[],["a",0,9]],["DEFINE_VAR","int32",[],["b",0,9]],
          ["ADD","int32",[0,1],null]],"in":[2],"out":[2,1,0,2,1,0]})";
  CHECK(passes(judged("rewrite", map)));
  CHECK(fails(judged("rewrite", with(map, R"("out":[2,1,0,2,1,0])", R"("out":[2,1,0,0,1,0])"))));
}
