/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the head of an index, its sections, and the checksum of each block;
   opening an index, and its answers.  Handed: bytes by index_make.c.

   The file is not mapped: the reader would get SIGBUS if somebody shortened the
   file meanwhile.  Blocks are read into anonymous memory, to which the kernel
   gives pages when they are first touched. */

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE                 // MAP_ANONYMOUS
#endif

#include "lib/index/wet_index.h"
#include "lib/base/sort.h"
#include "format/numbers.h"
#include "format/wet_sections.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/*--- The file: its head                                   ---*/

#define FILE_VERSION 9

static const uint8_t magic[8] = "\x89" "DCFGIDX";

/* Words of the head, which is the first block. */
enum {
   HEAD_VERSION = 1, HEAD_SIZE, HEAD_ID, HEAD_SUM_OF_SUMS = HEAD_ID + 4,
   HEAD_BEGINS, HEAD_SIZES = HEAD_BEGINS + INDEX_SECTIONS,
   HEAD_WORDS = HEAD_SIZES + INDEX_SECTIONS     // then their checksum
};

static uint32_t sum_of(const void* data, size_t size)
{
   return (uint32_t)crc32(crc32(0, NULL, 0), data, (uInt)size);
}

/*--- The file: writing                                    ---*/

static bool write_at(IndexWriter* x, const void* data, size_t size,
                     uint64_t offset)
{
   const uint8_t* from = data;

   while (size > 0) {
      ssize_t n = pwrite(x->fd, from, size, (off_t)offset);
      if (n <= 0)
         return job_fail(x->job, DCFG_ERROR_FILE, "index",
                         "it cannot be written: %m");
      from   += n;
      size   -= (size_t)n;
      offset += (size_t)n;
   }
   return true;
}

/* End the present block, of SIZE bytes. */
static bool end_block(IndexWriter* x, size_t size)
{
   uint32_t* sum = array_add(x->job, &x->sums, sizeof(*sum));

   if (sum == NULL)
      return false;
   *sum = sum_of(x->block, size);
   return write_at(x, x->block, size, x->offset - size);
}

void index_write_start(IndexWriter* x, Job* job, int fd)
{
   *x = (IndexWriter){ .job = job, .fd = fd, .offset = INDEX_BLOCK };
}

bool index_write(IndexWriter* x, const void* data, size_t size)
{
   const uint8_t* from = data;

   while (size > 0) {
      size_t at = x->offset % INDEX_BLOCK;
      size_t n  = INDEX_BLOCK - at < size ? INDEX_BLOCK - at : size;
      memcpy(x->block + at, from, n);
      from      += n;
      size      -= n;
      x->offset += n;
      if (x->offset % INDEX_BLOCK == 0 && !end_block(x, INDEX_BLOCK))
         return false;
   }
   return true;
}

static bool end_section(IndexWriter* x)
{
   static const uint8_t zeros[8] = { 0 };

   for (unsigned i = 0; i < INDEX_SECTIONS; i++)
      if (x->begins[i] != 0 && x->sizes[i] == UINT64_MAX)
         x->sizes[i] = x->offset - x->begins[i];
   return x->offset % 8 == 0 || index_write(x, zeros, 8 - x->offset % 8);
}

bool index_write_section(IndexWriter* x, IndexSection section)
{
   if (!end_section(x))
      return false;
   x->begins[section] = x->offset;
   x->sizes[section]  = UINT64_MAX;
   return true;
}

bool index_write_end(IndexWriter* x, const IndexIdentity* id)
{
   uint8_t  head[INDEX_BLOCK] = { 0 };
   size_t   rest, n;
   uint64_t words[HEAD_WORDS] = {
      [HEAD_VERSION] = FILE_VERSION, [HEAD_ID] = id->size,
      [HEAD_ID + 1] = id->seconds, [HEAD_ID + 2] = id->nanoseconds,
      [HEAD_ID + 3] = id->hash
   };

   if (!end_section(x))
      return false;
   rest = x->offset % INDEX_BLOCK;
   if (rest != 0 && !end_block(x, rest))
      return false;
   n = x->sums.n * sizeof(uint32_t);
   words[HEAD_SIZE] = x->offset + n;
   words[HEAD_SUM_OF_SUMS] = sum_of(x->sums.data, n);
   memcpy(&words[HEAD_BEGINS], x->begins, sizeof(x->begins));
   memcpy(&words[HEAD_SIZES], x->sizes, sizeof(x->sizes));
   for (unsigned i = 1; i < HEAD_WORDS; i++)
      put_word(head + 8 * i, words[i]);
   memcpy(head, magic, sizeof(magic));
   put_word(head + 8 * HEAD_WORDS, sum_of(head, 8 * HEAD_WORDS));
   return write_at(x, x->sums.data, n, x->offset)
          && write_at(x, head, sizeof(head), 0);
}

