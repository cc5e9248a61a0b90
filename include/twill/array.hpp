// The door for numeric code: tw::array and its expressions.
#pragma once

#include "twill/door/static_check.hpp"  // first: errors then name few files

#include "twill/door/array.hpp"
