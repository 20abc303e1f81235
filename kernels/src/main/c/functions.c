/* The functions of an instruction set that Java looks up by name: those that kernels.table has for it. */
#include "function.h"
#include "isa.h"
#include "tiles.h"
#include "registry.h"

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

/* Of whatever type: those who call them know. */
#define DECLARED(function) extern void NAME(function)(void);
EACH_FUNCTION(DECLARED)

#define LISTED(function) {TEXT_OF(NAME(function)), NAME(function)},
const struct function NAME(functions)[] = {EACH_FUNCTION(LISTED){0, 0}};
