/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory that has been asked for lately. */

/* Owns: answers about words of memory.  Handed: searches by cursor_memory.c.

   A debugger asks for the same words at each step: the frames of the call
   stack, variables that it displays.  Some were written long before, so each
   search would go far back.  An answer for a time holds back to the last write.
   For a later time of the same chunk, only what was written since then is
   searched. */

#include "lib/cursor/cursor_chunks.h"

#include <string.h>

static RecentWord* recent_word(DcfgCursor* r, uint64_t word)
{
   return &r->recent[word % N_RECENT];
}

/* Return the first time from which the answer of W holds. */
static uint64_t holds_from(const RecentWord* w)
{
   uint64_t since = 0;

   for (unsigned k = 0; k < 8; k++)
      if (w->bytes[k].since > since)
         since = w->bytes[k].since;
   return since;
}

/* Return whether times A and B, A first, are in one chunk. */
static bool in_one_chunk(const DcfgCursor* r, uint64_t a, uint64_t b)
{
   uint32_t chunk = cursor_chunk_of(r, a);

   return chunk < r->ix->n_chunks
          && b < r->ix->chunks[chunk].before + r->ix->chunks[chunk].n_instrs;
}

/* Set BYTES and TOLD to the latest answers for the SIZE bytes at ADDR.  Set
   *SINCE to the time up to which all of them hold, if that is before T, else to
   T.  Return false if an answer is missing, or is of no use for T. */
static bool take_recent(DcfgCursor* r, uint64_t t, uint64_t addr,
                        uint32_t size, DcfgCursorByte* bytes, bool* told,
                        uint64_t* since)
{
   const RecentWord* w = NULL;

   *since = t;
   for (uint32_t i = 0; i < size; i++) {
      uint64_t word = (addr + i) >> 3;
      if (w == NULL || w->word != word + 1) {
         w = recent_word(r, word);
         if (w->word != word + 1 || holds_from(w) > t)
            return false;
         if (w->time < *since)
            *since = w->time;
      }
      bytes[i] = w->bytes[(addr + i) % 8];
      told[i]  = w->told >> (addr + i) % 8 & 1;
   }
   return *since == t || in_one_chunk(r, *since, t);
}

/* Keep the whole words among the SIZE bytes at ADDR, which are BYTES at time T, as
   the index TOLD. */
static void note_recent(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
                        const DcfgCursorByte* bytes, const bool* told)
{
   for (uint32_t i = (uint32_t)(-addr % 8); i + 8 <= size; i += 8) {
      RecentWord* w = recent_word(r, (addr + i) >> 3);
      w->word = ((addr + i) >> 3) + 1;
      w->time = t;
      w->told = 0;
      for (unsigned k = 0; k < 8; k++)
         w->told |= (uint8_t)(told[i + k] << k);
      memcpy(w->bytes, bytes + i, sizeof(w->bytes));
   }
}

/* Set BYTES as dcfg_cursor_memory() does, but for unseen writes. */
static bool find_bytes(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
                       const bool* copies, DcfgCursorByte* bytes)
{
   bool     told[DCFG_CURSOR_MOST] = { false }, agree;
   uint64_t since;

   if (take_recent(r, t, addr, size, bytes, told, &since)) {
      if (since == t)
         return true;
      if (!cursor_memory_since(r, since, t, addr, size, bytes, told))
         return false;
   } else if (!cursor_memory_at(r, t, addr, size, bytes, told)) {
      return false;
   }
   if (!cursor_memory_agrees(r, t, addr, size, copies, bytes, told, &agree))
      return false;
   if (!agree) {
      memset(told, 0, sizeof(told));
      if (!cursor_memory_at(r, t, addr, size, bytes, NULL))
         return false;
   }
   note_recent(r, t, addr, size, bytes, told);
   return true;
}

bool dcfg_cursor_memory(DcfgCursor* r, uint64_t t, uint64_t addr,
                        uint32_t size, const bool* copies,
                        DcfgCursorByte* bytes)
{
   if (size > DCFG_CURSOR_MOST
       || !find_bytes(r, t, addr, size, copies, bytes))
      return false;
   cursor_unseen(r, t, addr, size, bytes);
   return true;
}
