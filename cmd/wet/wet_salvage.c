/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How is the whole execution trace of a killed process salvaged? */

/* Owns: reading the spool file of a whole execution trace (docs/dev/wet-file.md),
   and making the trace from it.  Handed: names of files.

   While a program runs, the tool appends to a temporary file, the spool.  It
   consists of extents: units of one size, each with a head that has its kind, its
   number, the bytes used and their sum.  Extents of one kind, in the order of
   their numbers, are a stream.  A kill may leave an extent half written; then its
   sum is wrong, and it counts as missing.

   From the streams come rows of instructions, blocks and threads, from these the
   tables of a trace that ends early.  The new file is read once more before it
   gets its name. */

#include "cmd/base/terminal.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/wet/wet_views.h"
#include "format/numbers.h"
#include "format/spool_file.h"
#include "format/wet_code.h"
#include "format/wet_process.h"
#include "format/wet_sections.h"
#include "lib/dcfg_wet.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*--- Extents                                              ---*/

typedef
   struct {
      const uint8_t* at;
      size_t         n;
   }
   Piece;

#define UNIT (SPOOL_HEAD_SIZE + SPOOL_EXTENT)

/* Append the extents of KIND in FILE to TO, in order.  If one is there twice,
   the longer one is taken.  An extent that was being written when the process
   was killed is missing.  Return False if there is none, or one in the middle
   is missing. */
static bool find_stream(Piece file, uint32_t kind, ByteList* to)
{
   static const uint8_t magic[8] = SPOOL_MAGIC;
   size_t n_units = file.n / UNIT + 1, last = 0;
   bool   whole = true;
   Piece* extents = zalloc(n_units, sizeof(*extents));

   for (size_t at = 0; file.n - at > SPOOL_HEAD_SIZE; at += UNIT) {
      const uint8_t* head = file.at + at;
      uint32_t       number = number_at(head + SpoolNumberAt), used = number_at(head + SpoolUsedAt);
      if (memcmp(head, magic, sizeof(magic)) == 0
          && number_at(head + SpoolKindAt) == kind && number < n_units && used <= SPOOL_EXTENT
          && used <= file.n - at - SPOOL_HEAD_SIZE && used > extents[number].n
          && spool_sum(head + SPOOL_HEAD_SIZE, used) == number_at(head + SpoolSumAt)) {
         extents[number] = (Piece){ head + SPOOL_HEAD_SIZE, used };
         last = number > last ? number : last;
      }
      if (file.n - at <= UNIT)
         break;
   }
   for (size_t i = 0; i <= last; i++) {
      whole = whole && extents[i].n >= (i < last ? SPOOL_EXTENT : 1);
      if (whole)
         bytes_add(to, extents[i].at, extents[i].n);
   }
   free(extents);
   return whole;
}

/*--- Reading values                                       ---*/

#define MAX_THREADS (1u << 20)

typedef
   struct {
      uint64_t image, addr;
      Piece    code;             // length and bytes
      uint64_t kind, source, line;
      Piece    usage;
   }
   SalvagedInstr;

typedef
   struct {
      size_t first, n;           // index and number of its instructions, in the
                                 // order of rows
      Piece  slots;
   }
   Sb;

typedef
   struct {
      Piece text;                // name to symbols
      Piece build_id;
   }
   Image;

/* TABLE: a growing array of rows. */
#define TABLE(type) struct { type* all; size_t n, room; }

/* Counts: the sizes of all tables at some row. */
typedef
   struct {
      size_t   images, sources, sbs, instrs, unexecuted;
      uint64_t threads, tape;
   }
   Counts;

