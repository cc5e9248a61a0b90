// Symbolic expressions of integers, their rules, and rules of one's own.
#pragma once

#include "twill/match/list.hpp"
#include "twill/symbolic/symbolic.hpp"
