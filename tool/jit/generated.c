/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The names and source lines of generated code. */

/* Owns: what a compiler inside the program (a JIT) has told about the functions
   that it generates, and the questions about them.  Handed: addresses by
   tool/run/image.c and tool/calls/function.c, system calls and forks by
   dcfg_main.c, mappings by tool/run/image.c.

   Such compilers tell perf.  They write a line for each function to
   /tmp/perf-PID.map, or a record with the time to a dump, jit-PID.dump, which
   they map as executable so that perf finds it.  The map is read as it grows,
   the dump when answers are needed.

   Another function may get the same addresses later.  So an address is asked
   about together with the time: when its code is translated, or control goes
   there.  A line of the map holds from the time when it is read.  A record of
   the dump holds from its time; a record may be written long after that, out of
   a buffer.  So all questions are kept, in their order, and records answer those
   that were asked before the next record.  The dump's answer comes first.  If
   nothing was known when the question was asked, the last line for its address
   answers it: some compilers write their map only at the end.

   A dump may have the source lines of a function, in a record before the
   function's.  perf puts the code into an ELF file, where it begins at 0x40.
   Compilers that know this, such as V8 and LLVM, add 0x40 to the addresses of lines;
   others do not.  An address below the sum shows that the dump's compiler does not.

   Files are the program's and may have anything: a number is checked before it
   is used, and no size is believed.  A map that is older than the process, or
   another user's, is somebody else's. */

#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/base/options.h"
#include "tool/steady/steady.h"
#include "tool/jit/generated.h"

/*--- Ranges                                               ---*/

typedef
   struct {
      Addr from, last;
      const Generated* g;
   }
   Range;

struct _Ranges { OSet* set; };

/* Ranges that overlap are equal.  Those of a set do not. */
static Word cmp_ranges(const void* va, const void* vb)
{
   const Range* a = va;
   const Range* b = vb;

   return a->last < b->from ? -1 : a->from > b->last ? 1 : 0;
}

Ranges* DCFG_(new_ranges)(void)
{
   Ranges* r = VG_(malloc)("dcfg.generated.ranges", sizeof(*r));

   r->set = VG_(OSetGen_Create)(0, cmp_ranges, VG_(malloc),
                                "dcfg.generated.ranges", VG_(free));
   return r;
}

void DCFG_(delete_ranges)(Ranges* r)
{
   VG_(OSetGen_Destroy)(r->set);
   VG_(free)(r);
}

static void insert(Ranges* r, Addr from, Addr last, const Generated* g)
{
   Range* new = VG_(OSetGen_AllocNode)(r->set, sizeof(*new));

   *new = (Range){ from, last, g };
   VG_(OSetGen_Insert)(r->set, new);
}

void DCFG_(add_range)(Ranges* r, const Generated* g)
{
   Range  key = { g->start, g->last, g };
   Range* known;

   while ((known = VG_(OSetGen_Remove)(r->set, &key)) != NULL) {
      Range old = *known;
      VG_(OSetGen_FreeNode)(r->set, known);
      if (old.from < key.from)
         insert(r, old.from, key.from - 1, old.g);
      if (old.last > key.last)
         insert(r, key.last + 1, old.last, old.g);
   }
   insert(r, key.from, key.last, g);
}

const Generated* DCFG_(range_at)(const Ranges* r, Addr a)
{
   Range        key = { a, a, NULL };
   const Range* at  = VG_(OSetGen_Lookup)(r->set, &key);

   return at == NULL ? NULL : at->g;
}

void DCFG_(each_range)(Ranges* r,
                       void (*do_it)(void* arg, Addr from, Addr last,
                                     const HChar* name), void* arg)
{
   const Range* at;

   VG_(OSetGen_ResetIter)(r->set);
   while ((at = VG_(OSetGen_Next)(r->set)) != NULL)
      do_it(arg, at->from, at->last, at->g->name);
}

/*--- Questions                                            ---*/

typedef
   struct {
      Addr             a;
      ULong            time;
      const Generated* by_map;    // NULL: not known
      const Generated* by_dump;
      UInt             last;      // the one before in its list, or 0
   }
   Question;