void index_write_free(IndexWriter* x)
{
   array_free(x->job, &x->sums, sizeof(uint32_t));
}

/*--- The file: reading                                    ---*/

static bool read_at(int fd, void* to, uint64_t size, uint64_t offset)
{
   uint8_t* at = to;

   while (size > 0) {
      ssize_t n = pread(fd, at, size, (off_t)offset);
      if (n <= 0)
         return false;
      at     += n;
      size   -= (uint64_t)n;
      offset += (uint64_t)n;
   }
   return true;
}

/* Return whether the sections lie one behind the other, behind the head and
   before END. */
static bool has_order(const IndexFile* f, uint64_t end)
{
   for (unsigned i = 0; i < INDEX_SECTIONS; i++)
      if (f->begins[i] < INDEX_BLOCK || f->begins[i] % 8 != 0
          || f->begins[i] > end || f->sizes[i] > end - f->begins[i])
         return false;
   return true;
}

static const char* read_head(IndexFile* f)
{
   uint8_t     head[INDEX_BLOCK];
   struct stat st;
   uint64_t    words[HEAD_WORDS + 1], end;

   if (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode)
       || !read_at(f->fd, head, sizeof(head), 0)
       || memcmp(head, magic, sizeof(magic)) != 0)
      return "it is no index";
   for (unsigned i = 0; i <= HEAD_WORDS; i++)
      words[i] = get_word(head + 8 * i);
   if (words[HEAD_VERSION] != FILE_VERSION)
      return "it is of another version";
   if (words[HEAD_WORDS] != sum_of(head, 8 * HEAD_WORDS))
      return "it is damaged";
   for (unsigned i = 8 * (HEAD_WORDS + 1); i < INDEX_BLOCK; i++)
      if (head[i] != 0)
         return "it is damaged";
   f->size = words[HEAD_SIZE];
   if (f->size != (uint64_t)st.st_size)
      return "it is cut";
   f->id = (IndexIdentity){ words[HEAD_ID], words[HEAD_ID + 1],
                            words[HEAD_ID + 2], words[HEAD_ID + 3] };
   memcpy(f->begins, &words[HEAD_BEGINS], sizeof(f->begins));
   memcpy(f->sizes, &words[HEAD_SIZES], sizeof(f->sizes));
   /* Checksums stand behind all blocks. */
   f->n_blocks = (f->size - INDEX_BLOCK) / (INDEX_BLOCK + sizeof(uint32_t));
   f->n_blocks += (f->size - INDEX_BLOCK) % (INDEX_BLOCK + sizeof(uint32_t))
                  != 0;
   end = f->size - f->n_blocks * sizeof(uint32_t);
   if (f->size < INDEX_BLOCK || end < INDEX_BLOCK || !has_order(f, end))
      return "it is damaged";
   f->sums  = calloc(f->n_blocks + 1, sizeof(*f->sums));
   f->known = calloc(f->n_blocks + 1, 1);
   if (f->sums == NULL || f->known == NULL)
      return "there is no memory for it";
   if (!read_at(f->fd, f->sums, f->n_blocks * sizeof(uint32_t), end)
       || sum_of(f->sums, f->n_blocks * sizeof(uint32_t))
          != words[HEAD_SUM_OF_SUMS])
      return "it is damaged";
   f->data = mmap(NULL, end, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (f->data == MAP_FAILED) {
      f->data = NULL;
      return "there is no memory for it";
   }
   f->size = end;
   return NULL;
}

bool index_file_open(IndexFile* f, int fd, const char** why)
{
   *f   = (IndexFile){ .fd = fd };
   *why = read_head(f);
   if (*why != NULL)
      index_file_close(f);
   return *why == NULL;
}

