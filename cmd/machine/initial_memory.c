/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Initial memory that somebody else wrote. */

/* Owns: the bytes that memory began with, and whether a load finds them.  Handed:
   a slice, the mappings of the trace's events, the files of images.  Taken
   by: cmd/slice/.

   The library compares each load with what the trace told before; nothing told
   initial bytes.  They are known if the trace begins with the program, and the
   build id says that the file is the one that was mapped. */

#include "cmd/machine/initial_memory.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/image_bytes.h"
#include "cmd/machine/processor.h"

#include <stdlib.h>
#include <string.h>

/* Begin: memory whose bytes began at a time. */
typedef
   enum {
      BEGIN_UNKNOWN,
      BEGIN_ZERO,
      BEGIN_FILE,               // those at .offset of .file
      BEGIN_BYTES
   }
   BeginKind;

typedef
   struct {
      BeginKind      kind;
      uint64_t       addr, size, time;
      uint64_t       offset;
      char*          file;
      const uint8_t* bytes;
   }
   Begin;

struct InitialMemory {
   DcfgWet*    w;
   const char* file;            // path of .w
   const char* root;
   const bool* loads;           // by instruction
   ImageBytes  images;
   bool        begun;           // has what the trace's begin tells
   bool        whole;           // has what the events tell
   Begin*      begins;          // by time
   size_t      n, room;
};

static Begin* add_begin(InitialMemory* z, BeginKind kind, uint64_t addr,
                        uint64_t size, uint64_t time)
{
   GROW(z->begins, z->n, z->room);
   z->begins[z->n] = (Begin){ .kind = kind, .addr = addr, .size = size,
                              .time = time };
   return &z->begins[z->n++];
}

/* Note that M holds from TIME on.  Others may write shared memory. */
static void add_mapping(InitialMemory* z, const DcfgWetMapping* m, uint64_t time)
{
   Begin* b = add_begin(z, !m->there || m->shared ? BEGIN_UNKNOWN
                        : m->from_file ? BEGIN_FILE : BEGIN_ZERO,
                        m->addr - m->room_below, m->size + m->room_below, time);

   if (b->kind == BEGIN_FILE) {
      b->offset = m->offset;
      b->file   = text_copy(m->file == NULL ? "" : m->file);
   }
}

static void add_state(InitialMemory* z)
{
   const DcfgWetState* state = dcfg_wet_state(z->w);

   if (z->begun)
      return;
   z->begun  = true;
   z->images = image_memory(z->w, NULL, z->root);
   for (uint32_t i = 0; state->at_start && i < state->n_mappings; i++)
      add_mapping(z, &state->mappings[i], 0);
   for (uint32_t i = 0; i < state->n_contents; i++)
      add_begin(z, BEGIN_BYTES, state->contents[i].addr,
                state->contents[i].size, 0)->bytes = state->contents[i].bytes;
}

/* Add what the events tell.  Between system calls, their times are those
   of the system call before.  If it cannot be read, nothing is known. */
static void add_events(InitialMemory* z)
{
   DcfgError      err;
   DcfgWet*       w = dcfg_wet_open(z->file, NULL, &err);
   DcfgWetEvents* v = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
   uint32_t       n = w == NULL ? 0 : dcfg_wet_instrs(w);
   bool*          calls = zalloc(n + (size_t)1, sizeof(bool));
   DcfgWetFilter  filter = { .instrs = calls, .thread = DCFG_NONE,
                             .to = UINT64_MAX };
   uint64_t       time = 0;
   DcfgWetEvent   e;

   z->whole = true;
   for (uint32_t i = 0; i < n; i++)
      calls[i] = is_syscall(dcfg_wet_instr(w, i));
   if (v != NULL && dcfg_wet_select(v, &filter, &err))
      while (dcfg_wet_next(v, &e, &err)) {
         if (e.kind == DCFG_WET_INSTR)
            time = e.time + 1;
         else if (e.kind == DCFG_WET_MAPPED
                  && (e.mapping->is_new || !e.mapping->there))
            add_mapping(z, e.mapping, time);
         else if (e.kind == DCFG_WET_FRESH || e.kind == DCFG_WET_MOVED)
            add_begin(z, BEGIN_UNKNOWN, e.addr, e.size, time);
      }
   if (v == NULL || err.status != DCFG_OK)
      add_begin(z, BEGIN_UNKNOWN, 0, UINT64_MAX, 0);
   dcfg_wet_events_free(v);
   dcfg_wet_close(w);
   free(calls);
}

InitialMemory* initial_memory_new(DcfgWet* w, const char* file,
                                  const char* root, const bool* loads)
{
   InitialMemory* z = zalloc(1, sizeof(*z));

   z->w     = w;
   z->file  = file;
   z->root  = root;
   z->loads = loads;
   return z;
}

