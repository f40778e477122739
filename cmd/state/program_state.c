/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A recorded program at any time: its threads and its memory. */

/* Owns: the recorded program, the threads that exist at a time and their program
   counters, the bytes of memory, and which of them are known.  Handed: a whole
   execution trace that has an index; writes by the library; files of images.

   The last event that the trace told before the time gives a byte its value: a
   write, or a load.  If the next load has another value, somebody else wrote
   the byte between: it is unknown.  If nothing has told the byte, the image's
   file has it, or the state in which the trace begins, or the next instruction
   that loads it. */

#include "cmd/state/program_state.h"

#include "cmd/base/cmd.h"
#include "cmd/program/recording.h"

#include <stdlib.h>
#include <string.h>

/* Find the first and the last time of each thread.  Return false if the trace
   cannot be read. */
static bool find_threads(ProgramState* state)
{
   uint64_t end = dcfg_cursor_end(state->cursor);

   state->n_threads = dcfg_wet_threads(state->w);
   state->threads   = zalloc(state->n_threads + (size_t)1,
                             sizeof(*state->threads));
   for (uint32_t i = 0; i < state->n_threads; i++) {
      StateThread*    t = &state->threads[i];
      DcfgCursorFound found = dcfg_cursor_find_thread(state->cursor, i, 0,
                                                      false, &t->first);
      if (found == DCFG_CURSOR_FOUND)
         found = dcfg_cursor_find_thread(state->cursor, i, end, true, &t->last);
      if (found == DCFG_CURSOR_FAILED)
         return false;
      if (found != DCFG_CURSOR_FOUND) {
         t->first = UINT64_MAX;
         t->last  = 0;
      }
   }
   return true;
}

ProgramState* state_new(DcfgWet* wet, const StateRules* rules, const char* root,
                        DcfgError* err)
{
   ProgramState* s = zalloc(1, sizeof(*s));
   uint32_t      n = dcfg_wet_instrs(wet);

   s->w         = wet;
   s->processor = processor_of(wet);
   s->rules     = rules;
   s->word      = n > 0 && dcfg_wet_instr(wet, 0)->address_size == 4 ? 0x0F
                  : 0xFF;
   s->cursor    = dcfg_cursor_new(wet, err);
   if (s->cursor == NULL) {
      free(s);
      return NULL;
   }
   if (!find_threads(s)) {
      dcfg_cursor_error(s->cursor, err);
      dcfg_cursor_free(s->cursor);
      FREE_ALL(s->threads, s);
      return NULL;
   }
   s->made   = zalloc(N_MADE, sizeof(*s->made));
   s->whole  = !wet_begins_late(wet);
   s->images = image_memory(wet, image_times_new(wet, s->cursor, root), root);
   s->roles  = roles_new(wet);
   s->addrs  = zalloc(n + (size_t)1, sizeof(uint64_t));
   for (uint32_t i = 0; i < n; i++)
      s->addrs[i] = dcfg_wet_instr(wet, i)->addr;
   return s;
}

void state_free(ProgramState* state)
{
   if (state == NULL)
      return;
   for (unsigned o = 0; o < N_OTHERS; o++)
      dcfg_cursor_set_free(state->cursor, state->writers[o]);
   dcfg_cursor_free(state->cursor);
   image_times_free(state->images.times);
   image_bytes_free(&state->images);
   roles_free(&state->roles);
   FREE_ALL(state->addrs, state->may_write, state->made, state->threads, state);
}

void state_listen(ProgramState* state, bool (*stop)(void* arg), void* arg)
{
   state->stop     = stop;
   state->stop_arg = arg;
   dcfg_cursor_listen(state->cursor, stop, arg);
}

bool state_is_stopped(const ProgramState* state)
{
   return state->stop != NULL && state->stop(state->stop_arg);
}

bool state_has_thread(const ProgramState* state, uint32_t thread, uint64_t t)
{
   uint64_t end = dcfg_cursor_end(state->cursor);

   if (thread >= state->n_threads || state->threads[thread].first == UINT64_MAX)
      return false;
   return (t >= state->threads[thread].first
           || state->threads[thread].first == 0)
          && (t <= state->threads[thread].last
              || (t == end && state->threads[thread].last + 1 == end));
}