void index_file_close(IndexFile* f)
{
   if (f->data != NULL)
      munmap(f->data, f->size);
   free(f->sums);
   free(f->known);
   if (f->fd >= 0)
      close(f->fd);
   *f = (IndexFile){ .fd = -1 };
}

/* Read blocks FIRST to LAST, and check them.  The head's block has no checksum
   here. */
static bool read_blocks(IndexFile* f, uint64_t first, uint64_t last)
{
   uint64_t from = (first + 1) * INDEX_BLOCK;
   uint64_t end  = (last + 2) * INDEX_BLOCK;

   end = end < f->size ? end : f->size;
   if (!read_at(f->fd, f->data + from, end - from, from))
      return false;
   for (uint64_t i = first; i <= last; i++) {
      uint64_t at = (i + 1) * INDEX_BLOCK;
      size_t   n  = f->size - at < INDEX_BLOCK ? f->size - at : INDEX_BLOCK;
      if (sum_of(f->data + at, n) != f->sums[i])
         return false;
      f->known[i] = 1;
   }
   return true;
}

const uint8_t* index_bytes(IndexFile* f, IndexSection section, uint64_t at,
                           uint64_t size)
{
   uint64_t from = f->begins[section] + at, first, last;

   if (f->bad || at > f->sizes[section] || size > f->sizes[section] - at) {
      f->bad = true;
      return NULL;
   }
   if (size == 0)
      return (const uint8_t*)"";
   first = from / INDEX_BLOCK - 1;
   last  = (from + size - 1) / INDEX_BLOCK - 1;
   while (first <= last && f->known[first])
      first++;
   while (last > first && f->known[last])
      last--;
   if (first <= last && !f->known[first] && !read_blocks(f, first, last)) {
      f->bad = true;
      return NULL;
   }
   return f->data + from;
}

const void* index_elements(IndexFile* f, IndexSection section, size_t size,
                           size_t* n)
{
   *n = f->sizes[section] / size;
   if (f->sizes[section] % size != 0)
      f->bad = true;
   return index_bytes(f, section, 0, f->sizes[section]);
}

/*--- Of which trace                                       ---*/

/* Size of an index, in bytes, up to which it is checked as a whole when it
   is opened. */
#define SMALL (4u << 20)

/* Add the first SIZE bytes of FD to HASH. */
static bool hash_file(int fd, uint64_t size, HashKey* hash)
{
   uint64_t            offset = 0;
   static const size_t room = 1 << 20;
   uint8_t*            data = malloc(room);
   bool                ok = data != NULL;

   while (ok && size > 0) {
      size_t  n = size < room ? (size_t)size : room;
      ssize_t got = pread(fd, data, n, (off_t)offset);
      ok = got == (ssize_t)n;
      if (ok)
         hash->k[0] = hash_bytes(hash, data, n);
      offset += n;
      size   -= n;
   }
   free(data);
   return ok;
}

