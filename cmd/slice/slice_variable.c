/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Places that a slice is asked for in the words of the source. */

/* Owns: what is asked of the library for an expression.  Handed: the
   expression, the criterion's instance.  Taken by: slice_query.c. */

#include "cmd/slice/slice_variable.h"

#include "cmd/base/cmd.h"
#include "cmd/slice/slice_value.h"
#include "cmd/variables/expression.h"

#define MOST_BYTES (1 << 20)

void variable_place(DcfgWet* w, const char* file, uint32_t instr,
                    uint64_t instance, const char* expression,
                    const char* root, DcfgSliceQuery* q)
{
   static const DcfgSliceOf forms[] = {
      [OBJECT_REGISTER] = DCFG_SLICE_REGISTER,
      [OBJECT_FRAME] = DCFG_SLICE_FRAME, [OBJECT_MEMORY] = DCFG_SLICE_MEMORY
   };
   Variables*   v = variables_new(w, root);
   ValueSearch  search = { .w = w, .file = file, .variables = v,
                           .instr = instr, .instance = instance };
   ObjectReader reader = { .value = find_value, .arg = &search };
   VariableObject o;
   const char*  why = expression_resolve(v, instr, expression, &reader, &o);

   if (why != NULL)
      die("--of: %s", why);
   if (o.size > MOST_BYTES)
      die("--of: `%s' has %llu bytes, at most %d can be asked for", expression,
          (unsigned long long)o.size, MOST_BYTES);
   q->of    = forms[o.form];
   q->place = o.place;
   q->size  = o.size;
   variables_free(v);
}