static XArray* questions;         // Question, by number from 1
static Word    n_answered;        // by the dump, for good
static Bool    is_asked;          // was anything?
static Bool    is_known;          // has the program told any function?
static Ranges* in_map;
static Ranges* in_dump;
static void  (*when_renamed)(Addr a, SizeT len);
static XArray* untold;            // const Generated*: of these nobody was told

static Question* question(Word i)
{
   return VG_(indexXA)(questions, i);
}

/* The longest name that is kept, with the 0 behind it. */
#define MOST_NAME 4096u

/* Return a copy of NAME without control characters. */
static const HChar* plain_copy(const HChar* name)
{
   HChar* text = VG_(strdup)("dcfg.generated.name", name);

   for (HChar* c = text; *c != 0; c++)
      if ((UChar)*c < ' ' || *c == 127)
         *c = '?';
   return text;
}

/* Add the function NAME of SIZE bytes at START to R. */
static Generated* add_function(Ranges* r, Addr start, ULong size,
                               const HChar* name)
{
   Generated* g = VG_(malloc)("dcfg.generated", sizeof(*g));

   g->start = start;
   g->last  = size == 0 ? start
              : size - 1 > ~(Addr)0 - start ? ~(Addr)0 : start + size - 1;
   g->name    = plain_copy(name);
   g->lines   = NULL;
   g->n_lines = 0;
   is_known   = True;
   DCFG_(add_range)(r, g);
   return g;
}

/*--- The map                                              ---*/

/* The files are read in pieces of this size. */
#define PIECE 65536
/* More bytes of a file are not read. */
#define MOST_BYTES (1ULL << 30)

typedef
   struct {
      Int    fd;                // -1: not open
      ULong  dev, ino;
      ULong  offset;            // bytes that were read
      ULong  n_lines, n_bad, first_bad;
      HChar  line[MOST_NAME + 64];
      UInt   n_line;            // bytes of the line that has not ended
      HChar  path[64];
      const HChar* refused;     // why the file there is not read, or NULL
      Bool   is_told, is_long;
   }
   Map;

static Map   map = { .fd = -1 };
static Bool  is_closed;         // files are not looked for
static ULong born;              // when the process began, in nanoseconds
static HChar piece[PIECE];

/* Read N bytes at OFFSET of FD.  Return how many there were.  A forked child shares
   the descriptor's own offset, so that is left alone. */
static Int read_at(Int fd, ULong offset, void* to, UInt n)
{
   SysRes got = VG_(pread)(fd, to, n, offset);

   return sr_isError(got) ? 0 : (Int)sr_Res(got);
}

static ULong wall_clock(void)
{
   struct vki_timeval now;

   VG_(gettimeofday)(&now, NULL);
   return now.tv_sec * 1000000000ULL + now.tv_usec * 1000ULL;
}

/* Read a hexadecimal number at *S, with 0x or without, and move *S behind it. */
static Bool read_hex(const HChar** s, ULong* n)
{
   const HChar* at    = *s;
   UInt         digits = 0;

   *n = 0;
   if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
      at += 2;
   for (;; at++, digits++) {
      UInt d = *at >= '0' && *at <= '9' ? *at - '0'
               : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
               : *at >= 'A' && *at <= 'F' ? *at - 'A' + 10 : 16;
      if (d == 16)
         break;
      if (*n >> 60 != 0)
         return False;
      *n = *n << 4 | d;
   }
   *s = at;
   return digits > 0;
}

/* Take the line "ADDRESS SIZE NAME" of the map.  Return False if it is none. */
static Bool take_line(const HChar* line)
{
   ULong start, size;

   if (!read_hex(&line, &start) || *line++ != ' ' || !read_hex(&line, &size)
       || *line++ != ' ' || *line == 0 || start > ~(Addr)0)
      return False;
   const Generated* g = add_function(in_map, start, size, line);
   VG_(addToXA)(untold, &g);
   return True;
}

static void end_line(void)
{
   map.line[map.n_line] = 0;
   map.n_lines++;
   if (map.n_line > 0 && !take_line(map.line) && map.n_bad++ == 0)
      map.first_bad = map.n_lines;
   map.n_line = 0;
}

