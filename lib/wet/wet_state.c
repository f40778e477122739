/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the state of the process at the begin of the tape, its end, and how
   registers and mappings are coded, also in marks.  Handed: a section by
   wet_load.c, bytes of marks by wet_events.c. */

#include "lib/wet/wet_images.h"
#include "lib/wet/wet_state.h"
#include "format/wet_process.h"

#include <stdlib.h>
#include <string.h>

#define AUX_ENTRY 9             // AT_ENTRY: the program's first instruction

/*--- Registers                                            ---*/

/* The groups of registers that have locations. */
static const struct {
   DcfgWetRegisterKind kind;
   uint32_t first, end;
} groups[] = {
   { DCFG_WET_REG_GENERAL, LocGeneral, LocCarry },
   { DCFG_WET_REG_VECTOR, LocVector, LocX87 },
   { DCFG_WET_REG_X87, LocX87, LocStack }
};

#define N_GROUPS (sizeof(groups) / sizeof(groups[0]))

/* Return how many locations a register of GROUP has. */
static uint32_t room_of(const DcfgWet* w, size_t group)
{
   return groups[group].kind == DCFG_WET_REG_VECTOR
          ? 8u * w->machine->vector_size : 8;
}

/* Set the kind and the number of R, whose size is set, to those of the register
   with NUMBER in the file.  Return false if there is no such register. */
static bool find_register(const DcfgWet* w, uint64_t number,
                          DcfgWetRegister* r)
{
   for (size_t i = 0; i < N_GROUPS; i++) {
      uint32_t room = room_of(w, i);
      if (number < groups[i].first || number >= groups[i].end)
         continue;
      r->kind = groups[i].kind;
      r->reg  = (uint32_t)(number - groups[i].first) / room;
      return (number - groups[i].first) % room == 0 && r->size <= room;
   }
   if (number < RegisterFirst || number >= RegisterEnd || r->size > 8)
      return false;
   if (number >= RegisterSegment) {
      r->kind = DCFG_WET_REG_SEGMENT;
      r->reg  = (uint32_t)(number - RegisterSegment);
   } else {
      r->kind = (DcfgWetRegisterKind)(number - RegisterFirst
                                      + DCFG_WET_REG_IP);
   }
   return true;
}

bool wet_get_registers(Job* job, const DcfgWet* w, ByteReader* b, Array* to)
{
   while (b->at < b->end && !b->failed) {
      DcfgWetRegister* r = array_add(job, to, sizeof(*r));
      uint64_t         number;
      if (r == NULL)
         return false;
      number   = get_varint(b);
      r->size  = get_up_to(b, WET_MAX_REGISTER);
      r->bytes = b->at;
      if (b->failed || r->size == 0 || r->size > (size_t)(b->end - b->at)
          || !find_register(w, number, r))
         bytes_fail(b);
      else
         bytes_skip(b, r->size);
   }
   return true;
}

/*--- Mappings                                             ---*/

bool wet_get_mapping(Job* job, ByteReader* b, DcfgWetMapping* m, Array* name)
{
   uint32_t how = get_up_to(b, MappedAll);
   size_t   n;
   char*    to;

   m->there      = (how & MappedThere) != 0;
   m->readable   = (how & MappedRead) != 0;
   m->writable   = (how & MappedWrite) != 0;
   m->executable = (how & MappedExecute) != 0;
   m->shared     = (how & MappedShared) != 0;
   m->from_file  = (how & MappedFile) != 0;
   m->is_new     = (how & MappedNew) != 0;
   m->room_below = how & MappedStack ? get_varint(b) : 0;
   m->offset     = m->from_file ? get_varint(b) : 0;
   m->file       = NULL;
   if (m->size == 0 || m->size - 1 > UINT64_MAX - m->addr
       || m->room_below > m->addr || (!m->there && how != 0))
      bytes_fail(b);
   n = b->failed ? 0 : (size_t)(b->end - b->at);
   if (n > 0 && (!m->from_file || memchr(b->at, 0, n) != NULL))
      bytes_fail(b);
   if (b->failed || !m->from_file)
      return true;
   if (n > 0 || name->n == 0) {
      array_cut(name, 0);
      to = array_add_n(job, name, 1, n + 1);
      if (to == NULL)
         return false;
      memcpy(to, b->at, n);
      to[n] = 0;
      bytes_skip(b, n);
   }
   m->file = name->data;
   return true;
}

