// The door for tensors whose shapes arrive at run time: tw::tensor.
#pragma once

#include "twill/door/emit.hpp"
#include "twill/door/tensor.hpp"