typedef
   struct {
      const char* path;
      const uint8_t* bytes;
      size_t      size;
      ByteList    streams[N_JOURNAL_KINDS];
      uint8_t     version, machine;
      TABLE(Image) images;
      TABLE(Piece) sources;
      TABLE(Sb)    sbs;
      TABLE(SalvagedInstr) instrs;       // in all superblocks
      TABLE(SalvagedInstr) unexecuted;
      Piece       state;         // the process at its begin
      Counts      good;          // the part that belongs to the tape found
      SalvagedInstr* sorted;    // by image and address, without duplicates
      size_t      n_sorted;
   }
   Salvage;

static _Noreturn void damaged(const Salvage* s)
{
   die("%s: it is damaged, or no temporary file of a whole execution trace",
       s->path);
}

/*--- Rows                                                 ---*/

static void skip(ByteReader* b, uint64_t n)
{
   b->failed = b->failed || n > (uint64_t)(b->end - b->at);
   b->at    += b->failed ? 0 : n;
}

static void skip_numbers(ByteReader* b, uint64_t n)
{
   for (; n > 0 && !b->failed; n--)
      get_varint(b);
}

static void skip_text(ByteReader* b)
{
   skip(b, get_varint(b));
}

static Piece piece_from(const uint8_t* from, const ByteReader* b)
{
   return (Piece){ from, (size_t)(b->at - from) };
}

static void get_image(Salvage* s, ByteReader* b)
{
   const uint8_t* from = b->at;
   Image          image;

   skip_text(b);
   skip_numbers(b, 2);
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      skip_numbers(b, 2);
      skip_text(b);
   }
   image.text = piece_from(from, b);
   from = b->at;
   skip_text(b);
   image.build_id = piece_from(from, b);
   GROW(s->images.all, s->images.n, s->images.room);
   s->images.all[s->images.n++] = image;
}

static void get_source(Salvage* s, ByteReader* b)
{
   const uint8_t* from = b->at;

   skip_text(b);
   GROW(s->sources.all, s->sources.n, s->sources.room);
   s->sources.all[s->sources.n++] = piece_from(from, b);
}

/* Read code and kind. */
static void get_code(SalvagedInstr* in, ByteReader* b)
{
   const uint8_t* from = b->at;

   skip_text(b);
   in->code = piece_from(from, b);
   in->kind = get_varint(b);
}

/* Read the usage: number of ranges and ranges, twice; and accesses. */
static Piece get_usage(ByteReader* b)
{
   const uint8_t* from = b->at;

   get_varint(b);
   for (int i = 0; i < 2; i++)
      for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--)
         skip_numbers(b, 2);
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--)
      skip_numbers(b, 3);
   return piece_from(from, b);
}

static Piece get_slots(ByteReader* b)
{
   const uint8_t* from = b->at;

   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--)
      skip_numbers(b, 2);
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      skip_numbers(b, 3);
      if (get_varint(b) != WhereTape)
         get_varint(b);
   }
   return piece_from(from, b);
}

static void get_superblock(Salvage* s, ByteReader* b)
{
   Sb       sb = { .first = s->instrs.n };
   uint64_t n = get_varint(b);
   uint64_t image = n == 0 ? 0 : get_varint(b), addr = n == 0 ? 0 : get_varint(b);

   b->failed = b->failed || image >= s->images.n + (n == 0);
   for (; n > 0 && !b->failed; n--) {
      SalvagedInstr          in = { .image = image, .addr = addr };
      ByteReader length = *b;
      get_code(&in, b);
      addr     += get_varint(&length);
      in.source = get_varint(b);
      in.line   = get_varint(b);
      in.usage  = get_usage(b);
      b->failed = b->failed || in.source > s->sources.n
                  || in.line > UINT32_MAX;
      GROW(s->instrs.all, s->instrs.n, s->instrs.room);
      s->instrs.all[s->instrs.n++] = in;
      sb.n++;
   }
   if (sb.n > 0)
      sb.slots = get_slots(b);
   GROW(s->sbs.all, s->sbs.n, s->sbs.room);
   s->sbs.all[s->sbs.n++] = sb;
}

