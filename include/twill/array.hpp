// The door for numeric code: tw::array and its expressions.
#pragma once

#include "twill/door/array.hpp"
