// The corpus's graphs: lists of [op, dtype, [places of sources], argument], as nodes of one graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "twill/ir/uop.hpp"

namespace conformance {

struct node_list {
  std::vector<twill::uop> nodes;
  std::string unknown;  // not empty: an op or dtype among them that is not read here, and why there are no nodes

  // Throws data_error for a place that is none.
  twill::uop at(const json& place) const;
  // The node's place, nothing for one that is not in the list.
  std::optional<size_t> place_of(twill::uop u) const;
};

// Constants, variables and ALU ops are read. Throws data_error for what is no graph.
node_list read_nodes(twill::graph& g, const json& list);

}  // namespace conformance