static void take_text(const HChar* text, Int n)
{
   for (Int i = 0; i < n; i++)
      if (text[i] == '\n')
         end_line();
      else if (map.n_line < sizeof(map.line) - 1)
         map.line[map.n_line++] = text[i] == 0 ? '?' : text[i];
}

static void close_map(void)
{
   if (map.fd >= 0)
      VG_(close)(map.fd);
   map.fd = -1;
}

/* Return why the map is not this process's, or NULL. */
static const HChar* why_refused(const struct vg_stat* st)
{
   if (!VKI_S_ISREG(st->mode))
      return "is no file";
   if (st->uid != VG_(geteuid)() && st->uid != 0)
      return "belongs to another user";
   if (st->mtime * 1000000000ULL + st->mtime_nsec < born)
      return "is older than this process";
   return NULL;
}

#define PERF_MAP "/tmp/perf-%d.map"

/* A replay writes no file: it reads what the program writes to its descriptor of
   the map. */
static Bool is_heard;              // is this a replay?
static Int  heard = -1;            // the descriptor; -1: none

/* Open the map if there is one that is not open. */
static void find_map(void)
{
   struct vg_stat st;
   SysRes         sres;

   if (is_heard)
      return;
   VG_(snprintf)(map.path, sizeof(map.path), PERF_MAP, VG_(getpid)());
   if (sr_isError(VG_(stat)(map.path, &st))
       || (map.fd >= 0 && st.dev == map.dev && st.ino == map.ino))
      return;
   map.refused = why_refused(&st);
   if (map.refused != NULL)
      return;
   sres = VG_(open)(map.path, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
   if (sr_isError(sres))
      map.refused = DCFG_(error_text)(sr_Err(sres));
   if (sr_isError(sres))
      return;
   close_map();
   map.fd = VG_(safe_fd)(sr_Res(sres));
   if (VG_(fstat)(map.fd, &st) != 0 || why_refused(&st) != NULL) {
      close_map();
      return;
   }
   map.dev     = st.dev;
   map.ino     = st.ino;
   map.offset  = map.n_lines = map.n_line = 0;
   map.refused = NULL;
}

/* Read what is new in the open map. */
static void read_map(void)
{
   struct vg_stat st;
   Int            n;

   if (map.fd < 0 || VG_(fstat)(map.fd, &st) != 0
       || map.offset == (ULong)st.size)
      return;
   if (map.offset > (ULong)st.size)       // the file was written anew
      map.offset = map.n_lines = map.n_line = 0;
   while ((n = read_at(map.fd, map.offset, piece, PIECE)) > 0) {
      if (map.offset + n > MOST_BYTES) {
         map.is_long = True;
         close_map();
         return;
      }
      map.offset += n;
      take_text(piece, n);
   }
}

/* Tell of code that has other names now. */
static void tell_untold(void)
{
   for (Word i = 0; i < VG_(sizeXA)(untold); i++) {
      const Generated* g = *(const Generated**)VG_(indexXA)(untold, i);
      when_renamed(g->start, g->last - g->start + 1);
   }
   VG_(dropTailXA)(untold, VG_(sizeXA)(untold));
}

/* Read what the program has told, and tell those who must know. */
static void follow_map(void)
{
   if (map.fd < 0)
      find_map();
   read_map();
   tell_untold();
}

/* Tell, once, what of the map is not used. */
static void tell_map(void)
{
   if (map.is_told)
      return;
   map.is_told = True;
   if (map.is_long)
      DCFG_(remark)("dcfg: warning: %s has more than a gigabyte: the rest of its "
                    "names is not used\n", map.path);
   else if (map.fd < 0 && map.refused != NULL)
      DCFG_(remark)("dcfg: warning: %s %s: its names are not used\n", map.path,
                    map.refused);
   else if (map.n_bad > 0)
      DCFG_(remark)("dcfg: warning: %s: %'llu lines are not ADDRESS SIZE NAME, the "
                    "first is line %llu: all others are used\n", map.path,
                    map.n_bad, map.first_bad);
   else
      map.is_told = False;
}

/*--- The dump                                             ---*/

/* perf's jitdump, version 1.  Numbers have the processor's order of bytes. */
#define DUMP_MAGIC       0x4A695444u
#define OTHER_TIME       1ULL           // flag: times are the processor's ticks
#define RECORD_LOAD      0
#define RECORD_MOVE      1
#define RECORD_LINES     2

/* A record of lines that is longer is not used. */
#define MOST_LINES_BYTES (1u << 24)

/* Offset of the code in the file for perf. */
#define TEXT_OFFSET      0x40u

typedef
   struct {
      UInt  magic, version, size, machine, pad, pid;
      ULong time, flags;
   }
   DumpHeader;

typedef
   struct {
      UInt  kind, size;
      ULong time;
   }
   RecordHeader;

typedef
   struct {
      UInt  pid, tid;
      ULong vma, address, size, index;
   }
   LoadRecord;

typedef
   struct {
      UInt  pid, tid;
      ULong vma, from, to, size, index;
   }
   MoveRecord;

typedef
   struct {
      ULong address, n;
   }
   LinesRecord;

typedef
   struct {
      ULong address;
      UInt  line, column;
      /* The file's name and a 0 follow; or 0xFF and a 0: that of the line before. */
   }
   LineEntry;

/* Lines of the function whose record is next. */
static struct {
   Addr           start;
   GeneratedLine* all;          // NULL: none
   UInt           n;
} told;

static Bool  lines_are_plain;   // no compiler adds TEXT_OFFSET
static Bool  has_lines;
static ULong n_bad_lines;       // records of lines that are wrong
static Bool  lines_are_told;

typedef
   struct {
      Int    fd;                // -1: none
      ULong  dev, ino;
      ULong  offset;            // bytes that were read; 0: no header yet
      ULong  time;              // time of the last record
      Bool   timed;
      const HChar* wrong;       // why no more is read, or NULL
      Bool   is_told;
      HChar* path;
   }
   Dump;

static Dump dump = { .fd = -1 };

/* Answer all questions that were asked before TIME, as the dump is now. */
static void answer_until(ULong time)
{
   while (n_answered < VG_(sizeXA)(questions)
          && question(n_answered)->time < time) {
      Question* q = question(n_answered++);
      q->by_dump = DCFG_(range_at)(in_dump, q->a);
   }
}

static void forget_told(void)
{
   VG_(free)(told.all);
   told.all = NULL;
   told.n   = 0;
}

static Int cmp_offsets(const void* va, const void* vb)
{
   const GeneratedLine* a = va;
   const GeneratedLine* b = vb;

   return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Take the line at *AT, before END, of code at START; BEFORE is the one before, or
   NULL.  Return False if it is wrong. */
static Bool take_line_entry(const HChar** at, const HChar* end, ULong start,
                            const GeneratedLine* before, GeneratedLine* l)
{
   const HChar* name = *at + sizeof(LineEntry);
   const HChar* zero = name;
   LineEntry    e;

   if (end - *at <= (PtrdiffT)sizeof(e))
      return False;
   VG_(memcpy)(&e, *at, sizeof(e));
   while (zero < end && *zero != 0)
      zero++;
   if (zero == end || e.address < start || e.address - start > 0x7FFFFFFF)
      return False;
   l->offset = e.address - start;
   l->line   = e.line;
   if (before != NULL && (VG_STREQ(name, "\xFF")
                          || VG_STREQ(name, before->file)))
      l->file = before->file;
   else
      l->file = plain_copy(name);
   *at = zero + 1;
   return True;
}

/* Take the N bytes of a record of lines.  Return False if it is wrong: V8 writes
   some whose names it has freed before. */
static Bool take_lines(const HChar* body, UInt n)
{
   const HChar* at  = body + sizeof(LinesRecord);
   const HChar* end = body + n;
   LinesRecord  r;

   forget_told();
   if (n < sizeof(r))
      return False;
   VG_(memcpy)(&r, body, sizeof(r));
   if (r.n == 0)
      return True;
   if (r.n > n / sizeof(LineEntry))
      return False;
   told.all = VG_(malloc)("dcfg.generated.lines", r.n * sizeof(*told.all));
   for (; told.n < r.n; told.n++)
      if (!take_line_entry(&at, end, r.address,
                           told.n == 0 ? NULL : &told.all[told.n - 1],
                           &told.all[told.n])) {
         forget_told();
         return False;
      }
   VG_(ssort)(told.all, told.n, sizeof(*told.all), cmp_offsets);
   told.start = r.address;
   return True;
}

/* Read the N bytes of a record of lines at the present offset. */
static void read_lines(UInt n)
{
   HChar* body;

   if (n > MOST_LINES_BYTES) {
      n_bad_lines++;
      return;
   }
   body = VG_(malloc)("dcfg.generated.record", n + 1);
   if (read_at(dump.fd, dump.offset + sizeof(RecordHeader), body, n) != (Int)n
       || !take_lines(body, n))
      n_bad_lines++;
   VG_(free)(body);
}

/* G is the function of the record behind the lines. */
static void take_told(Generated* g)
{
   if (told.all != NULL && told.start == g->start) {
      g->lines   = told.all;
      g->n_lines = told.n;
      has_lines  = True;
      if (g->lines[0].offset < TEXT_OFFSET)
         lines_are_plain = True;
      told.all = NULL;
   }
   forget_told();
}

Bool DCFG_(knows_generated_lines)(void)
{
   return has_lines;
}

const HChar* DCFG_(line_of_generated)(const Generated* g, Addr a,
                                      /*OUT*/UInt* line)
{
   const Addr offset = a - g->start + (lines_are_plain ? 0 : TEXT_OFFSET);
   UInt       lo     = 0;

   for (UInt hi = g->n_lines; lo < hi; ) {
      UInt mid = lo + (hi - lo) / 2;
      if (g->lines[mid].offset <= offset)
         lo = mid + 1;
      else
         hi = mid;
   }
   if (lo == 0 || g->lines[lo - 1].line == 0)
      return NULL;
   *line = g->lines[lo - 1].line;
   return g->lines[lo - 1].file;
}

/* Take the record R with the N bytes at BODY.  Return False if it is wrong. */
static Bool take_record(const RecordHeader* r, HChar* body, UInt n)
{
   const LoadRecord* load = (const LoadRecord*)body;
   const MoveRecord* move = (const MoveRecord*)body;

   if (r->kind == RECORD_LOAD) {
      if (n <= sizeof(*load) || load->address > ~(Addr)0)
         return False;
      body[n] = 0;
      take_told(add_function(in_dump, load->address, load->size,
                             body + sizeof(*load)));
   } else if (r->kind == RECORD_MOVE) {
      if (n < sizeof(*move) || move->to > ~(Addr)0)
         return False;
      const Generated* g = DCFG_(range_at)(in_dump, move->from);
      if (g != NULL) {
         Generated* to = add_function(in_dump, move->to, move->size, g->name);
         to->lines     = g->lines;
         to->n_lines   = g->n_lines;
      }
   }
   return True;
}

static Bool read_header(void)
{
   DumpHeader h;

   if (read_at(dump.fd, 0, &h, sizeof(h)) != sizeof(h))
      return False;
   dump.timed  = (h.flags & OTHER_TIME) == 0;
   dump.offset = h.size;
   if (h.magic != DUMP_MAGIC || h.size < sizeof(h))
      dump.wrong = "is no jitdump of this processor";
   return dump.wrong == NULL;
}

/* Read the record at the present offset of a dump of SIZE bytes.  Return False
   if it is not there yet. */
static Bool read_record(ULong size)
{
   static HChar body[sizeof(LoadRecord) + MOST_NAME + 8];
   RecordHeader r;
   UInt         n;

   if (read_at(dump.fd, dump.offset, &r, sizeof(r)) != sizeof(r))
      return False;
   if (r.size < sizeof(r)) {
      dump.wrong = "has a record without a size";
      return False;
   }
   if (r.size > size - dump.offset)
      return False;
   if (dump.offset + r.size > 64 * MOST_BYTES) {
      dump.wrong = "has more than 64 gigabytes";
      return False;
   }
   n = r.size - sizeof(r);
   if (r.kind == RECORD_LINES)
      read_lines(n);
   if (n > sizeof(body) - 1)
      n = sizeof(body) - 1;
   if (r.kind == RECORD_LOAD || r.kind == RECORD_MOVE) {
      if (read_at(dump.fd, dump.offset + sizeof(r), body, n) != (Int)n)
         return False;
      if (dump.timed && r.time > dump.time)
         dump.time = r.time;
      answer_until(dump.time);
      if (!take_record(&r, body, n))
         dump.wrong = "has a record that is too short";
   }
   dump.offset += r.size;
   return dump.wrong == NULL;
}

/* Read what is new in the dump. */
static void read_records(void)
{
   struct vg_stat st;

   if (dump.fd < 0 || dump.wrong != NULL || VG_(fstat)(dump.fd, &st) != 0
       || (dump.offset == 0 && !read_header()))
      return;
   while (dump.offset < (ULong)st.size && read_record(st.size))
      ;
   if (dump.wrong == NULL && dump.offset != (ULong)st.size && !dump.is_told) {
      dump.is_told = True;
      DCFG_(remark)("dcfg: warning: %s ends within a record: its last name is not "
                    "used\n", dump.path);
   }
}

static void tell_dump(void)
{
   if (n_bad_lines > 0 && !lines_are_told) {
      lines_are_told = True;
      DCFG_(remark)("dcfg: warning: %s: the source lines of %'llu function%s cannot "
                    "be read: they are not used\n", dump.path, n_bad_lines,
                    n_bad_lines == 1 ? "" : "s");
   }
   if (dump.wrong == NULL || dump.is_told)
      return;
   dump.is_told = True;
   DCFG_(remark)("dcfg: warning: %s %s at byte %llu: names from there on are not "
                 "used\n", dump.path, dump.wrong, dump.offset);
}

static void close_dump(void)
{
   if (dump.fd < 0)
      return;
   read_records();
   tell_dump();
   VG_(close)(dump.fd);
   VG_(free)(dump.path);
   dump = (Dump){ .fd = -1 };
}

/* Return whether PATH has the name of a dump, jit-NUMBER.dump. */
static Bool is_dump(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   const HChar* s     = slash == NULL ? path : slash + 1;

   if (VG_(strncmp)(s, "jit-", 4) != 0)
      return False;
   for (s += 4; *s >= '0' && *s <= '9'; s++)
      ;
   return VG_STREQ(s, ".dump");
}

void DCFG_(note_executable_file)(Addr a)
{
   const NSegment* seg  = VG_(am_find_nsegment)(a);
   const HChar*    path = seg == NULL ? NULL : DCFG_(file_of)(seg);
   struct vg_stat  st;

   if (path == NULL || is_closed || !is_dump(path)
       || (dump.fd >= 0 && seg->dev == dump.dev && seg->ino == dump.ino))
      return;
   if (is_heard) {
      DCFG_(remark)("dcfg: warning: %s: its names are not used in a replay, whose "
                    "clock is another one\n", path);
      return;
   }
   if (sr_isError(VG_(stat)(path, &st)) || !VKI_S_ISREG(st.mode))
      return;
   SysRes sres = VG_(open)(path, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
   if (sr_isError(sres))
      return;
   close_dump();
   dump.fd   = VG_(safe_fd)(sr_Res(sres));
   dump.dev  = seg->dev;
   dump.ino  = seg->ino;
   dump.path = VG_(strdup)("dcfg.generated.dump", path);
}

/*--- The whole                                            ---*/

void DCFG_(start_generated)(void (*renamed)(Addr a, SizeT len))
{
   questions = DCFG_NEW_ARRAY("dcfg.generated.questions", Question);
   untold       = DCFG_NEW_ARRAY("dcfg.generated.untold", const Generated*);
   in_map       = DCFG_(new_ranges)();
   in_dump      = DCFG_(new_ranges)();
   when_renamed = renamed;
   born         = wall_clock();
}

UInt DCFG_(ask_generated)(Addr a, UInt last, Bool translated)
{
   if (!is_closed && translated) {
      follow_map();
   } else if (!is_closed && map.fd < 0) {
      find_map();
      read_map();
   }
   is_asked = True;

   Question q = { a, DCFG_(time_of_program)(), DCFG_(range_at)(in_map, a),
                  NULL, last };
   if (q.by_map == NULL && dump.fd < 0)
      return 0;
   VG_(addToXA)(questions, &q);
   return VG_(sizeXA)(questions);
}

const Generated* DCFG_(last_generated)(Addr a)
{
   return DCFG_(range_at)(in_map, a);
}

Bool DCFG_(knows_generated)(void)
{
   return is_known;
}

const Generated* DCFG_(generated)(UInt no)
{
   const Question* q = question(no - 1);

   return q->by_dump != NULL ? q->by_dump
          : q->by_map != NULL ? q->by_map : DCFG_(range_at)(in_map, q->a);
}

void DCFG_(add_answers)(Ranges* r, UInt q)
{
   XArray* list = DCFG_NEW_ARRAY("dcfg.generated.answers", const Generated*);

   for (; q != 0; q = question(q - 1)->last) {
      const Generated* g = DCFG_(generated)(q);
      if (g != NULL)
         VG_(addToXA)(list, &g);
   }
   for (Word i = VG_(sizeXA)(list); i-- > 0; )
      DCFG_(add_range)(r, *(const Generated**)VG_(indexXA)(list, i));
   VG_(deleteXA)(list);
}

Bool DCFG_(is_named_late)(void)
{
   return dump.fd >= 0;
}

void DCFG_(read_generated)(void)
{
   if (!is_asked)
      return;
   if (!is_closed)
      find_map();
   read_map();
   tell_map();
   read_records();
   tell_dump();
   /* Records that are written later may answer these anew. */
   for (Word i = n_answered; i < VG_(sizeXA)(questions); i++)
      question(i)->by_dump = DCFG_(range_at)(in_dump, question(i)->a);
}

void DCFG_(look_at_generated)(UInt sysno)
{
   if (map.fd >= 0 && (sysno == __NR_write || sysno == __NR_writev))
      follow_map();
}

static void hear_bytes(Addr a, SizeT n)
{
   if (VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ))
      take_text((const HChar*)a, n);
}

static void hear_open(Int pid, Addr path, Int fd)
{
   HChar wanted[sizeof(map.path)];

   VG_(snprintf)(wanted, sizeof(wanted), PERF_MAP, pid);
   if (!VG_(am_is_valid_for_client)(path, VG_(strlen)(wanted) + 1, VKI_PROT_READ)
       || VG_(strcmp)((const HChar*)path, wanted) != 0)
      return;
   VG_(strcpy)(map.path, wanted);
   heard       = fd;
   map.n_lines = map.n_line = 0;
}

void DCFG_(hear_generated)(Int pid, UInt sysno, const UWord* args, UWord result)
{
   const struct vki_iovec* parts = (const struct vki_iovec*)args[1];

   is_heard = True;
   if (sysno == __NR_openat)
      hear_open(pid, args[1], result);
#if defined(__NR_open)
   if (sysno == __NR_open)
      hear_open(pid, args[0], result);
#endif
   if (heard < 0 || args[0] != (UWord)heard)
      return;
   if (sysno == __NR_close)
      heard = -1;
   if (sysno == __NR_write)
      hear_bytes(args[1], result);
   for (; sysno == __NR_writev && result > 0
          && VG_(am_is_valid_for_client)((Addr)parts, sizeof(*parts),
                                         VKI_PROT_READ); parts++) {
      SizeT n = parts->iov_len < result ? parts->iov_len : result;
      hear_bytes((Addr)parts->iov_base, n);
      result -= n;
   }
   tell_untold();
}

void DCFG_(close_generated)(void)
{
   is_closed = True;
}

void DCFG_(forked_generated)(void)
{
   close_dump();
   close_map();
   heard       = -1;
   map.refused = NULL;
   map.n_bad   = 0;
   born        = wall_clock();
}
