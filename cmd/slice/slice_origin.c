/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The origins of printed bytes. */

/* Owns: whether a printed byte is a copy of a constant text.  Handed: bytes
   of a stream.

   Each byte is followed back through instructions that hand it on unchanged.
   The way ends at an instruction that has the byte as a constant, or at
   memory that no instruction wrote.  Then the byte was copied from a text.
   There are two exceptions, because an address chose them: a digit from a
   table of digits, and a letter or digit whose neighbours were not copied
   from beside it. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE     // memmem
#endif
#include "cmd/slice/slice_origin.h"

#include "cmd/base/cmd.h"
#include "cmd/base/operands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a text to each side of one of its bytes, at most. */
#define MAX_TEXT 4096

typedef
   struct {
      DcfgWet*          w;
      const DcfgSlice*  s;
      const Roles*      roles;
      const ImageBytes* initial;
   }
   Tracer;

/* CopiedFrom: an address in an image's file, at the time when it was read. */
typedef
   struct {
      uint64_t addr, t;
   }
   CopiedFrom;

/*--- One byte                                             ---*/

/* Return the node that wrote byte K last, among the inputs of N over PORT.
   K is an address if PORT is memory, else a byte of the register.
   DCFG_SLICE_NOT: none wrote it.  Nodes with smaller numbers ran later. */
static uint32_t writer_of(const Tracer* z, const DcfgSliceNode* n,
                          uint8_t port, uint64_t k)
{
   uint32_t best = DCFG_SLICE_NOT;

   for (uint32_t i = 0; i < n->n_inputs; i++) {
      const DcfgSliceInput* in = &z->s->inputs[n->first_input + i];
      const DcfgSliceNode*  by;
      uint64_t              first;
      if (in->port != port || in->node >= best)
         continue;
      by    = &z->s->nodes[in->node];
      first = port == DCFG_WET_MEMORY ? by->addr : 0;
      if (k - first < by->value_size)
         best = in->node;
   }
   return best;
}

/* Set *PORT to the port over which N got the value that it hands on: memory
   if N loads, else a register.  Return false if N has no such port. */
static bool port_of(const Tracer* z, const DcfgSliceNode* n, uint8_t* port)
{
   bool loads = false, found = false;

   for (uint32_t i = 0; i < n->n_inputs; i++) {
      const DcfgSliceInput* in = &z->s->inputs[n->first_input + i];
      loads |= in->port == DCFG_WET_MEMORY;
      if ((in->port != DCFG_WET_GENERAL && in->port != DCFG_WET_VECTOR)
          || in->node == DCFG_SLICE_NOT)
         continue;
      *port = in->port;
      found = true;
   }
   if (loads)
      *port = DCFG_WET_MEMORY;
   return loads || found;
}

/* Return whether N computed its value from its code alone. */
static bool is_constant(const Tracer* z, const DcfgSliceNode* n)
{
   for (uint32_t i = 0; i < n->n_inputs; i++) {
      const DcfgSliceInput* in = &z->s->inputs[n->first_input + i];
      if (in->port != DCFG_WET_CONTROL
          && (in->port != DCFG_WET_GENERAL
              || !(z->roles->addresses[n->instr] >> in->reg & 1)))
         return false;
   }
   return true;
}

/* Return the origin of BYTE, the byte at ADDR that criterion N used.  Set
   *FROM to the place that it was copied from; its address is 0 if an instruction
   made it. */
static ByteOrigin trace(const Tracer* z, const DcfgSliceNode* n, uint64_t addr,
                    uint8_t byte, CopiedFrom* from)
{
   uint8_t        port = DCFG_WET_MEMORY;
   uint64_t       place = addr, before, behind;
   const uint8_t* at;

   *from = (CopiedFrom){ 0, 0 };
   for (uint32_t node = writer_of(z, n, port, place); node < DCFG_SLICE_NOT;
        node = writer_of(z, n, port, place)) {
      n = &z->s->nodes[node];
      if (port == DCFG_WET_MEMORY)
         place -= n->addr;
      if (place >= n->value_size || z->s->values[n->value + place] != byte)
         return ORIGIN_COMPUTED;
      if (is_constant(z, n))
         return ORIGIN_CONSTANT;
      if (!z->roles->loads[n->instr] || !port_of(z, n, &port))
         return ORIGIN_COMPUTED;
      if (port == DCFG_WET_MEMORY)
         place += n->from;
   }
   at = port != DCFG_WET_MEMORY ? NULL
        : image_byte(z->initial, place, n->order, &before, &behind);
   if (at == NULL || *at != byte)
      return ORIGIN_COMPUTED;
   *from = (CopiedFrom){ place, n->order };
   return ORIGIN_CONSTANT;
}

