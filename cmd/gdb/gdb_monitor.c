/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Questions of gdb's user to the server itself: times, and the commands of
   monitor. */

/* Owns: reading WHERE of --at and of monitor goto: FILE:LINE#N, ADDRESS#N, or a
   number; the commands monitor when, goto, output, exact, help.  Handed: the
   user's text. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/output/output_syscalls.h"

#include "lib/dcfg_slice.h"

#include <errno.h>

/*--- Times that the user names                            ---*/

/* Read TEXT, which must be a number, perhaps with commas between digits. */
static bool read_number(const char* text, int base, uint64_t* n)
{
   char   digits[32];
   size_t k = 0;

   for (; *text != 0 && k + 1 < sizeof(digits); text++)
      if (*text != ',')
         digits[k++] = *text;
   digits[k] = 0;
   return *text == 0 && digits[0] >= '0' && digits[0] <= '9'
          && is_number(digits, base, n);
}

/* Return the message of the library's last error. */
static const char* failed(const DcfgCursor* r)
{
   DcfgError err;

   dcfg_cursor_error(r, &err);
   return text_format("%s", err.reason);
}

/* Set *T to the time of an execution of the line that TEXT names: execution
   NUMBER, or the last one if that is NULL.  Return NULL or a message. */
static const char* time_of_line(ProgramState* s, const char* text,
                                const char* number, uint64_t* t)
{
   const char*    colon = strrchr(text, ':');
   char*          line = text_format("%.*s", (int)(number == NULL
                            ? strlen(colon + 1)
                            : (size_t)(number - 1 - (colon + 1))), colon + 1);
   uint32_t       n = dcfg_wet_instrs(s->w);
   uint64_t       wanted, instance = DCFG_SLICE_LAST;
   bool*          instrs;
   bool           some = false, source = false;
   DcfgSliceQuery q;
   DcfgError      err;
   DcfgSlice*     found;
   const char*    why = NULL;

   if (!read_number(line, 10, &wanted)
       || (number != NULL && !read_number(number, 10, &instance)))
      return text_format("`%s' names no line: write FILE:LINE, or FILE:LINE#N "
                         "for execution N, from 0", text);
   instrs = zalloc(n + (size_t)1, sizeof(bool));
   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(s->w, i);
      bool is = text_ends_path(in->source, text, (size_t)(colon - text));
      source   |= is;
      instrs[i] = is && in->line == wanted;
      some     |= instrs[i];
   }
   q = (DcfgSliceQuery){ .instrs = instrs, .instance = instance, .run = true,
                         .no_control = true, .only_criteria = true };
   /* The slice reads the trace by itself. */
   dcfg_cursor_forget(s->cursor);
   found = some ? dcfg_slice_new(s->w, &q, &err) : NULL;
   if (!source)
      why = text_format("no line of `%.*s' was executed", (int)(colon - text),
                        text);
   else if (!some)
      why = text_format("`%s' was not executed", text);
   else if (found == NULL)
      why = text_format("%s", err.reason);
   else if (found->n_criteria == 0)
      why = text_format("`%s' was not executed as often", text);
   if (why == NULL) {
      const DcfgSliceNode* first
         = &found->nodes[found->criteria[found->n_criteria - 1]];
      if (dcfg_cursor_time_of(s->cursor, first->instr, first->instance, t)
          != DCFG_CURSOR_FOUND)
         why = failed(s->cursor);
   }
   dcfg_slice_free(found);
   free(instrs);
   return why;
}

/* Set *T to the time of instance NUMBER of the instructions at ADDR, or of the
   last one if that is NULL.  Return NULL or a message, in which the user's TEXT
   stands. */
static const char* time_of_address(ProgramState* s, uint64_t addr,
                                   const char* number, const char* text,
                                   uint64_t* t)
{
   uint32_t        n = dcfg_wet_instrs(s->w);
   uint64_t        instance = 0, at, end = dcfg_cursor_end(s->cursor);
   DcfgCursorFound found = DCFG_CURSOR_NONE;
   bool            some = false;

   if (number != NULL && !read_number(number, 10, &instance))
      return text_format("`%s': an instance is a number from 0 on", text);
   for (uint32_t i = 0; i < n; i++) {
      DcfgCursorSet*  set;
      DcfgCursorFound now;
      if (dcfg_wet_instr(s->w, i)->addr != addr)
         continue;
      set = number == NULL ? dcfg_cursor_set_new(s->cursor, &i, 1) : NULL;
      now = number != NULL ? dcfg_cursor_time_of(s->cursor, i, instance, &at)
            : set == NULL ? DCFG_CURSOR_FAILED
            : dcfg_cursor_find_instr(s->cursor, set, DCFG_NONE, end, true,
                                     &at);
      dcfg_cursor_set_free(s->cursor, set);
      some = true;
      if (now == DCFG_CURSOR_FOUND
          && (found != DCFG_CURSOR_FOUND || at > *t))
         *t = at;
      if (now == DCFG_CURSOR_FOUND || now == DCFG_CURSOR_FAILED)
         found = now;
   }
   return found == DCFG_CURSOR_FOUND ? NULL
          : found == DCFG_CURSOR_FAILED ? failed(s->cursor)
          : !some ? text_format("nothing at `%s' was executed", text)
          : text_format("`%s' was not executed as often", text);
}

const char* gdb_where(ProgramState* s, const char* text, uint64_t* t)
{
   uint64_t    end = dcfg_cursor_end(s->cursor), addr;
   const char* number = strrchr(text, '#');
   const char* place = text_format("%.*s", number == NULL ? (int)strlen(text)
                                   : (int)(number - text), text);

   if (number != NULL)
      number++;
   if (strcmp(text, "end") == 0) {
      *t = end;
      return NULL;
   }
   if (strcmp(text, "begin") == 0) {
      *t = 0;
      return NULL;
   }
   if (strncmp(place, "0x", 2) == 0 && strchr(place, ',') == NULL
       && read_number(place, 16, &addr))
      return time_of_address(s, addr, number, text, t);
   if (strchr(place, ':') != NULL)
      return time_of_line(s, text, number, t);
   if (!read_number(text, 10, t))
      return text_format("`%s' is no time: a number, begin, end, FILE:LINE, "
                         "or ADDRESS#N", text_clean(text));
   return *t <= end ? NULL
          : text_format("%s is behind the end, %s", text_clean(text),
                        text_count(end));
}

/*--- monitor COMMAND                                      ---*/

/* Say it of the thread that stopped: .thread may be another one, whose registers
   the client has read since. */
static void say_when(GdbSession* g, GdbText* to)
{
   uint64_t     end = dcfg_cursor_end(g->s->cursor), number, at;
   uint32_t     instr;
   DcfgWetInstr in;

   gdb_put(to, "time %s of %s, thread %" PRIu32, text_count(g->time),
           text_count(end), g->stopped + 1);
   if (state_next_instr(g->s, g->stopped, g->time, &instr, &at)
       && dcfg_cursor_number(g->s->cursor, at, &number)) {
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

   return dcfg_cursor_time_of(g->s->cursor, n->instr, n->instance, &t)
             == DCFG_CURSOR_FOUND
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
   Output o = output_read(g->s->w, &g->s->images, NULL);

   for (size_t i = 0; i < o.n; i++)
      if (o.streams[i].fd == 1 || o.streams[i].fd == 2)
         say_stream(g, &o.streams[i], to);
   output_free(&o);
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
