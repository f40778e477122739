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
   unsigned    is = f->roles.floats[instr], one = is & ~(unsigned)FLOAT_PACKED;
   const char* text = "";

   if (is == 0 || size < 4 || (is != FLOAT_ANY && size < one))
      return NULL;
   if (!(is & FLOAT_PACKED))
      return variables_real(bytes, is == FLOAT_ANY ? size : one);
   for (size_t at = 0; at + one <= size; at += one)
      text = text_format("%s%s%s", text, at == 0 ? "{" : ", ",
                         variables_real(bytes + at, one));
   return text_format("%s}", text);
}

const char* slice_value(const SliceView* v, const DcfgSliceNode* n)
{
   const char* real = slice_float(v->found, n->instr, v->s->values + n->value,
                                  n->value_size);

   return real != NULL ? real : slice_hex(v, n);
}

const char* slice_hex(const SliceView* v, const DcfgSliceNode* n)
{
   const uint8_t* bytes = v->s->values + n->value;
   uint32_t       k = n->value_size;
   char           text[2 + 2 * 64 + 1];
   char*          at = text + 2;

   if (k == 0)
      return "";
   if (k > 64)
      return "...";
   while (k > 1 && bytes[k - 1] == 0)
      k--;
   memcpy(text, "0x", 2);
   at += sprintf(at, "%x", bytes[--k]);
   while (k-- > 0)
      at += sprintf(at, "%02x", bytes[k]);
   return text_format("%s", text);
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

void slice_put_numbers(FILE* out, uint32_t distance, uint64_t in_slice,
                       uint64_t executed)
{
   fprintf(out, "%8" PRIu32 " %12s %7s", distance, text_count(in_slice),
           text_share(in_slice, executed));
}
