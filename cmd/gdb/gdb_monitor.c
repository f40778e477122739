/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The commands that gdb's user sends to the server: monitor COMMAND. */

/* Owns: monitor when, goto, output, exact, help.  Handed: the command's
   text. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/output/output_syscalls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Say it of the thread that stopped: .thread may be another one, whose registers
   the client has read since. */
static void say_when(GdbSession* g, GdbText* to)
{
   uint64_t     end = dcfg_replay_end(g->s->replay), number, at;
   uint32_t     instr;
   DcfgWetInstr in;

   gdb_put(to, "time %s of %s, thread %" PRIu32, text_count(g->time),
           text_count(end), g->stopped + 1);
   if (state_next_instr(g->s, g->stopped, g->time, &instr, &at)
       && dcfg_replay_number(g->s->replay, at, &number)) {
      in = *dcfg_wet_instr(g->s->w, instr);
      gdb_put(to, ", 0x%" PRIx64 "#%" PRIu64, in.addr, number);
      if (in.line != 0 && in.source != NULL)
         gdb_put(to, ", %s:%" PRIu32, text_clean(text_base(in.source)),
                 in.line);
   }
   gdb_put(to, "\n");
}

static void say_goto(GdbSession* g, const char* where, GdbText* to)
{
   uint64_t    t;
   const char* why = gdb_where(g->s, where, &t);

   /* The stepi of dcfg-goto comes in any case: it must not move then. */
   if (why != NULL)
      gdb_put(to, "%s; the next stepi stays here\n", why);
   g->goes = true;
   g->goal = why == NULL ? t : g->time;
}

/* Return whether instance N was executed before the present time. */
static bool is_before(GdbSession* g, const DcfgSliceNode* n)
{
   uint64_t t;

   return dcfg_replay_time_of(g->s->replay, n->instr, n->instance, &t)
             == DCFG_REPLAY_FOUND
          && t < g->time;
}

/* Append the bytes that the program has written to O up to the present time; ?
   for those that the trace does not have. */
static void say_stream(GdbSession* g, const OutputStream* o, GdbText* to)
{
   for (size_t i = 0; i < o->n; i++) {
      const OutputPiece* p = &o->pieces[i];
      if (p->from > o->size || p->size > o->size - p->from
          || !is_before(g, p->call))
         continue;
      for (uint64_t k = p->from; k < p->from + p->size; k++)
         gdb_put_bytes(to, o->known[k] ? (const char*)&o->bytes[k] : "?", 1);
   }
}

static void say_output(GdbSession* g, GdbText* to)
{
   DcfgWet*   w = g->s->w;
   bool*      instrs = zalloc(dcfg_wet_instrs(w) + (size_t)1, sizeof(bool));
   DcfgSlice* s = all_syscalls(w, instrs, false);
   Output     o = output_read(w, s, &g->s->images);

   for (size_t i = 0; i < o.n; i++)
      if (o.streams[i].fd == 1 || o.streams[i].fd == 2)
         say_stream(g, &o.streams[i], to);
   output_free(&o);
   dcfg_slice_free(s);
   free(instrs);
}

void gdb_monitor(GdbSession* g, const char* text, GdbText* to)
{
   if (strcmp(text, "when") == 0)
      say_when(g, to);
   else if (strncmp(text, "goto ", 5) == 0)
      say_goto(g, text + 5 + strspn(text + 5, " "), to);
   else if (strcmp(text, "output") == 0)
      say_output(g, to);
   else if (strcmp(text, "exact on") == 0
            || strcmp(text, "exact off") == 0)
      g->exact = text[7] == 'n';
   else
      gdb_put(to, "when            the time, the thread, the instance that "
                  "comes next\n"
                  "goto WHERE      the next stepi goes to a time, FILE:LINE, "
                  "ADDRESS#N,\n"
                  "                begin or end\n"
                  "output          what was written to 1 and 2 up to now\n"
                  "exact on|off    pass over no steps of reverse-next\n");
}
