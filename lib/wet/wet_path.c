/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The path of a thread through a whole execution trace. */

/* Owns: which instructions a thread executed, in order.  Handed: blocks of the
   tape, of which only the control is decoded.

   The ways of a block, with the turns of threads between them, tell all
   instructions that were executed.  Addresses and values stay as they are. */

#include "lib/wet/wet_cursor.h"

#include <stdlib.h>

struct DcfgWetPath {
   WetCursor*   c;
   uint32_t     thread;
   uint32_t     turn;           // the thread that runs
   uint64_t     time;           // instructions that all threads executed
   uint64_t     n_before;       // bytes of the file before the tape
   DcfgWetPiece pieces[MAX_BLOCK];
};

DcfgWetPath* dcfg_wet_path_new(DcfgWet* w, uint32_t thread, DcfgError* err)
{
   WetCursor*   c = wet_cursor_new(w, err);
   DcfgWetPath* p = c == NULL ? NULL : job_calloc(&c->job, 1, sizeof(*p));

   if (p == NULL) {
      if (c != NULL)
         job_tell(&c->job, err);
      wet_cursor_free(c);
      return NULL;
   }
   p->c        = c;
   p->thread   = thread;
   p->n_before = c->job.n_file;
   return p;
}

void dcfg_wet_path_free(DcfgWetPath* p)
{
   if (p == NULL)
      return;
   wet_cursor_free(p->c);
   free(p);
}

/* Add a piece to the N of P: the first N_INSTRS instructions of superblock
   SB. */
static size_t add_piece(DcfgWetPath* p, size_t n, uint32_t sb, uint32_t way,
                        uint32_t n_instrs)
{
   const DcfgWet* w = p->c->w;

   if (p->turn == p->thread && n_instrs > 0)
      p->pieces[n++] = (DcfgWetPiece){
         .time = p->time, .way = way, .n = n_instrs,
         .instrs = &ELEM(w->sb_instrs, uint32_t,
                         ELEM(w->sbs, WetSb, sb).instrs.first)
      };
   p->time += n_instrs;
   return n;
}

/* Pass over a mark of the block; take a turn of threads. */
static void take_turn(DcfgWetPath* p, Block* b)
{
   uint32_t mark = (uint32_t)b->extra[b->at++];

   if (mark == MarkThread)
      p->turn = b->extra[b->at] < DCFG_NONE ? (uint32_t)b->extra[b->at]
                : DCFG_NONE;
   b->at += wet_words_of_mark(mark) + wet_has_bytes(mark);
}

/* Set .pieces to those of the block that was read.  Return how many. */
static size_t find_pieces(DcfgWetPath* p)
{
   const DcfgWet* w = p->c->w;
   Block*         b = &p->c->block;
   size_t         n = 0;

   b->at = 0;
   for (uint32_t i = 0; i < b->n_ways; i++) {
      uint32_t id = b->ways[i];
      if (id < NO_WAY_STOP) {
         n = add_piece(p, n, w->ways[id].sb, id, w->ways[id].n_instrs);
      } else if (id == NO_WAY_STOP) {
         Stop stop = wet_find_stop(w, (uint32_t)b->extra[b->at],
                                   (uint32_t)b->extra[b->at + 1]);
         b->at += 2 + stop.n_words;
         n = add_piece(p, n, stop.sb, DCFG_NONE, stop.n_instrs);
      } else if (id == NO_WAY_MARK) {
         take_turn(p, b);
      }
   }
   return n;
}

size_t dcfg_wet_path_next(DcfgWetPath* p, const DcfgWetPiece** pieces,
                          DcfgError* err)
{
   WetCursor* c = p->c;
   size_t     n = 0;

   while (n == 0) {
      if ((c->n_records == 0 && !wet_next_chunk(c))
          || !wet_read_block(c, NULL))
         break;
      job_progress(&c->job, "reading", c->job.n_file - p->n_before,
                   c->w->tape_size);
      n = find_pieces(p);
   }
   job_tell(&c->job, err);
   *pieces = p->pieces;
   return n;
}
