/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Marks and records, as they change the image of memory. */

/* Owns: how a mark changes the image, and the search for unseen writes
   without an index.  Handed: parts by wet_chunks.c. */

#include "lib/index/index_marks.h"

/* Marks that change more bytes than this are told by their chunk alone. */
#define LARGE (64u << 10)

bool mark_write(const WetSteps* steps, const WetStep* r, MarkWrite* to)
{
   const uint64_t* words = steps->addrs + r->first;

   *to = (MarkWrite){ .is = BYTE_ASK };
   switch (r->mark) {
      case DCFG_WET_WRITTEN: to->is = BYTE_UNKNOWN; break;
      case DCFG_WET_FRESH:   to->is = BYTE_FRESH; break;
      case DCFG_WET_MOVED:   break;
      case MarkMapped:       to->maps = true; break;
      case MarkContents:
         if (words[MARK_N_BYTES] < words[1])
            return false;
         to->is    = BYTE_KNOWN;
         to->bytes = steps->bytes + words[MARK_BYTES_AT];
         break;
      default:
         return false;
   }
   to->addr = words[0];
   to->size = words[1] > UINT64_MAX - words[0] ? UINT64_MAX - words[0]
              : words[1];
   return true;
}

bool mark_write_put(const MarkWrite* x, uint64_t time, MemoryImage* image)
{
   return x->maps || x->size > LARGE
          ? image_change(image, x->addr, x->size)
          : image_write_any(image, x->addr, x->size, x->is, x->bytes, time);
}

bool unseen_may_be(const DcfgWet* w)
{
   return w->loads != NULL
          && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

bool unseen_start(UnseenFinder* u, Job* job, const DcfgWet* w)
{
   *u = (UnseenFinder){ .job = job, .w = w, .image = { .job = job } };
   return ways_start(&u->ways, job, w);
}

/* End the present chunk. */
static bool end_chunk(UnseenFinder* u)
{
   uint64_t* end = array_add(u->job, &u->ends, sizeof(*end));

   if (end == NULL || !unseen_put(u->job, &u->image.unseen, &u->codes))
      return false;
   *end = u->codes.n;
   image_end_chunk(&u->image);
   return true;
}

bool unseen_take_part(UnseenFinder* u, const WetPart* part)
{
   const WetSteps* steps = &part->steps;
   MarkWrite       x;

   if (part->first && u->begun && !end_chunk(u))
      return false;
   u->begun = true;
   for (size_t i = 0; i < steps->n_steps; i++) {
      const WetStep* r = &steps->steps[i];
      if (r->sb == 0) {
         if (mark_write(steps, r, &x) && !mark_write_put(&x, u->time, &u->image))
            return false;
         continue;
      }
      if (!way_write(&u->ways, r, steps->addrs + r->first, u->time, &u->image,
                     NULL))
         return false;
      u->time += r->n_instrs;
   }
   return true;
}

bool unseen_end(UnseenFinder* u)
{
   return !u->begun || end_chunk(u);
}

void unseen_free(UnseenFinder* u)
{
   if (u->job == NULL)
      return;
   ways_free(&u->ways);
   image_free(&u->image);
   array_free(u->job, &u->codes, 1);
   array_free(u->job, &u->ends, sizeof(uint64_t));
}
