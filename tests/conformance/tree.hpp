// The corpus's trees as nodes, and nodes as trees in the corpus's vocabulary of ops.
#pragma once

#include <string>

#include "json.hpp"
#include "twill/ir/uop.hpp"

namespace conformance {

// Throws data_error for what is no tree of the schema.
twill::uop read_tree(twill::graph& g, const json& tree);
twill::op read_op(const std::string& name);

// root in `out`, without MIN, SUB, NEG, FDIV and the floor ops, which the corpus writes with others, and with a RANGE's
// bounds as nodes: what can be counted beside the corpus, and written as a tree.
twill::uop in_corpus_vocabulary(twill::uop root, twill::graph& out);
// Distinct nodes as the corpus counts them.
size_t corpus_node_count(twill::uop root);
std::string written_tree(twill::uop root);
// In infix form, for messages.
std::string infix(twill::uop u);

}  // namespace conformance