bool state_thread_at(ProgramState* state, uint64_t t, uint32_t* thread)
{
   uint64_t               end = dcfg_cursor_end(state->cursor);
   const DcfgCursorInstr* at;

   if (end == 0)
      return false;
   at = dcfg_cursor_instr(state->cursor, t < end ? t : end - 1);
   if (at != NULL)
      *thread = at->thread;
   return at != NULL;
}

bool state_next_instr(ProgramState* state, uint32_t thread, uint64_t t,
                      uint32_t* instr, uint64_t* at)
{
   const DcfgCursorInstr* i;

   if (dcfg_cursor_find_thread(state->cursor, thread, t, false, at)
       != DCFG_CURSOR_FOUND)
      return false;
   i = dcfg_cursor_instr(state->cursor, *at);
   if (i != NULL)
      *instr = i->instr;
   return i != NULL;
}

bool state_pc(ProgramState* state, uint32_t thread, uint64_t t, uint64_t* pc)
{
   uint32_t instr;
   uint64_t at;

   if (state_next_instr(state, thread, t, &instr, &at)) {
      *pc = state->addrs[instr];
      return true;
   }
   return state->threads[thread].last + 1 == dcfg_cursor_end(state->cursor)
          && dcfg_cursor_last_address(state->cursor, pc);
}

/*--- Memory                                               ---*/

/* Fresh: an answer of is_of_part(), for the bytes of a page that were mapped at
   one time. */
typedef
   struct {
      const ImagePart* part;
      uint64_t         page, since;
      bool             is;
   }
   Fresh;

/* Return whether the byte at ADDR, which was mapped anew at time SINCE, has been
   P's since then; F has the last answer. */
static bool is_of_part(const ProgramState* state, Fresh* f, const ImagePart* p,
                       uint64_t addr, uint64_t since)
{
   uint64_t offset = p->offset == IMAGE_ANYWHERE ? IMAGE_ANYWHERE
                     : p->offset + (addr - p->addr);

   if (f->part != p || f->page != addr >> 12 || f->since != since)
      *f = (Fresh){ p, addr >> 12, since,
                    image_was_mapped(state->images.times, p->image, addr,
                                     offset, since) };
   return f->is;
}

/* Set those of the SIZE bytes B at ADDR that nobody wrote up to time T to the
   bytes of the images' files.  If the program began before the trace, use only
   constant memory: the program may have changed other memory by then. */
static void take_images(const ProgramState* state, uint64_t t, uint64_t addr,
                        uint32_t size, DcfgCursorByte* b)
{
   Fresh f = { .part = NULL };

   for (uint32_t i = 0; i < size; i++) {
      const ImagePart* p;
      if (b[i].is != DCFG_CURSOR_NEVER && b[i].is != DCFG_CURSOR_FRESH)
         continue;
      p = image_part(&state->images, addr + i, t);
      if (p != NULL
          && (b[i].is == DCFG_CURSOR_FRESH
              ? is_of_part(state, &f, p, addr + i, b[i].since)
              : state->whole || p->constant))
         b[i] = (DcfgCursorByte){ 0, DCFG_CURSOR_KNOWN,
                                  p->bytes == NULL ? 0
                                  : p->bytes[addr + i - p->addr] };
   }
}

/* Set those of the SIZE bytes B at ADDR that nobody wrote to the contents of
   memory when the trace began.  When a program begins, private memory without a
   file is zero. */
