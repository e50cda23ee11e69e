// Places the tokens that order the instructions of a program.
//
// The instructions are given in program order without tokens. For each one the placer finds the latest instruction of
// every other unit that touched the same line in a conflicting way (read after write, write after read, write after
// write) and, unless a chain of earlier tokens already orders the two, makes the one post and the other wait. Accesses
// within a unit follow docs/design.md, section 5. Because each unit waits for ever later instructions of another one,
// posts and waits of a pair of units meet first-in first-out, as the hardware's counters have it.
//
// Where more than 63 tokens of a pair would be under way, neighbours are merged: the earlier wait then waits for the
// later post. Every wait has its post earlier in the program, so a program never deadlocks.
#pragma once

#include <span>
#include <vector>

#include "host/compiler/footprint.h"

namespace heddle::compiler {

// Writes `wait` and `post` of each instruction (any earlier values are overwritten).
void place_tokens(std::span<Operation> operations, const Machine& machine);

}  // namespace heddle::compiler
