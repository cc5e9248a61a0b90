// Shapes, views and movement operations, and the inference of shapes.
#pragma once

#include "twill/shape/infer.hpp"
#include "twill/shape/merge.hpp"
#include "twill/shape/problem.hpp"
#include "twill/shape/reshape.hpp"
#include "twill/shape/shape.hpp"
#include "twill/shape/shapetracker.hpp"
#include "twill/shape/sint.hpp"
#include "twill/shape/view.hpp"