/*--- Texts                                                ---*/

/* Return the text around the byte at FROM: no byte of it is 0.  Set *BEGIN
   to its bytes. */
static DcfgSliceRange text_around(const ImageBytes* initial, CopiedFrom from,
                                  const uint8_t** begin)
{
   uint64_t       before, behind, low = 0, high = 0;
   const uint8_t* at = image_byte(initial, from.addr, from.t, &before,
                                   &behind);

   while (low < before && low < MAX_TEXT && at[-(int64_t)low - 1] != 0)
      low++;
   while (high < behind && high < MAX_TEXT && at[high] != 0)
      high++;
   *begin = at - low;
   return (DcfgSliceRange){ from.addr - low, from.addr + high, false };
}

static bool is_table_of_digits(const ImageBytes* initial, CopiedFrom from)
{
   const uint8_t* begin;
   DcfgSliceRange r = text_around(initial, from, &begin);
   size_t         n = (size_t)(r.high - r.low);

   return memmem(begin, n, "0123456789", 10) != NULL
          || memmem(begin, n, "00010203", 8) != NULL;
}

/* Return whether byte I of the SIZE bytes was copied alone: no neighbour was
   copied from the place beside it.  Then it may be no part of a text.  FROM
   has the places that the bytes were copied from. */
static bool stands_alone(const CopiedFrom* from, uint64_t size, uint64_t i)
{
   uint64_t at = from[i].addr;

   return !(i > 0 && from[i - 1].addr != 0 && from[i - 1].addr + 1 == at)
          && !(i + 1 < size && from[i + 1].addr != 0
               && at + 1 == from[i + 1].addr);
}

COMPARE(by_low, DcfgSliceRange, UP(low))

/* Add the text around place FROM to the formats of O, each once, if it has
   a %.  The program may have chosen any other text among several. */
static void add_format(Origins* o, size_t* room, const ImageBytes* initial,
                       CopiedFrom from)
{
   const uint8_t* begin;
   DcfgSliceRange text = text_around(initial, from, &begin);
   size_t         n = o->n_formats;

   if (memchr(begin, '%', (size_t)(text.high - text.low)) == NULL)
      return;
   for (size_t i = 0; i < n; i++)
      if (text.low < o->formats[i].high && o->formats[i].low < text.high)
         return;
   GROW(o->formats, n, *room);
   o->formats[o->n_formats++] = text;
}

Origins origins_find(DcfgWet* w, const Roles* roles, const OutputStream* t,
                     uint64_t place, uint64_t size, uint64_t begin,
                     uint64_t end, const ImageBytes* initial)
{
   uint32_t  n = dcfg_wet_instrs(w);
   bool*     instrs = zalloc(n + (size_t)1, sizeof(bool));
   CopiedFrom* from = zalloc(size + 1, sizeof(*from));
   size_t    room = 0;
   Origins   o = { .kinds = zalloc(size + 1, 1) };
   DcfgSliceQuery q = { .no_control = true, .no_address = roles->addresses,
                        .copies = roles->loads, .steps = 1, .instrs = instrs };
   DcfgError  err;
   DcfgSlice* s;

   stream_choose(t, place, size, NULL, instrs, n, &q);
   s = dcfg_slice_new(w, &q, &err);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   const Tracer z = { w, s, roles, initial };
   for (uint64_t i = 0; i < size; i++) {
      const OutputPiece* p = stream_piece(t, place + i);
      for (uint32_t k = 0; p != NULL && k < s->n_criteria; k++) {
         const DcfgSliceNode* c = &s->nodes[s->criteria[k]];
         if (t->known[place + i] && c->instr == p->call->instr
             && c->instance == p->call->instance)
            o.kinds[i] = (uint8_t)trace(&z, c, p->addr + (place + i - p->from),
                                        t->bytes[place + i], &from[i]);
      }
   }
   for (uint64_t i = 0; i < size; i++) {
      if (o.kinds[i] != ORIGIN_CONSTANT || from[i].addr == 0)
         continue;
      if (is_table_of_digits(initial, from[i])
          || (isalnum(t->bytes[place + i]) && stands_alone(from, size, i)))
         o.kinds[i] = ORIGIN_COMPUTED;
      else if (place + i >= begin && place + i < end)
         add_format(&o, &room, initial, from[i]);
   }
   if (o.n_formats > 1)
      qsort(o.formats, o.n_formats, sizeof(*o.formats), by_low);
   dcfg_slice_free(s);
   free((void*)q.parts);
   free(instrs);
   free(from);
   return o;
}

void origins_free(Origins* o)
{
   free(o->kinds);
   free(o->formats);
}
