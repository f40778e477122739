/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the bytes of images' files, at their addresses in the run, and
   whether somebody else wrote over them.  Handed: a whole execution trace,
   when its images were mapped, a slice.

   The library compares each load with what the trace told before; nothing
   told initial bytes.  They are known if the trace begins with the program,
   and the build id says that the file is the one that was mapped. */

#include "cmd/program/initial_memory.h"

#include "cmd/base/cmd.h"
#include "cmd/program/elf_file.h"
#include "cmd/program/mapping.h"
#include "cmd/program/recording.h"

#include <elf.h>

static const uint64_t page = 4096;

/* Add SIZE bytes at ADDR, which are BYTES, from OFFSET of the file on; zeros if
   BYTES is NULL. */
static void add_part(ImageBytes* b, uint64_t addr, uint64_t size,
                     uint8_t* bytes, uint64_t offset, bool constant)
{
   GROW(b->parts, b->n, b->room);
   b->parts[b->n++] = (ImagePart){ .addr = addr, .size = size,
                                   .bytes = bytes, .offset = offset,
                                   .constant = constant };
}

static void add_contents(ImageBytes* b, Elf* elf, uint64_t moved)
{
   size_t    size;
   uint8_t*  bytes = (uint8_t*)elf_rawfile(elf, &size);
   GElf_Phdr h;

   for (size_t i = 0; bytes != NULL && next_header(elf, PT_LOAD, &i, &h); ) {
      uint8_t* copy;
      if (h.p_filesz == 0 || h.p_offset > size || h.p_filesz > size - h.p_offset)
         continue;
      copy = zalloc(h.p_filesz, 1);
      memcpy(copy, bytes + h.p_offset, h.p_filesz);
      add_part(b, h.p_vaddr + moved, h.p_filesz, copy, h.p_offset,
               !(h.p_flags & PF_W));
   }
}

/* Return whether Valgrind itself mapped the image of instruction FIRST, MOVED
   from the addresses in its file: the program, or its interpreter. */
static bool is_mapped_first(DcfgWet* w, uint32_t first, uint64_t moved)
{
   const DcfgWetState* state = dcfg_wet_state(w);

   for (uint32_t i = 0; i < state->n_aux; i++)
      if (state->aux[i].type == AT_BASE && state->aux[i].value == moved
          && moved != 0)
         return true;
   return state->program == dcfg_wet_instr(w, first)->image;
}

/* Add the zeros behind the contents of writable segments.  If they end in
   another page than the contents, all of that page is zero.  Else the rest of
   the page is cleared if WHOLE; ld.so does not do that. */
static void add_zeros(ImageBytes* b, Elf* elf, uint64_t moved, bool whole)
{
   static const uint64_t most = UINT64_C(1) << 30;
   GElf_Phdr h;

   for (size_t i = 0; next_header(elf, PT_LOAD, &i, &h); ) {
      uint64_t end, rest;
      if (h.p_memsz <= h.p_filesz || h.p_memsz - h.p_filesz > most)
         continue;
      end  = h.p_vaddr + h.p_memsz;
      rest = whole || (end - 1) / page != (h.p_vaddr + h.p_filesz - 1) / page
             ? -end % page : 0;
      add_part(b, h.p_vaddr + moved + h.p_filesz,
               h.p_memsz - h.p_filesz + rest, NULL, IMAGE_ANYWHERE, false);
   }
}

/* Add the SIZE bytes of the file from OFFSET on, at ADDR; zeros behind the
   file's end. */
static void add_edge(ImageBytes* b, Elf* elf, uint64_t addr, uint64_t offset,
                     uint64_t size)
{
   size_t   file_size;
   uint8_t* bytes = (uint8_t*)elf_rawfile(elf, &file_size);
   uint8_t* copy;

   if (bytes == NULL || size == 0 || offset > file_size)
      return;
   copy = zalloc(size, 1);
   memcpy(copy, bytes + offset,
          size < file_size - offset ? size : file_size - offset);
   add_part(b, addr, size, copy, offset, true);
}

/* Add what the file has before and behind read-only segments, in their first
   and last pages: the kernel maps whole pages. */
static void add_edges(ImageBytes* b, Elf* elf, uint64_t moved)
{
   GElf_Phdr h;

   for (size_t i = 0; next_header(elf, PT_LOAD, &i, &h); ) {
      uint64_t before, end;
      if (h.p_flags & PF_W || h.p_memsz != h.p_filesz
          || h.p_filesz > UINT64_MAX - h.p_offset)
         continue;
      before = h.p_vaddr % page;
      end    = h.p_offset + h.p_filesz;
      if (h.p_offset % page != before)
         continue;
      add_edge(b, elf, h.p_vaddr + moved - before, h.p_offset - before,
               before);
      add_edge(b, elf, h.p_vaddr + moved + h.p_filesz, end, -end % page);
   }
}

/* Add the code of image FIRST that ran, as the trace has it.  Instructions that
   are neighbours share a part. */
