/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes that the trace does not have, in memory at any time. */

/* Owns: which bytes are unknown because somebody else wrote them about then.
   Handed: unseen writes by the index.  Taken by: replay_recent.c. */

#include "lib/replay/replay_chunks.h"
#include "lib/base/sort.h"

/* Change those of BYTES, the SIZE bytes at ADDR at time T, that U tells and that
   no earlier unseen write told, which DONE has. */
static void apply_unseen(const UnseenWrite* u, uint64_t t, uint64_t addr,
                         uint32_t size, DcfgReplayByte* bytes, bool* done)
{
   for (unsigned b = 0; b < 8; b++) {
      uint64_t i = (u->word << 3) + b - addr;
      if (!(u->mask >> b & 1) || i >= size || u->time < t || done[i])
         continue;
      done[i] = true;
      /* The load at T itself tells the byte. */
      if (u->since < t)
         bytes[i] = (DcfgReplayByte){ u->since, u->time == t
                                      ? DCFG_REPLAY_UNKNOWN
                                      : DCFG_REPLAY_UNSEEN, 0 };
   }
}

void replay_unseen(DcfgReplay* r, uint64_t t, uint64_t addr, uint32_t size,
                   DcfgReplayByte* bytes)
{
   WetIndex* ix = r->ix;
   bool      done[DCFG_REPLAY_MOST] = { false };
   uint64_t  last = (addr + size - 1) >> 3;

   if (!ix->any_unseen || size == 0 || r->of->loads == NULL)
      return;
   for (uint32_t c = replay_chunk_of(r, t); c < ix->n_chunks; c++) {
      const UnseenWrite* u = index_unseen(ix, c);
      uint32_t           n = ix->chunks[c].n_unseen, low = 0;
      if (u == NULL)
         continue;
      BISECT(low, n, middle, u[middle].word < addr >> 3);
      for (; low < n && u[low].word <= last; low++)
         apply_unseen(&u[low], t, addr, size, bytes, done);
   }
}
