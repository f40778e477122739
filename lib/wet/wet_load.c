/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of a whole execution trace. */

/* Owns: opening the file that has a trace, reading its tables, and freeing them.
   Handed: a path or bytes by wet_open.c.  Cursors read the tape. */

#include "lib/wet/wet_images.h"
#include "lib/wet/wet_state.h"
#include "lib/wet/wet_terms.h"
#include "format/wet_sections.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK         (1u << 16)

static bool wrong(DcfgWet* w, const char* place)
{
   return job_fail(&w->job, DCFG_ERROR_FORMAT, place,
                   "it does not have the form of a whole execution trace");
}

/*--- The file                                             ---*/

bool wet_can_reread(const DcfgWet* w)
{
   struct stat st;

   return w->memory != NULL
          || (strcmp(w->path, "-") != 0 && stat(w->path, &st) == 0
              && S_ISREG(st.st_mode));
}

Input* wet_open_input(const DcfgWet* w, Job* job)
{
   return w->unpacked >= 0 ? input_open_file(job, w->unpacked)
          : w->memory != NULL ? input_open_memory(job, w->memory,
                                                  w->memory_size)
          : input_open(job, w->path);
}

bool wet_unpack(DcfgWet* w)
{
   Input* in;

   if (w->unpacked >= 0 || !w->compressed)
      return true;
   in = wet_open_input(w, &w->job);
   if (in == NULL)
      return false;
   w->unpacked = input_unpack(&w->job, in, w->file_size);
   input_close(in);
   if (w->unpacked < 0)
      return false;
   /* No cursor shall read the compressed file any more. */
   if (w->in != NULL)
      input_close(w->in);
   w->in = NULL;
   return true;
}

bool wet_read(Job* job, Input* in, void* to, size_t n)
{
   uint8_t* at = to;

   while (n > 0) {
      size_t got;
      if (!input_read(in, at, n, &got))
         return false;
      if (got == 0)
         return job_fail(job, DCFG_ERROR_FORMAT, NULL,
                         "the file is cut short");
      at += got;
      n  -= got;
   }
   return true;
}

/*--- Tables                                               ---*/

/* Read ranges of locations to TO, in place of what it has. */
static bool get_ranges(DcfgWet* w, ByteReader* b, Array* to)
{
   uint32_t n = get_up_to(b, N_LOCS), at = 0;

   array_cut(to, 0);
   for (uint32_t i = 0; i < n; i++) {
      LocRange* r = array_add(&w->job, to, sizeof(*r));
      if (r == NULL)
         return false;
      r->first = at + get_up_to(b, N_LOCS - at);
      r->n     = get_up_to(b, N_LOCS - r->first);
      at       = r->first + r->n;
   }
   return true;
}

/* Read an instruction's address and code, and add it to ALL. */
static WetInstr* get_instr(DcfgWet* w, ByteReader* b, Array* all)
{
   const WetInstr* last = all->n == 0 ? NULL
                          : &ELEM(*all, WetInstr, all->n - 1);
   uint64_t  image = last == NULL ? 0 : last->image;
   uint64_t  addr = last == NULL ? 0 : last->addr;
   WetInstr* in = array_add(&w->job, all, sizeof(*in));
   uint64_t  step;
   uint8_t*  code;

   if (in == NULL)
      return NULL;
   step      = get_varint(b);
   image    += step;
   addr      = (step != 0 ? 0 : addr) + get_varint(b);
   in->addr  = addr;
   in->image = (uint32_t)image;
   in->len   = (uint8_t)get_up_to(b, 255);
   in->code  = (uint32_t)w->code.n;
   if (in->len == 0 || (size_t)(b->end - b->at) < in->len
       || image > UINT32_MAX) {
      wrong(w, "instructions");
      return NULL;
   }
   code = array_add_n(&w->job, &w->code, 1, in->len);
   if (code == NULL)
      return NULL;
   memcpy(code, b->at, in->len);
   b->at   += in->len;
   in->kind = (uint8_t)get_up_to(b, 255);
   return in;
}

/* Read an executed instruction, and make its plan P.  USES and DEFS are
   room. */
