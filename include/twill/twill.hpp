// Everything: symbolic expressions, views, arrays, kernels, tensors.
#pragma once

#include "twill/door/static_check.hpp"  // first: errors then name few files

#include "twill/array.hpp"
#include "twill/kernel.hpp"
#include "twill/shape.hpp"
#include "twill/symbolic.hpp"
#include "twill/tensor.hpp"
