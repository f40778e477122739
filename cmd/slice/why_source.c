/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines and printed bytes of dcfg why. */

/* Owns: texts of lines, printed bytes of an input, lines that call inlined
   functions, merged lines.  Handed: cards of a slice. */

#include "cmd/slice/why_source.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

#include <stdlib.h>
#include <string.h>

#define PRINTED_WIDTH 40        // bytes of a printed text

const char* why_line_text(WhySource* y, const DcfgWetInstr* in)
{
   const char* text;
   char*       clean;
   size_t      length = 0;

   if (in->line == 0 || in->source == NULL)
      return "";
   if (y->path == NULL || strcmp(y->path, in->source) != 0) {
      why_source_close(y);
      y->path = text_copy(in->source);
      y->file = source_file_open(in->source);
   }
   text = source_file_code(y->file, in->line, &length);
   if (text == NULL)
      return "";
   clean = text_format("%.*s", (int)length, text);
   for (char* c = clean; *c != 0; c++)
      if (*c == '\t')
         *c = ' ';
   return text_clean(clean);
}

void why_source_close(WhySource* y)
{
   source_file_close(y->file);
   free(y->path);
   *y = (WhySource){ NULL, NULL };
}

/* Return the byte at ADDR that system call NODE used; '?' if it is not
   known. */
static char used_byte(const DcfgSlice* s, uint32_t node, uint64_t addr)
{
   const DcfgSliceNode* n = &s->nodes[node];
   uint32_t             last = DCFG_SLICE_NOT;

   /* Nodes with smaller numbers ran later. */
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      if (in->port == DCFG_WET_MEMORY && in->node < last
          && addr - s->nodes[in->node].addr < s->nodes[in->node].value_size)
         last = in->node;
   }
   return last == DCFG_SLICE_NOT ? '?'
          : (char)s->values[s->nodes[last].value + (addr - s->nodes[last].addr)];
}

const char* why_printed(const Sliced* f, const WhyInput* in)
{
   char     text[PRINTED_WIDTH + 1];
   uint64_t size = in->high - in->low;
   size_t   n = size < PRINTED_WIDTH ? (size_t)size : PRINTED_WIDTH;

   for (size_t i = 0; i < n; i++)
      text[i] = used_byte(f->s, in->user, in->low + i);
   text[n] = 0;
   return text_format("`%s'%s", text_clean(text), n < size ? "..." : "");
}

bool why_is_loader(const DcfgWetInstr* in)
{
   return in->image_name != NULL
          && strncmp(text_base(in->image_name), "ld-", 3) == 0;
}

/*--- Lines                                                ---*/

static bool is_same(const CodeLine* a, const CodeLine* b)
{
   return a->line == b->line && strcmp(a->source, b->source) == 0;
}

/* Return whether L is a line of INSTR, or of a call through which INSTR was
   inlined. */
static bool is_around(const Sliced* f, uint32_t instr, const CodeLine* l)
{
   const CodeLine* lines;
   unsigned        n = code_lines(f->code, instr, &lines);

   for (unsigned i = 0; i < n; i++)
      if (!lines[i].merged && is_same(&lines[i], l))
         return true;
   return false;
}

bool why_call_line(const Sliced* f, const WhyCard* c, const WhyInput* in,
                   uint32_t k, CodeLine* l)
{
   const CodeLine* lines;
   unsigned        n;

   if (in->node >= DCFG_SLICE_NOT || why_is_library(f, in->node))
      return false;
   n = code_lines(f->code, f->s->nodes[in->node].instr, &lines);
   if (k + 1 >= n || lines[k + 1].merged)
      return false;
   *l = lines[k + 1];
   if (is_around(f, f->s->nodes[c->head].instr, l))
      l->line = 0;
   return true;
}

bool why_merged_line(const Sliced* f, const WhyCard* c, unsigned k, CodeLine* l)
{
   CodeLine found[8];
   unsigned n = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      const CodeLine* lines;
      unsigned        all = code_lines(f->code,
                                       f->s->nodes[c->members[i]].instr, &lines);
      for (unsigned j = 0; j < all && n < 8; j++) {
         unsigned m = 0;
         if (!lines[j].merged)
            continue;
         while (m < n && !is_same(&found[m], &lines[j]))
            m++;
         if (m == n)
            found[n++] = lines[j];
      }
   }
   if (k >= n)
      return false;
   *l = found[k];
   return true;
}
