// Structural hashing: stable across runs, compilers and machines, because canonical operand order and cache keys use it.
#pragma once

#include "twill/base/types.hpp"

namespace twill {

// One round of a multiply-xorshift mixer (the finalizer of SplitMix64, Steele et al. 2014) over a running state.
constexpr u64 hash_combine(u64 state, u64 value) {
  u64 z = state * 0x9e3779b97f4a7c15u + value + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return z ^ (z >> 27);
}

}  // namespace twill