static void get_unexecuted(Salvage* s, ByteReader* b)
{
   SalvagedInstr in = { .image = get_varint(b) };

   in.addr   = get_varint(b);
   b->failed = b->failed || in.image >= s->images.n;
   get_code(&in, b);
   GROW(s->unexecuted.all, s->unexecuted.n, s->unexecuted.room);
   s->unexecuted.all[s->unexecuted.n++] = in;
}

static void get_state(Salvage* s, ByteReader* b)
{
   uint64_t n = get_varint(b);

   s->state.at = b->at;
   skip(b, n);
   s->state.n = b->failed ? 0 : (size_t)n;
}

/* Read a row RowTape: everything before it belongs to this much of the tape, if
   the tape has it. */
static void get_tape(Salvage* s, ByteReader* b)
{
   uint64_t threads = get_varint(b), tape = get_varint(b);

   if (b->failed || tape > s->streams[JournalTape].n || tape <= s->good.tape
       || threads == 0 || threads > MAX_THREADS)
      return;
   s->good = (Counts){ s->images.n, s->sources.n, s->sbs.n, s->instrs.n,
                       s->unexecuted.n, threads, tape };
}

static void get_rows(Salvage* s)
{
   ByteReader b = { s->streams[JournalRows].bytes,
               s->streams[JournalRows].bytes + s->streams[JournalRows].n, false };

   s->version = (uint8_t)get_varint(&b);
   s->machine = (uint8_t)(b.at < b.end ? *b.at++ : 0);
   while (b.at < b.end && !b.failed) {
      switch (get_varint(&b)) {
         case RowImage:      get_image(s, &b); break;
         case RowSource:     get_source(s, &b); break;
         case RowSuperblock: get_superblock(s, &b); break;
         case RowUnexecuted: get_unexecuted(s, &b); break;
         case RowTape:       get_tape(s, &b); break;
         case RowState:      get_state(s, &b); break;
         default:             b.failed = true;
      }
   }
}

/*--- Tables                                               ---*/

COMPARE(cmp_instrs, SalvagedInstr, UP(image) ?: UP(addr))

/* Sort the N of ALL, and drop duplicates.  Return how many are left. */
static size_t sort_instrs(SalvagedInstr* all, size_t n)
{
   size_t kept = 0;

   SORT(all, n, cmp_instrs);
   for (size_t i = 0; i < n; i++)
      if (kept == 0 || cmp_instrs(&all[i], &all[kept - 1]) != 0)
         all[kept++] = all[i];
   return kept;
}

static const SalvagedInstr* find_instr(const Salvage* s,
                                       const SalvagedInstr* in)
{
   return s->n_sorted == 0 ? NULL
          : bsearch(in, s->sorted, s->n_sorted, sizeof(*in), cmp_instrs);
}

static void put(ByteList* t, uint64_t n)
{
   uint8_t bytes[10];
   size_t  used = 0;

   for (; n >= 0x80; n >>= 7)
      bytes[used++] = (uint8_t)(n | 0x80);
   bytes[used++] = (uint8_t)n;
   bytes_add(t, bytes, used);
}

static void put_piece(ByteList* t, Piece p)
{
   bytes_add(t, p.at, p.n);
}

/* Put the head of SECTION, and T, which becomes empty. */
static void put_section(FILE* f, unsigned section, ByteList* t)
{
   uint8_t head[WET_SECTION_HEAD] = { (uint8_t)section };

   for (int i = 0; i < 8; i++)
      head[1 + i] = (uint8_t)((uint64_t)t->n >> 8 * i);
   fwrite(head, 1, sizeof(head), f);
   fwrite(t->bytes, 1, t->n, f);
   t->n = 0;
}

