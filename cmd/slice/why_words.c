/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names and values of inputs. */

/* Owns: the words for values and for inputs of instances.  Handed: a slice. */

#include "cmd/slice/why_words.h"

#include "cmd/base/format.h"
#include "cmd/machine/processor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_WIDTH 48       // columns of a name; templates are longer

const char* why_value(const Sliced* f, const DcfgSliceNode* n,
                      const VariableType* type)
{
   const uint8_t* bytes = f->s->values + n->value;
   uint64_t       value = 0;

   if (n->value_size == 0)
      return "";
   if (type->known)
      return variables_value(type, bytes, n->value_size);
   for (uint32_t k = n->value_size < 8 ? n->value_size : 8; k-- > 0; )
      value = value << 8 | bytes[k];
   return value < 1000000 ? text_format("%" PRIu64, value)
          : text_format("0x%" PRIx64, value);
}

const char* why_function(const DcfgWetInstr* in)
{
   return text_shorten(text_clean(text_brief(text_demangle(in->function))),
                       FUNCTION_WIDTH);
}

const char* why_place_name(TraceProgram* names, uint32_t user,
                           const DcfgSliceInput* in, VariableType* type)
{
   *type = (VariableType){ .known = false };
   if (in->port == DCFG_WET_MEMORY)
      return variables_name_memory(names, user, in->reg, 0, 0, 0, type);
   if (in->port == DCFG_WET_GENERAL)
      return variables_name_register(names, user, in->reg, false, type);
   return NULL;
}

const char* why_input_value(const Sliced* f, uint32_t user,
                            const DcfgSliceInput* in, const VariableType* type)
{
   const DcfgSliceNode* n = &f->s->nodes[user];

   if (in->port == DCFG_WET_MEMORY && f->roles.copies[n->instr])
      return why_value(f, n, type);
   return in->node >= DCFG_SLICE_NOT ? ""
          : why_value(f, &f->s->nodes[in->node], type);
}

const char* why_returned(const Sliced* f, uint32_t user,
                         const DcfgSliceInput* in)
{
   const Processor* p = processor_of(f->w);
   DcfgWetInstr     reader, writer;

   if (in->port != DCFG_WET_GENERAL || in->reg != 0 || p->arguments[0] == 0
       || in->node >= DCFG_SLICE_NOT)
      return NULL;
   reader = *dcfg_wet_instr(f->w, f->s->nodes[user].instr);
   writer = *dcfg_wet_instr(f->w, f->s->nodes[in->node].instr);
   return reader.function == NULL || writer.function == NULL
          || strcmp(reader.function, writer.function) == 0 ? NULL
          : text_format("%s()", why_function(&writer));
}

size_t why_choice(const char* line)
{
   char*         end;
   unsigned long n = line[0] < '0' || line[0] > '9' ? 0
                     : strtoul(line, &end, 10);

   return n == 0 || end[strspn(end, " \t\r\n")] != 0 ? 0 : n;
}

void why_no_answer(const char* line, size_t n, bool lists)
{
   size_t k = why_choice(line);

   if (line[0] == 'b')
      puts("this is the first step: there is no way back");
   else if (k >= 1 && k <= n)
      printf("input %zu has no step to explain: nothing that was recorded made "
             "it\n", k);
   else
      printf("`%s' is no answer: %sb goes back,%s q quits\n",
             text_clean(text_format("%.*s", (int)strcspn(line, "\r\n"), line)),
             n == 0 ? "" : n == 1 ? "1 explains the input, "
             : text_format("a number from 1 to %zu explains that input, ", n),
             lists ? " l lists the steps," : "");
}
