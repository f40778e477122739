/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory of a recorded program at any time. */

/* Owns: the bytes of memory, and which of them are known.  Handed: writes by
   the library, files of images.  Taken by: state_registers.c, cmd/gdb/.

   What was written last counts; else what the images' files have there; else
   what is loaded from there next. */

#include "cmd/state/program_state.h"

#include <string.h>

/* Take what the images' files have there for bytes that nobody wrote.  If the
   program began earlier, it may have changed what is not constant. */
static void take_images(const ProgramState* s, uint64_t addr, uint32_t size,
                        DcfgReplayByte* b)
{
   for (uint32_t i = 0; i < size; i++) {
      uint64_t       before, behind;
      const uint8_t* at;
      if (b[i].is != DCFG_REPLAY_NEVER && b[i].is != DCFG_REPLAY_FRESH)
         continue;
      at = image_byte(&s->images, addr + i, &before, &behind);
      if (at != NULL
          && (s->whole || b[i].is == DCFG_REPLAY_FRESH
              || image_is_constant(&s->images, addr + i)))
         b[i] = (DcfgReplayByte){ 0, DCFG_REPLAY_KNOWN, *at };
   }
}

/* Take what was there when the trace began for bytes that nobody wrote.  When
   a program begins, memory of no file is zero. */
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

static bool read_part(ProgramState* s, uint64_t t, uint64_t addr, uint32_t size,
                      uint8_t* bytes, bool* known)
{
   DcfgReplayByte b[DCFG_REPLAY_MOST];

   if (!dcfg_replay_memory(s->replay, t, addr, size, b))
      return false;
   take_images(s, addr, size, b);
   take_begin(s, addr, size, b);
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