static void add_code(ImageBytes* b, uint32_t first)
{
   const char* name = dcfg_wet_instr(b->w, first)->image_name;
   uint32_t    end = image_end(b->w, first);
   ImagePart*  p = NULL;

   if (name == NULL || name[0] != '/')
      return;
   for (uint32_t i = first; i < end; i++) {
      DcfgWetInstr in = *dcfg_wet_instr(b->w, i);
      if (p == NULL || in.addr != p->addr + p->size) {
         add_part(b, in.addr, 0, NULL, IMAGE_ANYWHERE, true);
         p = &b->parts[b->n - 1];
      }
      p->bytes = need(realloc(p->bytes, p->size + in.size));
      memcpy(p->bytes + p->size, in.code, in.size);
      p->size += in.size;
   }
}

/* Add the image whose first instruction is FIRST; with ALL, as for
   image_memory(). */
static void add_image(ImageBytes* b, uint32_t first, const char* root, bool all)
{
   size_t   before = b->n;
   ImageElf e;

   if (image_elf(b->w, first, root, &e)) {
      add_contents(b, e.elf, e.moved);
      if (all) {
         add_zeros(b, e.elf, e.moved, is_mapped_first(b->w, first, e.moved));
         add_edges(b, e.elf, e.moved);
      }
      image_elf_close(&e);
   } else if (all) {
      add_code(b, first);
   }
   for (; before < b->n; before++) {
      b->parts[before].image = first;
      b->parts[before].end   = image_end(b->w, first);
   }
}

static ImageBytes all_images(DcfgWet* w, ImageTimes* times,
                             const char* root, bool all)
{
   ImageBytes b = { .w = w, .times = times };

   for (uint32_t first = 0; first < dcfg_wet_instrs(w);
        first = image_end(w, first))
      add_image(&b, first, root, all);
   return b;
}

ImageBytes image_memory(DcfgWet* w, ImageTimes* times, const char* root)
{
   return all_images(w, times, root, true);
}

ImageBytes image_bytes(DcfgWet* w, ImageTimes* times, const char* root)
{
   return all_images(w, times, root, false);
}

void image_bytes_free(ImageBytes* b)
{
   for (size_t i = 0; i < b->n; i++)
      free(b->parts[i].bytes);
   free(b->parts);
}

/*--- Answers                                              ---*/

static bool has(const ImagePart* p, uint64_t addr)
{
   return addr >= p->addr && addr - p->addr < p->size;
}

const ImagePart* image_part(const ImageBytes* b, uint64_t addr, uint64_t t)
{
   for (size_t i = 0; i < b->n; i++)
      if (has(&b->parts[i], addr)
          && image_is_mapped(b->times, b->parts[i].image, t))
         return &b->parts[i];
   return NULL;
}

bool image_is_constant(const ImageBytes* b, uint64_t addr, uint64_t t)
{
   const ImagePart* p = image_part(b, addr, t);

   return p != NULL && p->constant;
}

/* Return the byte of P at ADDR, as image_byte() does. */
static const uint8_t* byte_of(const ImagePart* p, uint64_t addr,
                              uint64_t* before, uint64_t* behind)
{
   static const uint8_t zero = 0;

   *before = addr - p->addr;
   *behind = p->size - *before;
   if (p->bytes != NULL)
      return p->bytes + *before;
   *before = 0;
   *behind = 1;
   return &zero;
}

const uint8_t* image_byte(const ImageBytes* b, uint64_t addr, uint64_t t,
                          uint64_t* before, uint64_t* behind)
{
   const ImagePart* p = image_part(b, addr, t);

   return p == NULL ? NULL : byte_of(p, addr, before, behind);
}

const uint8_t* image_own_byte(const ImageBytes* b, uint32_t instr,
                              uint64_t addr, uint64_t* before,
                              uint64_t* behind)
{
   for (size_t i = 0; i < b->n; i++) {
      const ImagePart* p = &b->parts[i];
      if (has(p, addr) && instr >= p->image && instr < p->end)
         return byte_of(p, addr, before, behind);
   }
   return NULL;
}

struct InitialMemory {
   TraceProgram* program;
   DcfgWet*    w;
   const bool* loads;           // by instruction
   uint64_t    left_out;        // an instance, or UINT64_MAX
   bool        begun;           // .r is made, or cannot be made
   DcfgCursor* r;
   bool        read;            // .images is there
   ImageBytes  images;
};

InitialMemory* initial_memory_new(TraceProgram* p, const bool* loads)
{
   InitialMemory* z = zalloc(1, sizeof(*z));

   z->program = p;
   z->w     = p->w;
   z->loads = loads;
   initial_leave_out(z, UINT64_MAX);
   return z;
}

void initial_leave_out(InitialMemory* z, uint64_t order)
{
   z->left_out = order;
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
      z->images = image_memory(z->w, z->program->times, z->program->root);
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
   return reads == 1 && n->from != 0 && z->loads[n->instr]
          && n->order != z->left_out ? size : 0;
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
   if (!is_initial(s, n, in) || size == 0 || wet_begins_late(z->w)
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