static void put_lines(const Salvage* s, size_t image, size_t* next, ByteList* t)
{
   size_t   first = *next, n = 0;
   uint64_t addr = 0;

   for (; *next < s->n_sorted && s->sorted[*next].image == image; ++*next)
      n += s->sorted[*next].source != 0;
   put(t, n);
   for (size_t i = first; i < *next; i++) {
      const SalvagedInstr* in = &s->sorted[i];
      if (in->source == 0)
         continue;
      put(t, in->addr - addr);
      put(t, in->source - 1);
      put(t, in->line);
      addr = in->addr;
   }
}

static void put_images(const Salvage* s, FILE* f, ByteList* t)
{
   size_t next = 0;

   put(t, s->good.sources);
   for (size_t i = 0; i < s->good.sources; i++)
      put_piece(t, s->sources.all[i]);
   put_section(f, SectionSources, t);
   put(t, s->good.images);
   for (size_t i = 0; i < s->good.images; i++) {
      put_piece(t, s->images.all[i].text);
      put_lines(s, i, &next, t);
   }
   for (size_t i = 0; i < s->good.images; i++)
      put_piece(t, s->images.all[i].build_id);
   put_section(f, SectionImages, t);
}

/* Put address, code and, if known, usage. */
static void put_instrs(const SalvagedInstr* all, size_t n, ByteList* t)
{
   uint64_t image = 0, addr = 0;

   put(t, n);
   for (size_t i = 0; i < n; i++) {
      put(t, all[i].image - image);
      put(t, all[i].addr - (all[i].image == image && i > 0 ? addr : 0));
      put_piece(t, all[i].code);
      put(t, all[i].kind);
      if (all[i].usage.n > 0)
         put_piece(t, all[i].usage);
      image = all[i].image;
      addr  = all[i].addr;
   }
}

/* Put unexecuted instructions.  Some may have been executed after they were
   noted. */
static void put_unexecuted(Salvage* s, ByteList* t)
{
   SalvagedInstr* all  = s->unexecuted.all;
   size_t n    = sort_instrs(all, s->good.unexecuted), kept = 0;

   for (size_t i = 0; i < n; i++)
      if (find_instr(s, &all[i]) == NULL)
         all[kept++] = all[i];
   put_instrs(all, kept, t);
}

static void put_superblocks(const Salvage* s, ByteList* t)
{
   put(t, s->good.sbs);
   for (size_t i = 0; i < s->good.sbs; i++) {
      const Sb* sb = &s->sbs.all[i];
      put(t, sb->n);
      for (size_t k = 0; k < sb->n; k++)
         put(t, (uint64_t)(find_instr(s, &s->instrs.all[sb->first + k])
                           - s->sorted));
      if (sb->n > 0)
         put_piece(t, sb->slots);
   }
}

/* Put the whole trace.  Return the offset of the threads' instructions. */
static size_t put_trace(Salvage* s, FILE* f)
{
   uint8_t head[WET_HEAD_SIZE] = WET_MAGIC;
   ByteList t = { 0 };
   size_t threads;

   head[WET_VERSION_AT] = WET_VERSION;
   head[WET_MACHINE_AT] = s->machine;
   s->sorted = zalloc(s->good.instrs + 1, sizeof(*s->sorted));
   if (s->good.instrs > 0)
      memcpy(s->sorted, s->instrs.all, s->good.instrs * sizeof(*s->sorted));
   s->n_sorted = sort_instrs(s->sorted, s->good.instrs);
   fwrite(head, 1, sizeof(head), f);
   put_images(s, f, &t);
   put_instrs(s->sorted, s->n_sorted, &t);
   put_section(f, SectionInstrs, &t);
   put_unexecuted(s, &t);
   put_section(f, SectionUnexecuted, &t);
   put_superblocks(s, &t);
   put_section(f, SectionSuperblocks, &t);
   threads = (size_t)ftell(f) + WET_SECTION_HEAD;
   for (uint64_t i = 0; i < 8 * s->good.threads; i++)
      put(&t, 0);
   put_section(f, SectionThreads, &t);
   put(&t, 0);
   put(&t, WET_ENDED_EARLY);
   put_section(f, SectionBefore, &t);
   put(&t, EndOpen);
   put(&t, 0);
   put_piece(&t, s->state);
   put_section(f, SectionState, &t);
   free(t.bytes);
   t = s->streams[JournalTape];
   t.n = s->good.tape;
   put_section(f, SectionTape, &t);
   put_section(f, SectionEnd, &t);
   return threads;
}

