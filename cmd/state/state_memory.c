/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory of a recorded program at any time. */

/* Owns: the bytes of memory, and which of them are known.  Handed: writes by
   the library, files of images.

   The last that the trace told before the time gives a byte its value: a write,
   or a load.  If the next load has another value, somebody else wrote the byte
   between: it is unknown.  If nothing has told the byte, the image's file has it,
   or the state in which the trace begins, or the next instruction that loads
   it. */

#include "cmd/state/program_state.h"

#include <string.h>

/* Fresh: an answer of is_of_part(), for the bytes of a page that were mapped at one
   time. */
typedef
   struct {
      const ImagePart* part;
      uint64_t         page, since;
      bool             is;
   }
   Fresh;

/* Return whether the byte at ADDR, which was mapped anew at time SINCE, has been
   P's since then; F has the last answer. */
static bool is_of_part(const ProgramState* s, Fresh* f, const ImagePart* p,
                       uint64_t addr, uint64_t since)
{
   uint64_t offset = p->offset == IMAGE_ANYWHERE ? IMAGE_ANYWHERE
                     : p->offset + (addr - p->addr);

   if (f->part != p || f->page != addr >> 12 || f->since != since)
      *f = (Fresh){ p, addr >> 12, since,
                    image_was_mapped(s->images.times, p->image, addr, offset,
                                     since) };
   return f->is;
}

/* Set those of the SIZE bytes B at ADDR that nobody wrote up to time T to the
   bytes of the images' files.  If the program began before the trace, use only constant
   memory: the program may have changed other memory by then. */
static void take_images(const ProgramState* s, uint64_t t, uint64_t addr,
                        uint32_t size, DcfgReplayByte* b)
{
   Fresh f = { .part = NULL };

   for (uint32_t i = 0; i < size; i++) {
      const ImagePart* p;
      if (b[i].is != DCFG_REPLAY_NEVER && b[i].is != DCFG_REPLAY_FRESH)
         continue;
      p = image_part(&s->images, addr + i, t);
      if (p != NULL
          && (b[i].is == DCFG_REPLAY_FRESH
              ? is_of_part(s, &f, p, addr + i, b[i].since)
              : s->whole || p->constant))
         b[i] = (DcfgReplayByte){ 0, DCFG_REPLAY_KNOWN,
                                  p->bytes == NULL ? 0
                                  : p->bytes[addr + i - p->addr] };
   }
}

/* Set those of the SIZE bytes B at ADDR that nobody wrote to the contents of
   memory when the trace began.  When a program begins, private memory without a
   file is zero. */
static void take_begin(const ProgramState* s, uint64_t addr, uint32_t size,
                       DcfgReplayByte* b)
{
   const DcfgWetState* state = dcfg_wet_state(s->w);

   if (state == NULL || !state->known)
      return;
   for (uint32_t i = 0; i < size; i++) {
      if (b[i].is != DCFG_REPLAY_NEVER)
         continue;
      for (uint32_t k = 0; k < state->n_contents; k++) {
         const DcfgWetContents* c = &state->contents[k];
         if (addr + i - c->addr < c->size)
            b[i] = (DcfgReplayByte){ 0, DCFG_REPLAY_KNOWN,
                                     c->bytes[addr + i - c->addr] };
      }
      for (uint32_t k = 0; s->whole && b[i].is == DCFG_REPLAY_NEVER
                           && k < state->n_mappings; k++) {
         const DcfgWetMapping* m = &state->mappings[k];
         if (!m->from_file && !m->shared
             && addr + i - (m->addr - m->room_below)
                < m->size + m->room_below)
            b[i] = (DcfgReplayByte){ 0, DCFG_REPLAY_KNOWN, 0 };
      }
   }
}

static bool all_known(const DcfgReplayByte* b, uint32_t size)
{
   while (size > 0 && b[size - 1].is == DCFG_REPLAY_KNOWN)
      size--;
   return size == 0;
}

/* Forget those of the SIZE bytes B at ADDR at time T that files, or the state in
   which the trace begins, have told, if the next load has other values: somebody
   else wrote them.  LAST has the bytes as the trace told them. */
static bool compare_initial(ProgramState* s, uint64_t t, uint64_t addr,
                            uint32_t size, const DcfgReplayByte* last,
                            DcfgReplayByte* b)
{
   DcfgReplayByte next[DCFG_REPLAY_MOST];
   bool           any = false;

   for (uint32_t i = 0; i < size; i++) {
      bool initial = b[i].is == DCFG_REPLAY_KNOWN
                     && last[i].is != DCFG_REPLAY_KNOWN;
      next[i] = (DcfgReplayByte){ .is = initial ? DCFG_REPLAY_NEVER
                                        : DCFG_REPLAY_UNSEEN };
      any    |= initial;
   }
   if (!any)
      return true;
   if (!dcfg_replay_loaded(s->replay, t, addr, size, s->copies, next))
      return false;
   for (uint32_t i = 0; i < size; i++)
      if (next[i].is == DCFG_REPLAY_KNOWN && next[i].value != b[i].value)
         b[i].is = DCFG_REPLAY_UNSEEN;
   return true;
}

/* Read as state_memory() does, at most DCFG_REPLAY_MOST bytes. */
static bool read_part(ProgramState* s, uint64_t t, uint64_t addr, uint32_t size,
                      uint8_t* bytes, bool* known)
{
   DcfgReplayByte b[DCFG_REPLAY_MOST], last[DCFG_REPLAY_MOST];

   if (!dcfg_replay_memory(s->replay, t, addr, size, s->copies, b))
      return false;
   memcpy(last, b, size * sizeof(*b));
   take_images(s, t, addr, size, b);
   take_begin(s, addr, size, b);
   if (!compare_initial(s, t, addr, size, last, b))
      return false;
   if (!all_known(b, size)
       && !dcfg_replay_loaded(s->replay, t, addr, size, s->copies, b))
      return false;
   for (uint32_t i = 0; i < size; i++) {
      bytes[i] = b[i].value;
      known[i] = b[i].is == DCFG_REPLAY_KNOWN;
   }
   return true;
}

bool state_memory(ProgramState* s, uint64_t t, uint64_t addr, uint32_t size,
                  uint8_t* bytes, bool* known)
{
   for (uint32_t done = 0; done < size; ) {
      uint32_t n = size - done < DCFG_REPLAY_MOST ? size - done
                   : DCFG_REPLAY_MOST;
      if (!read_part(s, t, addr + done, n, bytes + done, known + done))
         return false;
      done += n;
   }
   return true;
}
