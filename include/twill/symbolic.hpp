// Symbolic expressions of integers, their rules, and rules of one's own.
#pragma once

#include "twill/ir/evaluate.hpp"
#include "twill/ir/print.hpp"
#include "twill/ir/replace.hpp"
#include "twill/match/list.hpp"
#include "twill/match/spec.hpp"
#include "twill/symbolic/query.hpp"
#include "twill/symbolic/symbolic.hpp"
#include "twill/symbolic/trace.hpp"
#include "twill/symbolic/valid.hpp"