bool index_identify(const DcfgWet* w, const IndexChunk* chunks, size_t n,
                    IndexIdentity* id)
{
   bool        file = index_may_be_file(w);
   int         fd = file ? open(w->path, O_RDONLY | O_CLOEXEC) : -1;
   struct stat st;
   HashKey     hash = { { 0, 0 } };
   bool        ok = fd >= 0 && fstat(fd, &st) == 0
                    && hash_file(fd, w->tape, &hash);

   for (size_t i = 0; ok && i < n; i++) {
      uint8_t head[WET_CHUNK_HEAD];
      ok = pread(fd, head, sizeof(head), (off_t)chunks[i].offset)
           == (ssize_t)sizeof(head);
      if (ok)
         hash.k[0] = hash_bytes(&hash, head, sizeof(head));
   }
   if (ok)
      *id = (IndexIdentity){ (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
                             (uint64_t)st.st_mtim.tv_nsec, hash.k[0] };
   else
      *id = (IndexIdentity){ 0 };
   if (fd >= 0)
      close(fd);
   return ok || !file;
}

bool index_may_be_file(const DcfgWet* w)
{
   return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && w->memory == NULL
          && w->unpacked < 0 && wet_can_reread(w) && !w->compressed;
}

static const char other_trace[]
   = "it is of another trace, or of one that has changed";

/* Compare the trace's size and time with those of IX.  An index of another trace
   has contents that are none for this one. */
static const char* compare_file(const WetIndex* ix)
{
   struct stat st;

   if (stat(ix->w->path, &st) != 0)
      return "the trace cannot be read";
   return (uint64_t)st.st_size == ix->file.id.size
          && (uint64_t)st.st_mtim.tv_sec == ix->file.id.seconds
          && (uint64_t)st.st_mtim.tv_nsec == ix->file.id.nanoseconds
          ? NULL : other_trace;
}

static const char* compare_contents(const WetIndex* ix)
{
   IndexIdentity id;

   return index_identify(ix->w, ix->chunks, ix->n_chunks, &id)
          && id.hash == ix->file.id.hash ? NULL : other_trace;
}

/*--- Checks                                               ---*/

static bool check_chunks(WetIndex* ix)
{
   uint64_t ran = 0, lines = 0;
   uint32_t handlers = 0;

   for (size_t i = 0; i < ix->n_chunks; i++) {
      const IndexChunk* c = &ix->chunks[i];
      if (c->before != ran || c->offset < ix->w->tape
          || c->n_instrs > UINT64_MAX - ran || c->lines != lines
          || c->head.coarse > MOST_COARSE || c->head.size % 8 != 0 || c->n_handlers < handlers
          || c->thread >= ix->w->threads.n
          || c->head.n_groups > c->head.size / sizeof(LineGroup)
          || c->words.size % 8 != 0 || c->unseen % 8 != 0 || c->writers % 8 != 0
          || c->words.n_blocks > c->words.size / sizeof(WordBlock))
         return false;
      ran     += c->n_instrs;
      lines   += (uint64_t)c->head.size + c->writers + c->words.size
                 + c->unseen;
      ix->any_unseen |= c->unseen > 0;
      handlers = c->n_handlers;
   }
   ix->n_instrs = ran;
   return lines == ix->file.sizes[INDEX_LINES] && handlers <= ix->n_returned;
}

static bool check_turns(const WetIndex* ix)
{
   uint32_t thread = 0, n = (uint32_t)ix->w->threads.n;

   if (ix->threads[0].turns != 0 || ix->threads[n].turns != ix->n_turns)
      return false;
   for (uint32_t t = 0; t < n; t++)
      if (ix->threads[t].turns > ix->threads[t + 1].turns)
         return false;
   for (size_t i = 0; i < ix->n_turns; i++) {
      const IndexTurn* t = &ix->turns[i];
      while (ix->threads[thread + 1].turns <= i)
         thread++;
      if (t->chunk >= ix->n_chunks || t->act == 0 || t->act > ix->n_acts
          || t->low > ix->n_acts || t->top > 7
          || t->writers > ix->chunks[t->chunk].writers
          || t->n_writers > ix->chunks[t->chunk].writers - t->writers
          || (i > ix->threads[thread].turns && t[-1].chunk >= t->chunk))
         return false;
   }
   return true;
}

static bool check_interrupted(const WetIndex* ix, size_t n)
{
   for (size_t i = 0; i < ix->n_turns; i++)
      if (ix->turns[i].interrupted > n
          || ix->turns[i].n_interrupted > n - ix->turns[i].interrupted)
         return false;
   for (size_t i = 0; i < n; i++)
      if (ix->interrupted[i].number >= ix->n_returned
          || ix->interrupted[i].top > 7)
         return false;
   return true;
}

static bool check_graph(const WetIndex* ix)
{
   uint64_t before = 0, n = ix->w->instrs.n + ix->w->unexecuted.n + 1;

   for (size_t i = 0; i < ix->n_arcs; before = ix->arcs[i++])
      if (ix->arcs[i] <= before || ix->arcs[i] >> 32 == 0
          || ix->arcs[i] >> 32 > n || (uint32_t)ix->arcs[i] == 0
          || (uint32_t)ix->arcs[i] > n)
         return false;
   return true;
}

/* Check the stacks: those that were left stand by chunk and address. */
static bool check_stacks(WetIndex* ix)
{
   for (size_t i = 0; i < ix->n_stacks; i++) {
      const IndexStack* s = &ix->stacks[i];
      if (s->chunk > ix->n_chunks || s->act > ix->n_acts
          || s->thread >= ix->w->threads.n || s->low > s->top
          || (i > 0 && s[-1].chunk > s->chunk)
          || (i > 0 && s->act != 0 && s[-1].act != 0
              && s[-1].chunk == s->chunk && s[-1].low > s->low))
         return false;
      ix->any_left |= s->act != 0;
   }
   return true;
}

static bool check_rest(const WetIndex* ix)
{
   for (size_t i = 0; i < ix->n_acts; i++)
      if (ix->acts[i].up > i || ix->acts[i].born > ix->n_chunks
          || ix->acts[i].thread >= ix->w->threads.n
          || (ix->acts[i].call != DCFG_NONE
              && ix->acts[i].call >= ix->w->instrs.n))
         return false;
   for (size_t i = 0; i < ix->n_created; i++)
      if (ix->created[i].chunk >= ix->n_chunks
          || ix->created[i].thread >= ix->w->threads.n)
         return false;
   for (size_t k = 0; k < ix->w->sb_instrs.n; k++)
      if (ix->places[k] > ix->places[k + 1])
         return false;
   return ix->places[ix->w->sb_instrs.n] == ix->file.sizes[INDEX_RUNS];
}

static bool load(WetIndex* ix)
{
   IndexFile* f = &ix->file;
   size_t     n_threads, n_places, n_bits, n_interrupted, bits;

   ix->chunks  = index_elements(f, INDEX_CHUNKS, sizeof(IndexChunk),
                                &ix->n_chunks);
   ix->turns   = index_elements(f, INDEX_TURNS, sizeof(IndexTurn),
                                &ix->n_turns);
   ix->threads = index_elements(f, INDEX_THREADS, sizeof(IndexThread),
                                &n_threads);
   ix->acts    = index_elements(f, INDEX_ACTS, sizeof(IndexAct), &ix->n_acts);
   ix->stacks  = index_elements(f, INDEX_STACKS, sizeof(IndexStack),
                                &ix->n_stacks);
   ix->interrupted = index_elements(f, INDEX_INTERRUPTED,
                                    sizeof(IndexInterrupted), &n_interrupted);
   ix->returned = index_elements(f, INDEX_RETURNED, 1, &ix->n_returned);
   ix->created = index_elements(f, INDEX_CREATED, sizeof(IndexCreated),
                                &ix->n_created);
   ix->spans   = index_elements(f, INDEX_SPANS, sizeof(IndexSpan),
                                &ix->n_spans);
   ix->places  = index_elements(f, INDEX_PLACES, sizeof(uint32_t), &n_places);
   ix->arcs    = index_elements(f, INDEX_ARCS, sizeof(uint64_t), &ix->n_arcs);
   ix->outside = index_elements(f, INDEX_OUTSIDE, 1, &n_bits);
   ix->callbacks = index_elements(f, INDEX_CALLBACKS, 1, &bits);
   return !f->bad && ix->n_chunks < UINT32_MAX && ix->n_acts < UINT32_MAX
          && n_threads == ix->w->threads.n + 1
          && n_places == ix->w->sb_instrs.n + 1
          && n_bits == (ix->w->instrs.n + 7) / 8 && bits == n_bits
          && check_chunks(ix) && check_turns(ix)
          && check_interrupted(ix, n_interrupted) && check_graph(ix)
          && check_rest(ix) && check_stacks(ix);
}

static bool check_all(WetIndex* ix)
{
   for (unsigned i = 0; i < INDEX_SECTIONS && ix->file.size <= SMALL; i++)
      if (index_bytes(&ix->file, (IndexSection)i, 0, ix->file.sizes[i])
          == NULL)
         return false;
   return true;
}

WetIndex* index_open(const DcfgWet* w, int fd, bool own, const char** why)
{
   WetIndex* ix = calloc(1, sizeof(*ix));

   if (ix == NULL) {
      *why = "there is no memory for it";
      close(fd);
      return NULL;
   }
   ix->w   = w;
   ix->own = own;
   if (!index_file_open(&ix->file, fd, why)) {
      free(ix);
      return NULL;
   }
   *why = own ? NULL : compare_file(ix);
   if (*why == NULL && (!check_all(ix) || !load(ix)))
      *why = "it is damaged";
   else if (*why == NULL && !own)
      *why = compare_contents(ix);
   if (*why == NULL)
      return ix;
   index_close(ix);
   return NULL;
}

void index_close(WetIndex* ix)
{
   while (ix != NULL) {
      WetIndex* older = ix->older;
      index_file_close(&ix->file);
      words_cache_free(ix->words);
      for (unsigned i = 0; i < N_KEPT_UNSEEN; i++)
         free(ix->unseen[i].writes);
      free(ix->bits);
      free(ix->saved);
      free(ix->saved_ends);
      free(ix->execution.instrs);
      free(ix);
      ix = older;
   }
}

/*--- Functions that call back                             ---*/

void index_set_bits(uint8_t* to, const bool* is, size_t n)
{
   for (size_t i = 0; i < n; i++)
      to[i / 8] |= (uint8_t)(is[i] << i % 8);
}

bool index_is_outside(const WetIndex* ix, const bool* outside)
{
   for (size_t i = 0; i < ix->w->instrs.n; i++)
      if (outside[i] != (ix->outside[i / 8] >> i % 8 & 1))
         return false;
   return true;
}

bool index_take_callbacks(WetIndex* ix, const bool* outside, const bool* calls)
{
   size_t   n = ix->w->instrs.n, size = (n + 7) / 8;
   uint8_t* bits = calloc(2, size + 1);

   if (bits == NULL)
      return false;
   index_set_bits(bits, outside, n);
   index_set_bits(bits + size, calls, n);
   free(ix->bits);
   ix->bits      = bits;
   ix->outside   = bits;
   ix->callbacks = bits + size;
   return true;
}

/*--- Questions                                            ---*/

static bool is_in_span(const WetIndex* ix, uint32_t chunk, uint64_t word)
{
   size_t low = 0;

   BISECT(low, ix->n_spans, middle, ix->spans[middle].chunk < chunk);
   for (; low < ix->n_spans && ix->spans[low].chunk == chunk; low++)
      if (ix->spans[low].low <= word && word <= ix->spans[low].last)
         return true;
   return false;
}

bool index_wrote(WetIndex* ix, uint32_t chunk, uint64_t word)
{
   const IndexChunk* c = &ix->chunks[chunk];
   unsigned          shift = 3 * c->head.coarse;
   uint64_t          unit = word >> 3 >> shift, size = c->head.size;
   uint8_t           mask = (uint8_t)(1u << (word >> shift & 7));
   size_t            low = 0;
   const LineGroup*  g;
   LineGroup         here;
   uint64_t          end;
   const uint8_t*    at;

   if (is_in_span(ix, chunk, word))
      return true;
   if (c->head.n_groups == 0)
      return false;
   g = (const LineGroup*)index_bytes(&ix->file, INDEX_LINES, c->lines,
                                     c->head.n_groups * sizeof(LineGroup));
   if (g == NULL)
      return true;
   BISECT(low, c->head.n_groups, middle, g[middle].line <= unit);
   if (low == 0)
      return false;
   here = g[low - 1];
   end  = low < c->head.n_groups ? g[low].at : size;
   at   = here.at > end || end > size ? NULL
          : index_bytes(&ix->file, INDEX_LINES, c->lines + here.at,
                        end - here.at);
   if (at == NULL) {
      ix->file.bad = true;
      return true;
   }
   return lines_group_has(at, at + (end - here.at), here.line, unit, mask);
}

bool index_word(WetIndex* ix, uint32_t chunk, uint64_t word, IndexWord* to)
{
   const IndexChunk* c = &ix->chunks[chunk];
   uint64_t          begin = c->lines + c->head.size + c->writers;
   uint32_t          n = c->words.n_blocks, block;
   const WordBlock*  table;
   const uint8_t*    code;

   if (n == 0)
      return false;
   if (ix->words == NULL)
      ix->words = words_cache();
   table = ix->words == NULL ? NULL
           : (const WordBlock*)index_bytes(&ix->file, INDEX_LINES, begin,
                                           n * sizeof(WordBlock));
   block = table == NULL ? n : words_block(table, n, word);
   if (block == n)
      return false;
   if (table[block].at > c->words.size
       || table[block].size > c->words.size - table[block].at) {
      ix->file.bad = true;
      return false;
   }
   code = index_bytes(&ix->file, INDEX_LINES, begin + table[block].at,
                      table[block].size);
   return code != NULL
          && words_find(ix->words, &table[block], code, chunk, block, word, to,
                        &ix->file.bad);
}

const UnseenWrite* index_unseen(WetIndex* ix, uint32_t chunk, uint64_t first,
                                uint64_t last, size_t* n)
{
   const IndexChunk* c = &ix->chunks[chunk];
   KeptUnseen*       to = &ix->unseen[chunk % N_KEPT_UNSEEN];
   const uint8_t*    code = c->unseen == 0 ? NULL
                            : index_bytes(&ix->file, INDEX_LINES,
                                          c->lines + c->head.size + c->writers
                                          + c->words.size, c->unseen);

   if (code == NULL || !unseen_may_have(code, c->unseen, first, last))
      return NULL;
   if (to->chunk != chunk + 1) {
      free(to->writes);
      to->chunk  = 0;
      to->writes = unseen_get(code, c->unseen, &to->n);
      if (to->writes == NULL) {
         ix->file.bad = true;
         return NULL;
      }
      to->chunk = chunk + 1;
   }
   *n = to->n;
   return to->writes;
}

bool index_writers(WetIndex* ix, const IndexTurn* t, ByteReader* code)
{
   const IndexChunk* c = &ix->chunks[t->chunk];
   const uint8_t*    at = t->n_writers == 0 ? NULL
                          : index_bytes(&ix->file, INDEX_LINES,
                                        c->lines + c->head.size + t->writers,
                                        t->n_writers);

   *code = (ByteReader){ at, at == NULL ? at : at + t->n_writers, false };
   return at != NULL;
}

const IndexTurn* index_turn_before(const WetIndex* ix, uint32_t thread,
                                   uint32_t chunk)
{
   size_t low = ix->threads[thread].turns;

   BISECT(low, ix->threads[thread + 1].turns, middle,
          ix->turns[middle].chunk < chunk);
   return low == ix->threads[thread].turns ? NULL : &ix->turns[low - 1];
}

bool index_creates(const WetIndex* ix, uint32_t thread, uint32_t chunk)
{
   for (size_t i = 0; i < ix->n_created; i++)
      if (ix->created[i].chunk == chunk && ix->created[i].thread == thread)
         return true;
   return false;
}

static ByteReader all_of(WetIndex* ix, IndexSection section)
{
   uint64_t       size = ix->file.sizes[section];
   const uint8_t* at = index_bytes(&ix->file, section, 0, size);

   return (ByteReader){ at, at == NULL ? at : at + size, at == NULL };
}

/* Return the next place of B; *WORD has the word before. */
static uint64_t get_place(ByteReader* b, uint64_t* word)
{
   uint64_t code = get_varint(b);

   if (code & 1) {
      b->failed |= code / 2 >= SAVED_REGISTERS;
      return code / 2 % SAVED_REGISTERS;
   }
   *word += difference_of(code / 2);
   b->failed |= *word < SAVED_REGISTERS / 8 || *word > UINT64_MAX / 8;
   return *word * 8;
}

/* Read what all chunks saved.  Return false if memory is exhausted, or the index is
   wrong. */
static bool read_saved(WetIndex* ix)
{
   ByteReader b = all_of(ix, INDEX_SAVED);
   uint32_t n = 0, chunk = 0;

   ix->saved      = calloc(ix->file.sizes[INDEX_SAVED] / 2 + 1,
                           sizeof(*ix->saved));
   ix->saved_ends = calloc(ix->n_chunks + 1, sizeof(*ix->saved_ends));
   while (ix->saved != NULL && ix->saved_ends != NULL && chunk < ix->n_chunks
          && b.at != b.end && !b.failed) {
      uint64_t gap = get_up_to(&b, ix->n_chunks - 1 - chunk);
      uint64_t more = get_up_to(&b, (uint64_t)(b.end - b.at) / 2);
      uint64_t word = 0;
      for (; gap > 0; gap--)
         ix->saved_ends[chunk++] = n;
      for (; more > 0 && !b.failed; more--, n++) {
         ix->saved[n].addr = get_place(&b, &word);
         ix->saved[n].from = get_place(&b, &word);
      }
      ix->saved_ends[chunk++] = n;
   }
   b.failed |= b.at != b.end;
   for (; ix->saved_ends != NULL && chunk < ix->n_chunks; chunk++)
      ix->saved_ends[chunk] = n;
   ix->file.bad |= b.failed;
   return ix->saved != NULL && ix->saved_ends != NULL && !b.failed;
}

const SavedSlot* index_saved(WetIndex* ix, uint32_t chunk, size_t* n)
{
   uint32_t begin;

   *n = 0;
   if (ix->saved_ends == NULL && !read_saved(ix))
      return NULL;
   begin = chunk == 0 ? 0 : ix->saved_ends[chunk - 1];
   *n    = ix->saved_ends[chunk] - begin;
   return ix->saved + begin;
}

ByteReader index_mappings(WetIndex* ix)
{
   return all_of(ix, INDEX_MAPPINGS);
}

_Static_assert(CALL_REGISTERS == DCFG_SLICE_CALL_REGISTERS, "a call's numbers");

/* Read the next call of B, number K of CALLS.  LAST, by instruction: the number of
   its last call, + 1; or 0. */
static void get_call(WetIndex* ix, ByteReader* b, DcfgSliceCall* calls, size_t k,
                     uint32_t* last)
{
   DcfgSliceCall*       c = &calls[k];
   uint64_t             code = get_varint(b);
   uint32_t             instr = get_up_to(b, ix->w->instrs.n - 1);
   const DcfgSliceCall* before = last[instr] == 0 ? NULL : &calls[last[instr] - 1];

   *c = (DcfgSliceCall){ .instr = instr, .known = code & 1,
                         .instance = ix->w->instances[instr],
                         .order = code / 2 + (k > 0 ? c[-1].order : 0) };
   if (before != NULL) {
      c->instance = before->instance + 1;
      memcpy(c->registers, before->registers, sizeof(c->registers));
   }
   for (unsigned i = 0; c->known && i < CALL_REGISTERS; i++)
      c->registers[i] += difference_of(get_varint(b));
   last[instr] = (uint32_t)k + 1;
   b->failed  |= c->order >= ix->n_instrs
                 || ix->w->plans[instr].kind != InsnSyscall;
}

bool index_calls(WetIndex* ix, DcfgSliceCall** calls, size_t* n)
{
   ByteReader b = all_of(ix, INDEX_CALLS);
   size_t    room = 0;
   uint32_t* last = calloc(ix->w->instrs.n + 1, sizeof(*last));

   *calls = NULL;
   for (*n = 0; last != NULL && b.at != b.end && !b.failed; ++*n) {
      if (*n == room) {
         void* more = realloc(*calls, (room = 2 * room + 64) * sizeof(**calls));
         if (more == NULL)
            break;
         *calls = more;
      }
      get_call(ix, &b, *calls, *n, last);
   }
   free(last);
   ix->file.bad |= b.failed;
   if (last != NULL && b.at == b.end && !b.failed)
      return true;
   free(*calls);
   *calls = NULL;
   return false;
}

IndexRuns index_runs(WetIndex* ix, uint32_t place)
{
   uint32_t       from = ix->places[place], end = ix->places[place + 1];
   const uint8_t* at = index_bytes(&ix->file, INDEX_RUNS, from, end - from);

   return (IndexRuns){ .bytes = { at, at == NULL ? at : at + (end - from),
                                  false } };
}

bool index_next_run(WetIndex* ix, IndexRuns* r)
{
   if (r->bytes.at == r->bytes.end)
      return false;
   r->chunk = r->next + get_up_to(&r->bytes, ix->n_chunks);
   r->count = get_up_to(&r->bytes, UINT32_MAX);
   r->next  = r->chunk + 1;
   if (r->bytes.failed || r->chunk >= ix->n_chunks) {
      ix->file.bad = true;
      return false;
   }
   return true;
}

bool index_totals(WetIndex* ix, uint64_t* runs)
{
   ByteReader b = all_of(ix, INDEX_TOTALS);

   for (size_t k = 0; k < ix->w->sb_instrs.n; k++)
      runs[k] = get_varint(&b);
   ix->file.bad |= b.failed;
   return !ix->file.bad;
}

bool index_ipdom(WetIndex* ix, uint32_t* ipdom, uint32_t n)
{
   ByteReader b = all_of(ix, INDEX_IPDOM);

   for (uint32_t i = 0; i < n; i++) {
      uint64_t to = i + difference_of(get_varint(&b));
      ipdom[i] = to == i ? DCFG_NONE : (uint32_t)to;
      b.failed |= to >= n;
   }
   ix->file.bad |= b.failed;
   return !ix->file.bad;
}