/* Split the next N bytes off B, to TO.  Return false if they are not there. */
static bool split(ByteReader* b, uint64_t n, ByteReader* to)
{
   if (b->failed || n > (uint64_t)(b->end - b->at)) {
      bytes_fail(b);
      return false;
   }
   *to = (ByteReader){ b->at, b->at + n, false };
   bytes_skip(b, n);
   return true;
}

static bool get_mappings(DcfgWet* w, WetState* s, ByteReader* b)
{
   Array       name = { 0 };
   const char* last = NULL;
   uint64_t    at = 0;
   bool        ok = true;

   for (uint64_t n = get_varint(b); ok && n > 0 && !b->failed; n--) {
      DcfgWetMapping* m = array_add(&w->job, &s->mappings, sizeof(*m));
      ByteReader      how;
      ok = m != NULL;
      if (!ok)
         break;
      m->addr = at + get_varint(b);
      m->size = get_varint(b);
      if (!split(b, get_varint(b), &how))
         break;
      ok = wet_get_mapping(&w->job, &how, m, &name);
      b->failed |= how.failed || m->addr < at || !m->there;
      at = m->addr + m->size;
      if (!ok || b->failed || m->file == NULL)
         continue;
      if (last == NULL || strcmp(last, m->file) != 0)
         last = arena_string(&w->job, &s->names, m->file, name.n - 1);
      m->file = last;
      ok = last != NULL;
   }
   array_free(&w->job, &name, 1);
   return ok;
}

/*--- The section                                          ---*/

static bool get_aux(DcfgWet* w, WetState* s, ByteReader* b)
{
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      DcfgWetAux* a = array_add(&w->job, &s->aux, sizeof(*a));
      if (a == NULL)
         return false;
      a->type  = get_varint(b);
      a->value = get_varint(b);
   }
   return true;
}

static bool get_threads(DcfgWet* w, WetState* s, ByteReader* b)
{
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      DcfgWetThread* t = array_add(&w->job, &s->threads, sizeof(*t));
      size_t         before = s->registers.n;
      ByteReader     pieces;
      if (t == NULL)
         return false;
      t->thread = get_up_to(b, UINT32_MAX);
      t->tid    = get_varint(b);
      if (t->thread >= w->threads.n || !split(b, get_varint(b), &pieces)) {
         bytes_fail(b);
         break;
      }
      if (!wet_get_registers(&w->job, w, &pieces, &s->registers))
         return false;
      t->n_registers = (uint32_t)(s->registers.n - before);
      b->failed |= pieces.failed;
   }
   return true;
}

static bool get_contents(DcfgWet* w, WetState* s, ByteReader* b)
{
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      DcfgWetContents* c = array_add(&w->job, &s->contents, sizeof(*c));
      ByteReader       bytes;
      if (c == NULL)
         return false;
      c->addr = get_varint(b);
      c->size = get_varint(b);
      if (c->size > UINT64_MAX - c->addr || !split(b, c->size, &bytes))
         bytes_fail(b);
      else
         c->bytes = bytes.at;
   }
   return true;
}

/* Point .told to the arrays, which are complete. */
static void tell_arrays(WetState* s)
{
   DcfgWetState* t = &s->told;
   uint32_t      at = 0;

   for (uint32_t i = 0; i < s->threads.n; i++) {
      DcfgWetThread* thread = &ELEM(s->threads, DcfgWetThread, i);
      thread->registers = &ELEM(s->registers, DcfgWetRegister, at);
      at += thread->n_registers;
   }
   t->aux        = s->aux.data;
   t->n_aux      = (uint32_t)s->aux.n;
   t->mappings   = s->mappings.data;
   t->n_mappings = (uint32_t)s->mappings.n;
   t->threads    = s->threads.data;
   t->n_threads  = (uint32_t)s->threads.n;
   t->contents   = s->contents.data;
   t->n_contents = (uint32_t)s->contents.n;
}