static bool get_executed(DcfgWet* w, ByteReader* b, Array* uses, Array* defs,
                         Plan* p)
{
   WetInstr* in = get_instr(w, b, &w->instrs);
   Span      accesses;

   if (in == NULL || p == NULL)
      return false;
   in->flags = (uint8_t)get_up_to(b, AccessAll);
   if (!get_ranges(w, b, uses) || !get_ranges(w, b, defs))
      return false;
   accesses.first = (uint32_t)w->accesses.n;
   accesses.n     = get_up_to(b, MAX_ACCESSES);
   for (uint32_t k = 0; k < accesses.n; k++) {
      WetAccess* a = array_add(&w->job, &w->accesses, sizeof(*a));
      if (a == NULL)
         return false;
      a->what = (uint8_t)get_up_to(b, 7);
      a->size = (uint16_t)get_up_to(b, UINT16_MAX);
      a->same = (uint16_t)get_up_to(b, k);
   }
   return wet_make_plan(w, in, uses, defs, accesses, p);
}

static bool get_instrs(DcfgWet* w, ByteReader* b)
{
   uint64_t n = get_varint(b);
   Array    plans = { 0 }, uses = { 0 }, defs = { 0 };
   bool     ok = true;

   for (uint64_t i = 0; ok && i < n && !b->failed; i++)
      ok = get_executed(w, b, &uses, &defs,
                        array_add(&w->job, &plans, sizeof(Plan)));
   array_trim(&w->job, &plans, sizeof(Plan));
   w->plans = plans.data;
   array_free(&w->job, &uses, sizeof(LocRange));
   array_free(&w->job, &defs, sizeof(LocRange));
   if (ok && w->instrs.n > MAX_INSTRS)
      return job_fail(&w->job, DCFG_ERROR_LIMIT, "instructions",
                      "there are too many");
   return ok && (!b->failed || wrong(w, "instructions"));
}

/* Add a segment: the words of SB from the last segment's end to END. */
static bool add_segment(DcfgWet* w, WetSb* sb, uint32_t end)
{
   uint32_t    begin = 0;
   WetSegment* s;

   if (sb->segments.n > 0)
      begin = w->n_columns - ELEM(w->segments, WetSegment,
                                  sb->segments.first).columns;
   if (end <= begin)
      return true;
   s = array_add(&w->job, &w->segments, sizeof(*s));
   if (s == NULL)
      return false;
   *s = (WetSegment){ end - begin, w->n_columns };
   sb->segments.n++;
   w->n_columns += end - begin;
   return true;
}

/* Divide the words of SB into segments, at its exits. */
static bool find_segments(DcfgWet* w, WetSb* sb)
{
   sb->segments = (Span){ (uint32_t)w->segments.n, 0 };
   for (uint32_t i = 0; i < sb->exits.n; i++) {
      WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + i);
      if (!add_segment(w, sb, wet_words_of_terms(w, sb, x->n_terms)))
         return false;
      x->n_segments = (uint16_t)sb->segments.n;
   }
   return add_segment(w, sb, sb->n_words);
}

static bool get_unexecuted(DcfgWet* w, ByteReader* b)
{
   uint64_t n = get_varint(b);

   for (uint64_t i = 0; i < n && !b->failed; i++)
      if (get_instr(w, b, &w->unexecuted) == NULL)
         return false;
   return !b->failed || wrong(w, "unexecuted instructions");
}

static bool get_superblock(DcfgWet* w, ByteReader* b)
{
   WetSb*   sb = array_add(&w->job, &w->sbs, sizeof(*sb));
   uint32_t n;

   if (sb == NULL)
      return false;
   n = get_up_to(b, MAX_SB_INSTRS);
   sb->instrs = (Span){ w->sb_instrs.n, n };
   if (n == 0)
      return true;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t* in = array_add(&w->job, &w->sb_instrs, sizeof(*in));
      if (in == NULL)
         return false;
      *in = get_varint(b);
      if (*in >= w->instrs.n)
         return wrong(w, "superblocks");
   }
   sb->exits = (Span){ w->exits.n, get_up_to(b, 253) };
   for (uint32_t i = 0; i < sb->exits.n; i++) {
      WetExit* x = array_add(&w->job, &w->exits, sizeof(*x));
      if (x == NULL)
         return false;
      x->place   = get_up_to(b, n - 1);
      x->n_slots = get_up_to(b, MAX_ACCESSES);
   }
   sb->slots = (Span){ w->accesses.n, 0 };
   sb->terms = (Span){ w->terms.n, 0 };
   sb->tells = (Span){ w->tells.n, 0 };
   if (!wet_get_terms(w, sb, get_up_to(b, MAX_ACCESSES), b))
      return false;
   sb->slots.n = w->accesses.n - sb->slots.first;
   sb->terms.n = w->terms.n - sb->terms.first;
   sb->tells.n = w->tells.n - sb->tells.first;
   return find_segments(w, sb);
}

