// The door for compile-time-shaped kernels: tw::kernel.
#pragma once

#include "twill/door/static_check.hpp"  // first: errors then name few files

#include "twill/door/kernel.hpp"
