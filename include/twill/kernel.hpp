// The door for compile-time-shaped kernels: tw::kernel.
#pragma once

#include "twill/door/kernel.hpp"