static bool get_superblocks(DcfgWet* w, ByteReader* b)
{
   uint64_t n = get_varint(b);

   if (array_add(&w->job, &w->sbs, sizeof(WetSb)) == NULL)
      return false;
   for (uint64_t i = 0; i < n && !b->failed; i++)
      if (!get_superblock(w, b))
         return false;
   return !b->failed || wrong(w, "superblocks");
}

static bool get_threads(DcfgWet* w, ByteReader* b)
{
   while (b->end - b->at >= 8) {
      uint64_t* n = array_add(&w->job, &w->threads, sizeof(*n));
      if (n == NULL)
         return false;
      for (int i = 0; i < 8; i++)
         *n |= (uint64_t)*b->at++ << 8 * i;
   }
   return b->at == b->end || wrong(w, "threads");
}

static bool get_before(DcfgWet* w, ByteReader* b)
{
   uint64_t n = get_varint(b);

   if (n != 0 && n != w->instrs.n)
      bytes_fail(b);
   for (uint64_t i = 0; i < n && !b->failed; i++) {
      uint64_t* ran = array_add(&w->job, &w->ran, sizeof(*ran));
      if (ran == NULL)
         return false;
      *ran = get_varint(b);
   }
   if (!b->failed && b->at < b->end)
      w->ended_early = get_varint(b) == WET_ENDED_EARLY;
   return !b->failed || wrong(w, "what was before");
}

/* Read the contents of a section.  A file may be cut off within it. */
static bool read_section(DcfgWet* w, uint64_t length, Array* to)
{
   while (length > 0) {
      size_t   n    = length < BLOCK ? length : BLOCK;
      uint8_t* more = array_add_n(&w->job, to, 1, n);
      if (more == NULL || !wet_read(&w->job, w->in, more, n))
         return false;
      length -= n;
   }
   return true;
}

static bool read_head(DcfgWet* w)
{
   static const uint8_t magic[WET_MAGIC_SIZE] = WET_MAGIC;
   uint8_t  head[WET_HEAD_SIZE];
   uint32_t machine;

   if (!wet_read(&w->job, w->in, head, sizeof(head)))
      return false;
   if (memcmp(head, magic, sizeof(magic)) != 0)
      return job_fail(&w->job, DCFG_ERROR_FORMAT, NULL,
                      "this is not a whole execution trace");
   w->version = number_at(head + WET_VERSION_AT);
   if (w->version != WET_VERSION)
      return job_fail(&w->job, DCFG_ERROR_FORMAT, NULL,
                      "it is of version %u of the format, and only version %d "
                      "can be read: record it anew", w->version, WET_VERSION);
   machine    = number_at(head + WET_MACHINE_AT);
   w->machine = wet_machine(machine);
   if (w->machine == NULL)
      return job_fail(&w->job, DCFG_ERROR_FORMAT, NULL,
                      "it is of a processor that is not known, ELF's number "
                      "%u", machine);
   return true;
}

static bool get_state(DcfgWet* w, ByteReader* b)
{
   w->state = job_calloc(&w->job, 1, sizeof(WetState));
   return w->state != NULL && wet_get_state(w, w->state, b);
}

/* Return the section that follows S. */
static unsigned next_section(unsigned s)
{
   return s == SectionBefore ? SectionState
          : s == SectionState ? SectionTape : s + 1;
}