/* Return the image that has the program's first instruction, or DCFG_NONE. */
static uint32_t program_of(const DcfgWet* w, const WetState* s)
{
   for (uint32_t i = 0; i < s->aux.n; i++)
      if (ELEM(s->aux, DcfgWetAux, i).type == AUX_ENTRY)
         return wet_image_at(w, ELEM(s->aux, DcfgWetAux, i).value);
   return DCFG_NONE;
}

/* Copy the section B, which the caller frees: *B becomes the copy. */
static bool keep_section(DcfgWet* w, WetState* s, ByteReader* b)
{
   size_t   n = (size_t)(b->end - b->at);
   uint8_t* bytes = array_add_n(&w->job, &s->bytes, 1, n);

   if (bytes == NULL)
      return false;
   memcpy(bytes, b->at, n);
   *b = (ByteReader){ bytes, bytes + n, false };
   return true;
}

bool wet_get_state(DcfgWet* w, WetState* s, ByteReader* b)
{
   if (!keep_section(w, s, b))
      return false;
   s->told.end     = (DcfgWetEnd)get_up_to(b, N_RUN_ENDS - 1);
   s->told.status  = get_up_to(b, UINT32_MAX);
   s->told.program = DCFG_NONE;
   s->told.known   = b->at < b->end;
   if (s->told.known) {
      s->told.at_start  = get_up_to(b, 1) != 0;
      s->told.pid       = get_varint(b);
      s->told.load_bias = get_varint(b);
      if (!get_aux(w, s, b) || !get_mappings(w, s, b)
          || !get_threads(w, s, b) || !get_contents(w, s, b))
         return false;
      s->told.program = program_of(w, s);
   }
   tell_arrays(s);
   return (!b->failed && b->at == b->end)
          || job_fail(&w->job, DCFG_ERROR_FORMAT, "the process's state",
                      "it does not have the form of a whole execution trace");
}

bool wet_get_run(DcfgWet* w, ByteReader* b)
{
   DcfgRun*     r = &w->run;
   const char** texts[] = { &r->command_line, &r->working_dir,
                            &r->start, &r->tool_version, &r->processor };

   r->deterministic = r->conditions = "";     // the graph alone has them
   r->process = get_varint(b);
   r->parent  = get_varint(b);
   for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
      uint64_t n = get_varint(b);
      if (b->failed || n > (uint64_t)(b->end - b->at))
         return job_fail(&w->job, DCFG_ERROR_FORMAT, "the run",
                         "it does not have the form of a whole execution "
                         "trace");
      *texts[i] = arena_string(&w->job, &w->run_texts, (const char*)b->at, n);
      if (*texts[i] == NULL)
         return false;
      bytes_skip(b, n);
   }
   return true;
}

void wet_free_state(DcfgWet* w)
{
   WetState* s = w->state;

   arena_free(&w->job, &w->run_texts);
   if (s == NULL)
      return;
   array_free(&w->job, &s->aux, sizeof(DcfgWetAux));
   array_free(&w->job, &s->mappings, sizeof(DcfgWetMapping));
   array_free(&w->job, &s->threads, sizeof(DcfgWetThread));
   array_free(&w->job, &s->registers, sizeof(DcfgWetRegister));
   array_free(&w->job, &s->contents, sizeof(DcfgWetContents));
   array_free(&w->job, &s->bytes, 1);
   arena_free(&w->job, &s->names);
   free(s);
}

uint32_t dcfg_wet_version(const DcfgWet* w)
{
   return w->version;
}

const DcfgRun* dcfg_wet_run(const DcfgWet* w)
{
   return w->run.start == NULL ? NULL : &w->run;
}

const DcfgWetState* dcfg_wet_state(const DcfgWet* w)
{
   return &w->state->told;
}