void initial_memory_free(InitialMemory* z)
{
   for (size_t i = 0; i < z->n; i++)
      free(z->begins[i].file);
   image_bytes_free(&z->images);
   free(z->begins);
   free(z);
}

/* Return the begin of all SIZE bytes at ADDR, as they are at time T; NULL if they
   have several. */
static const Begin* begin_of(const InitialMemory* z, uint64_t addr, uint64_t size,
                             uint64_t t)
{
   for (size_t i = z->n; i-- > 0; ) {
      const Begin* b = &z->begins[i];
      if (b->time > t || addr + size <= b->addr || b->addr + b->size <= addr)
         continue;
      return addr >= b->addr && addr + size <= b->addr + b->size ? b : NULL;
   }
   return NULL;
}

/* Set *BYTE to the byte of B, of an image's file, at ADDR at time T. */
static bool byte_of_file(const ImageBytes* images, const Begin* b, uint64_t addr,
                         uint64_t t, uint8_t* byte)
{
   const ImagePart*    p = image_part(images, addr, t);
   const DcfgWetInstr* of = p == NULL ? NULL
                            : dcfg_wet_instr(images->w, p->image);

   if (of == NULL || of->image_name == NULL || of->image_build_id == NULL
       || strcmp(of->image_name, b->file) != 0)
      return false;
   *byte = p->bytes == NULL ? 0 : p->bytes[addr - p->addr];
   return p->bytes == NULL || p->offset + (addr - p->addr)
                              == b->offset + (addr - b->addr);
}

/* Set *BYTE to the byte with which the memory at ADDR began as B.  Return false if
   it is not known. */
static bool initial_byte(const InitialMemory* z, const Begin* b, uint64_t addr,
                         uint64_t t, uint8_t* byte)
{
   *byte = b->kind == BEGIN_BYTES ? b->bytes[addr - b->addr] : 0;
   return b->kind == BEGIN_FILE ? byte_of_file(&z->images, b, addr, t, byte)
          : b->kind != BEGIN_UNKNOWN;
}

/* Return whether the SIZE bytes that N loads are those of the begin, of an image's
   file, or zero: then the events need not be read. */
static bool is_expected(const InitialMemory* z, const DcfgSlice* s,
                        const DcfgSliceNode* n, uint32_t size)
{
   const Begin* b = begin_of(z, n->from, size, 0);

   for (uint32_t i = 0; i < size; i++) {
      uint64_t         addr = n->from + i;
      const ImagePart* p = image_part(&z->images, addr, n->order);
      uint8_t          byte = p != NULL && p->bytes != NULL
                              ? p->bytes[addr - p->addr] : 0;
      if (b != NULL && b->kind == BEGIN_BYTES)
         byte = b->bytes[addr - b->addr];
      if (byte != s->values[n->value + i])
         return false;
   }
   return true;
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
   const Begin*         b;

   *u = (DcfgSliceUnseen){ .time = n->order };
   if (!is_initial(s, n, in) || size == 0 || dcfg_wet_is_window(z->w)
       || state == NULL || !state->known)
      return false;
   add_state(z);
   if (is_expected(z, s, n, size))
      return false;
   if (!z->whole)
      add_events(z);
   b = begin_of(z, n->from, size, n->order);
   for (uint32_t i = 0; b != NULL && i < size; i++) {
      uint8_t byte;
      if (!initial_byte(z, b, n->from + i, n->order, &byte)
          || byte == s->values[n->value + i])
         continue;
      if (u->size == 0)
         u->addr = n->from + i;
      u->size  = (uint32_t)(n->from + i - u->addr) + 1;
      u->since = b->time;
   }
   return u->size > 0;
}

/* Set the time of U to that of the first instance that loads its bytes. */
static void find_first_load(const InitialMemory* z, DcfgSliceUnseen* u)
{
   DcfgError      err;
   DcfgWet*       w = dcfg_wet_open(z->file, NULL, &err);
   DcfgWetEvents* v = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
   DcfgWetFilter  filter = { .instrs = z->loads, .thread = DCFG_NONE,
                             .from = u->since, .to = u->time };
   DcfgWetEvent   e;
   bool           found = v == NULL || !dcfg_wet_select(v, &filter, &err);

   while (!found && dcfg_wet_next(v, &e, &err)) {
      const DcfgWetInstr* in = e.kind != DCFG_WET_INSTR ? NULL
                               : dcfg_wet_instr(w, e.instr);
      for (uint32_t i = 0; in != NULL && i < e.n_accesses && !found; i++)
         found = in->accesses[i].reads && e.accesses[i] < u->addr + u->size
                 && u->addr < e.accesses[i] + in->accesses[i].size;
      if (found)
         u->time = e.time;
   }
   dcfg_wet_events_free(v);
   dcfg_wet_close(w);
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