static bool read_tables(DcfgWet* w)
{
   w->tape = WET_HEAD_SIZE;
   for (unsigned expected = SectionRun; ;
        expected = next_section(expected)) {
      uint8_t  head[WET_SECTION_HEAD];
      uint64_t length = 0;
      Array    text = { 0 };
      ByteReader b;
      bool     ok;
      if (!wet_read(&w->job, w->in, head, sizeof(head)))
         return false;
      for (int i = 0; i < 8; i++)
         length |= (uint64_t)head[1 + i] << 8 * i;
      if (expected == SectionRun && head[0] == SectionSources)
         expected = SectionSources;
      if (head[0] != expected || (length == 0 && expected != SectionTape))
         return wrong(w, NULL);
      w->tape += WET_SECTION_HEAD;
      if (expected == SectionTape) {
         w->tape_size = length;
         w->file_size = w->tape + length + WET_SECTION_HEAD;
         return w->file_size > length || wrong(w, NULL);
      }
      ok = read_section(w, length, &text);
      w->tape += length;
      b  = (ByteReader){ text.data, (uint8_t*)text.data + text.n, false };
      if (ok && expected == SectionRun)
         ok = wet_get_run(w, &b);
      else if (ok && expected == SectionSources)
         ok = wet_get_sources(w, &b);
      else if (ok && expected == SectionImages)
         ok = wet_get_images(w, &b);
      else if (ok && expected == SectionUnexecuted)
         ok = get_unexecuted(w, &b);
      else if (ok && expected == SectionInstrs)
         ok = get_instrs(w, &b);
      else if (ok && expected == SectionSuperblocks)
         ok = get_superblocks(w, &b);
      else if (ok && expected == SectionThreads)
         ok = get_threads(w, &b);
      else if (ok && expected == SectionBefore)
         ok = get_before(w, &b);
      else if (ok && expected == SectionState)
         ok = get_state(w, &b);
      array_free(&w->job, &text, 1);
      if (!ok)
         return false;
   }
}

/* The arrays, and the sizes of their elements. */
static const struct {
   size_t at, size;
} tables[] = {
   { offsetof(DcfgWet, instrs), sizeof(WetInstr) },
   { offsetof(DcfgWet, unexecuted), sizeof(WetInstr) },
   { offsetof(DcfgWet, sbs), sizeof(WetSb) },
   { offsetof(DcfgWet, code), 1 },
   { offsetof(DcfgWet, accesses), sizeof(WetAccess) },
   { offsetof(DcfgWet, terms), sizeof(WetTerm) },
   { offsetof(DcfgWet, tells), sizeof(WetSet) },
   { offsetof(DcfgWet, sets), sizeof(WetSet) },
   { offsetof(DcfgWet, way_terms), sizeof(WayTerms) },
   { offsetof(DcfgWet, sb_instrs), sizeof(uint32_t) },
   { offsetof(DcfgWet, exits), sizeof(WetExit) },
   { offsetof(DcfgWet, segments), sizeof(WetSegment) },
   { offsetof(DcfgWet, threads), sizeof(uint64_t) },
   { offsetof(DcfgWet, ran), sizeof(uint64_t) },
   { offsetof(DcfgWet, uses), sizeof(Use) },
   { offsetof(DcfgWet, defs), sizeof(Def) },
   { offsetof(DcfgWet, stores), sizeof(StoreSlot) }
};

#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

static Array* table_of(const DcfgWet* w, size_t i)
{
   return (Array*)((uintptr_t)w + tables[i].at);
}

static void trim_tables(DcfgWet* w)
{
   for (size_t i = 0; i < N_TABLES; i++)
      array_trim(&w->job, table_of(w, i), tables[i].size);
}

void wet_free_tables(DcfgWet* w)
{
   wet_free_images(w);
   wet_free_state(w);
   for (size_t i = 0; i < N_TABLES; i++)
      array_free(&w->job, table_of(w, i), tables[i].size);
   free(w->plans);
   free(w->places);
   free(w->ways);
   free(w->instances);
   free(w->told.accesses);
}

/* Return the most accesses of an instruction. */
static uint32_t most_accesses(const DcfgWet* w)
{
   uint32_t most = 0;

   for (size_t i = 0; i < w->instrs.n; i++)
      if (w->plans[i].n_accesses > most)
         most = w->plans[i].n_accesses;
   return most;
}

/* Make the tables that the file does not have: room for answers, and numbers of
   first instances, all 0. */
static bool make_room(DcfgWet* w)
{
   w->instances     = job_calloc(&w->job, w->instrs.n + 1, sizeof(uint64_t));
   w->told.accesses = job_calloc(&w->job, most_accesses(w) + (size_t)1,
                                 sizeof(DcfgWetAccess));
   return w->instances != NULL && w->told.accesses != NULL;
}

bool wet_load(DcfgWet* w)
{
   if (!read_head(w) || !read_tables(w) || !wet_make_places(w)
       || !make_room(w))
      return false;
   trim_tables(w);
   return true;
}
