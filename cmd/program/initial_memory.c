/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Initial memory that somebody else wrote. */

/* Owns: the bytes that memory began with, and whether a load finds them.  Handed:
   a slice, the trace's mappings by its cursor, the files of images.  Taken by:
   cmd/slice/.

   The library compares each load with what the trace told before; nothing told
   initial bytes.  They are known if the trace begins with the program, and the
   build id says that the file is the one that was mapped. */

#include "cmd/program/initial_memory.h"

#include "cmd/base/cmd.h"
#include "cmd/program/image_bytes.h"

#include <stdlib.h>
#include <string.h>

struct InitialMemory {
   DcfgWet*    w;
   const char* root;
   const bool* loads;           // by instruction
   bool        begun;           // .r is made, or cannot be made
   DcfgCursor* r;
   bool        read;            // .images is there
   ImageBytes  images;
};

InitialMemory* initial_memory_new(DcfgWet* w, const char* root,
                                  const bool* loads)
{
   InitialMemory* z = zalloc(1, sizeof(*z));

   z->w     = w;
   z->root  = root;
   z->loads = loads;
   return z;
}

void initial_memory_free(InitialMemory* z)
{
   image_bytes_free(&z->images);
   dcfg_cursor_free(z->r);
   free(z);
}

DcfgCursor* initial_cursor(InitialMemory* z)
{
   if (!z->begun)
      z->r = trace_cursor(z->w, true);
   z->begun = true;
   return z->r;
}

static const ImageBytes* images_of(InitialMemory* z)
{
   if (!z->read)
      z->images = image_memory(z->w, z->r, z->root);
   z->read = true;
   return &z->images;
}

/* Set *BYTE to the byte of M, of an image's file, at ADDR at time T. */
static bool byte_of_file(const ImageBytes* images, const DcfgWetMapping* m,
                         uint64_t addr, uint64_t t, uint8_t* byte)
{
   const ImagePart*    p = image_part(images, addr, t);
   const DcfgWetInstr* of = p == NULL ? NULL
                            : dcfg_wet_instr(images->w, p->image);

   if (of == NULL || of->image_name == NULL || of->image_build_id == NULL
       || m->file == NULL || strcmp(of->image_name, m->file) != 0)
      return false;
   *byte = p->bytes == NULL ? 0 : p->bytes[addr - p->addr];
   return p->bytes == NULL || p->offset + (addr - p->addr)
                              == m->offset + (addr - m->addr);
}

/* Set *BYTE to what the trace has of the byte at ADDR at its begin. */
static bool told_byte(const DcfgWetState* state, uint64_t addr, uint8_t* byte)
{
   for (uint32_t i = 0; i < state->n_contents; i++) {
      const DcfgWetContents* c = &state->contents[i];
      if (addr - c->addr >= c->size)
         continue;
      *byte = c->bytes[addr - c->addr];
      return true;
   }
   return false;
}

/* Set *BYTE to the byte with which the memory at ADDR began that is there at time
   T, and *SINCE to the time at which it began.  Return false if the byte is not
   known.  Others may write shared memory. */
static bool initial_byte(InitialMemory* z, uint64_t addr, uint64_t t,
                         uint8_t* byte, uint64_t* since)
{
   bool                     renewed;
   const DcfgCursorMapping* x = dcfg_cursor_mapped(z->r, addr, t, &renewed);
   const DcfgWetMapping*    m;

   *byte = 0;
   if (x == NULL || renewed)
      return false;
   m      = &x->mapping;
   *since = x->time;
   return (x->time == 0 && told_byte(dcfg_wet_state(z->w), addr, byte))
          || (m->there && m->is_new && !m->shared
              && (!m->from_file || byte_of_file(images_of(z), m, addr, t, byte)));
}

/* Return whether no executed instruction wrote a byte that N loads over IN, and the
   library does not know an unseen write of them. */
static bool is_initial(const DcfgSlice* s, const DcfgSliceNode* n,
                       const DcfgSliceInput* in)
{
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* other = &s->inputs[n->first_input + k];
      if (other != in && other->port == in->port && other->reg == in->reg)
         return false;
   }
   return in->port == DCFG_WET_MEMORY && in->node == DCFG_SLICE_NOBODY
          && !in->unseen;
}

/* Return the bytes that instance N loads, and that its value has; 0: they are not
   known. */
static uint32_t known_load(const InitialMemory* z, const DcfgSliceNode* n)
{
   const DcfgWetInstr* at = dcfg_wet_instr(z->w, n->instr);
   uint32_t            size = 0, reads = 0;

   for (uint32_t i = 0; i < at->n_accesses; i++)
      if (at->accesses[i].reads) {
         size = at->accesses[i].size;
         reads++;
      }
   if (size > n->value_size)
      size = n->value_size;
   return reads == 1 && n->from != 0 && z->loads[n->instr] ? size : 0;
}

/* Set *U to those bytes with which memory began, and that node USER loads over IN
   with other values.  Return false if there are none. */
static bool find_changed(InitialMemory* z, const DcfgSlice* s, uint32_t user,
                         const DcfgSliceInput* in, DcfgSliceUnseen* u)
{
   const DcfgSliceNode* n = &s->nodes[user];
   const DcfgWetState*  state = dcfg_wet_state(z->w);
   uint32_t             size = known_load(z, n);

   *u = (DcfgSliceUnseen){ .time = n->order };
   if (!is_initial(s, n, in) || size == 0 || dcfg_wet_is_window(z->w)
       || !state->known || initial_cursor(z) == NULL)
      return false;
   for (uint32_t i = 0; i < size; i++) {
      uint8_t  byte;
      uint64_t since;
      if (!initial_byte(z, n->from + i, n->order, &byte, &since)
          || byte == s->values[n->value + i])
         continue;
      if (u->size == 0)
         u->addr = n->from + i;
      u->size  = (uint32_t)(n->from + i - u->addr) + 1;
      u->since = since > u->since ? since : u->since;
   }
   return u->size > 0;
}

/* Set the time of U to that of the first instance that loads its bytes. */
static void find_first_load(const InitialMemory* z, DcfgSliceUnseen* u)
{
   uint64_t t = u->since;
   bool     found = false;

   while (!found
          && dcfg_cursor_find_access(z->r, u->addr, u->size,
                                     DCFG_CURSOR_LOAD | DCFG_CURSOR_FIRST, t,
                                     false, &t) == DCFG_CURSOR_FOUND
          && t < u->time) {
      const DcfgCursorInstr* in = dcfg_cursor_instr(z->r, t);
      found = in != NULL && z->loads[in->instr];
      if (found)
         u->time = t;
      t++;
   }
}

bool input_is_unseen(InitialMemory* z, const DcfgSlice* s, uint32_t user,
                     const DcfgSliceInput* in)
{
   DcfgSliceUnseen u;

   return in->unseen || find_changed(z, s, user, in, &u);
}

bool initial_unseen(InitialMemory* z, const DcfgSlice* s, uint32_t user,
                    DcfgSliceUnseen* u)
{
   const DcfgSliceNode* n = &s->nodes[user];

   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (find_changed(z, s, user, &s->inputs[n->first_input + k], u)) {
         find_first_load(z, u);
         return true;
      }
   return false;
}
