/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The words of all forms of slices for instances. */

/* Owns: the words for an instance, its place, its value and its inputs.
   Handed: instances. */

#include "cmd/slice/slice_views.h"

#include "cmd/base/format.h"
#include "cmd/machine/processor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char* slice_port(DcfgWet* w, const DcfgSliceInput* in)
{
   const Processor* p = processor_of(w);
   const char*      name;

   switch (in->port) {
      case DCFG_WET_CONTROL: return "control";
      case DCFG_WET_GENERAL:
         name = p->general[in->reg % MAX_GENERAL];
         return name == NULL ? "?" : name;
      case DCFG_WET_FLAGS:   return "flags";
      case DCFG_WET_VECTOR:  return text_format("%s%u", p->vector, in->reg);
      case DCFG_WET_X87:     return "x87";
      default:               return "memory";
   }
}

const char* slice_float(const Sliced* f, uint32_t instr, const uint8_t* bytes,
                        size_t size)
{
   unsigned is = f->roles.floats[instr], one = is & ~(unsigned)FLOAT_PACKED;

   if (is == 0 || size < 4 || (is != FLOAT_ANY && size < one))
      return NULL;
   return is & FLOAT_PACKED ? variables_reals(bytes, size, one)
          : variables_real(bytes, is == FLOAT_ANY ? size : one);
}

const char* slice_value(const SliceView* v, const DcfgSliceNode* n)
{
   const char* real = slice_float(v->found, n->instr, v->s->values + n->value,
                                  n->value_size);

   return real != NULL ? real : slice_hex(v, n);
}

const char* slice_hex(const SliceView* v, const DcfgSliceNode* n)
{
   return variables_hex(v->s->values + n->value, n->value_size, "...");
}

const char* slice_place(const DcfgWetInstr* in)
{
   if (in->line != 0)
      return text_clean(text_format("%s:%" PRIu32, text_base(in->source),
                                    in->line));
   if (in->function == NULL)
      return in->image_name == NULL ? ""
             : text_clean(text_format("%s+0x%" PRIx64,
                                      text_base(in->image_name),
                                      in->addr - in->image_load));
   return text_clean(text_brief(text_demangle(in->function)));
}

void slice_put_inlined(const SliceView* v, uint32_t instr, FILE* out)
{
   const InlinedFrame* f;
   uint32_t            n;

   if (v->inlined == NULL)
      return;
   n = inlined_trace_frames(v->inlined, instr, &f);
   fputs(", \"inlined\": [", out);
   for (uint32_t i = 0; i < n; i++) {
      fputs(i == 0 ? "{\"function\": " : ", {\"function\": ", out);
      put_json_string(f[i].function, out);
      fputs(", \"file\": ", out);
      put_json_string(f[i].file, out);
      fprintf(out, ", \"line\": %" PRIu32 "}", f[i].line);
   }
   fputc(']', out);
}

void slice_put_head(FILE* out, const SliceView* v, uint64_t lines_in,
                    uint64_t lines, const char* of)
{
   fprintf(out, "%s: %s\n", v->title, v->criterion);
   fprintf(out, "%s instances of %s that were executed",
           text_count(v->s->n_instances), text_count(v->s->n_executed));
   if (lines > 0)
      fprintf(out, "; %s of %s lines of %s (%s)", text_count(lines_in),
              text_count(lines), of, text_share(lines_in, lines));
   putc('\n', out);
   for (unsigned i = 0; v->not_followed[i] != NULL; i++)
      fprintf(out, "not followed: %s\n", v->not_followed[i]);
}

void slice_put_numbers(FILE* out, uint32_t distance, uint64_t in_slice,
                       uint64_t executed)
{
   fprintf(out, "%8" PRIu32 " %12s %7s", distance, text_count(in_slice),
           text_share(in_slice, executed));
}