/*--- From file to file                                    ---*/

/* Read the trace of SIZE bytes, and store in it at THREADS how many
   instructions each thread executed. */
static void count_instrs(const char* path, uint8_t* trace, size_t size,
                         uint8_t* threads)
{
   DcfgError      err;
   DcfgWet*       w = dcfg_wet_open_memory(trace, size, path, plain_options(),
                                            &err);
   DcfgWetEvents* v = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
   DcfgWetEvent   e;
   uint64_t*      n;

   need_file(v != NULL, &err, KIND_UNFINISHED);
   n = zalloc(dcfg_wet_threads(w), sizeof(*n));
   while (dcfg_wet_next(v, &e, &err))
      if (e.kind == DCFG_WET_INSTR && e.thread < dcfg_wet_threads(w))
         n[e.thread]++;
   need_file(err.status == DCFG_OK, &err, KIND_UNFINISHED);
   for (uint32_t i = 0; i < 8 * dcfg_wet_threads(w); i++)
      threads[i] = (uint8_t)(n[i / 8] >> 8 * (i % 8));
   dcfg_wet_events_free(v);
   dcfg_wet_close(w);
   free(n);
}

static void* map_file(int fd, size_t size, const char* path)
{
   void* p = size == 0 ? MAP_FAILED
             : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

   if (p == MAP_FAILED)
      die("%s: %s", path, size == 0 ? "it is empty" : strerror(errno));
   return p;
}

/* Open the file at s->path. */
static void open_temporary(Salvage* s)
{
   int         fd = open_regular(s->path);
   struct stat st;

   if (fd < 0 || fstat(fd, &st) != 0)
      die("%s: cannot be read: %s", s->path, strerror(errno));
   s->size  = (size_t)st.st_size;
   s->bytes = map_file(fd, s->size, s->path);
   close(fd);
}

void wet_salvage(const char* from, const char* to)
{
   Salvage  s = { .path = from };
   FILE*    f = tmpfile();
   FILE*    result;
   uint8_t* trace;
   size_t   threads, size;

   refuse_other_kind(from, KIND_UNFINISHED);
   if (strcmp(to, "-") == 0)
      do_not_clean_stdout();
   open_temporary(&s);
   if (!find_stream((Piece){ s.bytes, s.size }, JournalRows,
                    &s.streams[JournalRows])
       || !find_stream((Piece){ s.bytes, s.size }, JournalTape,
                       &s.streams[JournalTape]))
      damaged(&s);
   get_rows(&s);
   if (s.version != WET_VERSION)
      die("%s: it is of version %u of the format, and only version %d can be "
          "read: record it anew", from, s.version, WET_VERSION);
   if (s.good.tape == 0)
      damaged(&s);
   if (f == NULL)
      die("a temporary file: %s", strerror(errno));
   threads = put_trace(&s, f);
   if (fflush(f) != 0 || ferror(f))
      die("a temporary file: %s", strerror(errno));
   size  = (size_t)ftell(f);
   trace = map_file(fileno(f), size, from);
   count_instrs(from, trace, size, trace + threads);
   result = open_result_as(to, RESULT_PRIVATE);
   fwrite(trace, 1, size, result);
   close_results();
   munmap(trace, size);
   fclose(f);
   munmap((void*)s.bytes, s.size);
   for (int kind = 0; kind < N_JOURNAL_KINDS; kind++)
      free(s.streams[kind].bytes);
   FREE_ALL(s.images.all, s.sources.all, s.sbs.all, s.instrs.all,
            s.unexecuted.all, s.sorted);
}