static void take_begin(const ProgramState* s, uint64_t addr, uint32_t size,
                       DcfgCursorByte* b)
{
   const DcfgWetState* state = dcfg_wet_state(s->w);

   if (!state->known)
      return;
   for (uint32_t i = 0; i < size; i++) {
      if (b[i].is != DCFG_CURSOR_NEVER)
         continue;
      for (uint32_t k = 0; k < state->n_contents; k++) {
         const DcfgWetContents* c = &state->contents[k];
         if (addr + i - c->addr < c->size)
            b[i] = (DcfgCursorByte){ 0, DCFG_CURSOR_KNOWN,
                                     c->bytes[addr + i - c->addr] };
      }
      for (uint32_t k = 0; s->whole && b[i].is == DCFG_CURSOR_NEVER
                           && k < state->n_mappings; k++) {
         const DcfgWetMapping* m = &state->mappings[k];
         if (!m->from_file && !m->shared
             && addr + i - (m->addr - m->room_below)
                < m->size + m->room_below)
            b[i] = (DcfgCursorByte){ 0, DCFG_CURSOR_KNOWN, 0 };
      }
   }
}

static bool all_known(const DcfgCursorByte* b, uint32_t size)
{
   while (size > 0 && b[size - 1].is == DCFG_CURSOR_KNOWN)
      size--;
   return size == 0;
}

/* Forget those of the SIZE bytes B at ADDR at time T that files, or the state in
   which the trace begins, have told, if the next load has other values: somebody
   else wrote them.  LAST has the bytes as the trace told them. */
static bool compare_initial(ProgramState* state, uint64_t t, uint64_t addr,
                            uint32_t size, const DcfgCursorByte* last,
                            DcfgCursorByte* b)
{
   DcfgCursorByte next[DCFG_CURSOR_MOST];
   bool           any = false;

   for (uint32_t i = 0; i < size; i++) {
      bool initial = b[i].is == DCFG_CURSOR_KNOWN
                     && last[i].is != DCFG_CURSOR_KNOWN;
      next[i] = (DcfgCursorByte){ .is = initial ? DCFG_CURSOR_NEVER
                                        : DCFG_CURSOR_UNSEEN };
      any    |= initial;
   }
   if (!any)
      return true;
   if (!dcfg_cursor_loaded(state->cursor, t, addr, size, state->roles.loads,
                           next))
      return false;
   for (uint32_t i = 0; i < size; i++)
      if (next[i].is == DCFG_CURSOR_KNOWN && next[i].value != b[i].value)
         b[i].is = DCFG_CURSOR_UNSEEN;
   return true;
}

/* Read as state_memory() does, at most DCFG_CURSOR_MOST bytes. */
static bool read_part(ProgramState* state, uint64_t t, uint64_t addr,
                      uint32_t size, uint8_t* bytes, bool* known)
{
   DcfgCursorByte b[DCFG_CURSOR_MOST], last[DCFG_CURSOR_MOST];

   if (!dcfg_cursor_memory(state->cursor, t, addr, size, state->roles.loads, b))
      return false;
   memcpy(last, b, size * sizeof(*b));
   take_images(state, t, addr, size, b);
   take_begin(state, addr, size, b);
   if (!compare_initial(state, t, addr, size, last, b))
      return false;
   if (!all_known(b, size)
       && !dcfg_cursor_loaded(state->cursor, t, addr, size, state->roles.loads,
                              b))
      return false;
   for (uint32_t i = 0; i < size; i++) {
      bytes[i] = b[i].value;
      known[i] = b[i].is == DCFG_CURSOR_KNOWN;
   }
   return true;
}

bool state_memory(ProgramState* state, uint64_t t, uint64_t addr, uint32_t size,
                  uint8_t* bytes, bool* known)
{
   for (uint32_t done = 0; done < size; ) {
      uint32_t n = size - done < DCFG_CURSOR_MOST ? size - done
                   : DCFG_CURSOR_MOST;
      if (!read_part(state, t, addr + done, n, bytes + done, known + done))
         return false;
      done += n;
   }
   return true;
}

bool state_memory_number(ProgramState* state, uint64_t t, uint64_t addr,
                         uint32_t size, uint64_t* number)
{
   uint8_t bytes[8] = { 0 };
   bool    known[8];

   *number = 0;
   if (size > 8 || !state_memory(state, t, addr, size, bytes, known)
       || memchr(known, false, size) != NULL)
      return false;
   memcpy(number, bytes, 8);
   return true;
}
