// All kernels, one source for every vendor and for the emulator.
#include "attention.h"
#include "experts.h"
#include "matmul.h"
#include "rows.h"
#include "vocabulary.h"
