/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Each load finds memory as the trace tells it.

      memory_loads TRACE INDEX [N]

   goes through TRACE, which has values and is of an amd64 program.  A map has all
   bytes that the trace told so far: stores, contents that the kernel wrote, and
   plain loads, whose value has the bytes.  A load that finds other bytes than the map
   has tells a write that the trace lacks.  A first pass notes these.  Then INDEX
   is made, and a second pass asks the library, at about N times and around each of
   the first 200 such writes:

   - a byte that a load loads is what the map has before the load;
   - a byte is unknown between the last time that the trace told it and a load
     that finds another one, and has the loaded value behind it;
   - a slice of that load has an input that somebody else wrote, and no slice
     has one for a load that agrees with the map.

   Prints how many loads there are, how many found only known bytes, how many of
   these found others, and how many answers differ; the exit status is 1 if any
   does.  The bytes of instructions are looked at here, without a decoder. */

#include <dcfg_cursor.h>
#include <dcfg_slice.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char* what, const DcfgError* err)
{
   fprintf(stderr, "memory_loads: %s: %s\n", what, err->reason);
   exit(2);
}

static void* need(void* p)
{
   if (p == NULL)
      exit(2);
   return p;
}

/*--- The map                                              ---*/

#define PAGE    4096u
#define N_TABLE (1u << 16)

typedef
   struct Page {
      uint64_t     number;
      struct Page* next;
      uint8_t      known[PAGE], bytes[PAGE];
      uint64_t     times[PAGE]; // the byte is as told at that time
   }
   Page;

static Page* table[N_TABLE];

static Page* page_of(uint64_t addr, bool make)
{
   uint64_t n = addr / PAGE;
   Page**   head = &table[(n ^ n >> 13 ^ n >> 27) % N_TABLE];
   Page*    p = *head;

   while (p != NULL && p->number != n)
      p = p->next;
   if (p != NULL || !make)
      return p;
   p = need(calloc(1, sizeof(*p)));
   p->number = n;
   p->next   = *head;
   *head     = p;
   return p;
}

static void empty_map(void)
{
   for (uint32_t i = 0; i < N_TABLE; i++)
      while (table[i] != NULL) {
         Page* p = table[i];
         table[i] = p->next;
         free(p);
      }
}

static void tell(uint64_t addr, const uint8_t* bytes, uint64_t n, uint64_t time)
{
   for (uint64_t i = 0; i < n; i++) {
      Page*    p = page_of(addr + i, true);
      unsigned at = (unsigned)((addr + i) % PAGE);
      p->known[at] = 1;
      p->bytes[at] = bytes[i];
      p->times[at] = time;
   }
}

static void forget(uint64_t addr, uint64_t n)
{
   if (n / PAGE > N_TABLE) {
      for (uint32_t i = 0; i < N_TABLE; i++)
         for (Page* p = table[i]; p != NULL; p = p->next)
            if (p->number >= addr / PAGE && p->number <= (addr + n - 1) / PAGE)
               memset(p->known, 0, PAGE);
      return;
   }
   while (n > 0) {
      Page*    p = page_of(addr, false);
      uint64_t at = addr % PAGE, here = PAGE - at < n ? PAGE - at : n;
      if (p != NULL)
         memset(p->known + at, 0, here);
      addr += here;
      n    -= here;
   }
}

/* The byte at ADDR, or -1. */
static int byte_at(uint64_t addr, uint64_t* time)
{
   const Page* p = page_of(addr, false);
   unsigned    at = (unsigned)(addr % PAGE);

   if (p == NULL || !p->known[at])
      return -1;
   *time = p->times[at];
   return p->bytes[at];
}

/*--- Instructions                                         ---*/

/* Return whether the value of IN begins with the bytes that it loads: MOV to a
   register, with or without extension, POP of one, and the vector moves. */
static bool is_plain(const DcfgWetInstr* in)
{
   const uint8_t* c = in->code;
   unsigned       k = 0;
   bool           half = false, single = false, vex;

   if (in->n_accesses != 1 || !in->accesses[0].reads || in->accesses[0].writes
       || in->accesses[0].perhaps)
      return false;
   for (; k + 3 < in->size && strchr("\x64\x65\x66\x67\x2e\x3e\xf3\xf2", c[k]);
        k++) {
      half   |= c[k] == 0x66;
      single |= c[k] == 0xf3;
   }
   k += (c[k] & 0xF0) == 0x40;
   vex = c[k] == 0xC5 && k + 2 < in->size;
   if (vex) {
      half   = (c[k + 1] & 3) == 1;
      single = (c[k + 1] & 3) == 2;
   } else if (c[k] != 0x0F) {
      return c[k] == 0x8B || c[k] == 0x8A || c[k] == 0x63
             || (c[k] & 0xF8) == 0x58;
   }
   k += vex ? 2 : 1;
   if (!vex && ((c[k] & 0xFE) == 0xB6 || (c[k] & 0xFE) == 0xBE))
      return true;
   return c[k] == 0x28 || c[k] == 0x6F || (c[k] == 0x6E && half)
          || (c[k] == 0x7E && single)
          || (c[k] == 0x10 && (half || single || !vex));
}

/*--- Passes                                               ---*/

/* Unseen: a byte that a load found changed. */
typedef
   struct {
      uint64_t addr, since, time;
      uint32_t instr;
      uint64_t instance;
      uint8_t  before, behind;
   }
   Unseen;

static Unseen*  unseen;
static size_t   n_unseen, room;
static uint64_t n_loads, n_known, n_contradicting, n_asked, n_different;

static void add_unseen(Unseen u)
{
   if (n_unseen == room) {
      room   = 2 * room + 1000;
      unseen = need(realloc(unseen, room * sizeof(*unseen)));
   }
   unseen[n_unseen++] = u;
}

static void take_load(const DcfgWetEvent* e, unsigned size)
{
   bool     known = true, same = true;
   uint64_t time;

   for (unsigned i = 0; i < size; i++) {
      uint64_t addr = e->accesses[0] + i;
      int      byte = byte_at(addr, &time);
      known &= byte >= 0;
      if (byte < 0 || byte == e->value[i])
         continue;
      same = false;
      add_unseen((Unseen){ addr, time, e->time, e->instr, e->instance,
                           (uint8_t)byte, e->value[i] });
   }
   n_loads++;
   n_known         += known;
   n_contradicting += !same;
   tell(e->accesses[0], e->value, size, e->time + 1);
}

/* The stores of an instance: its value has their bytes, the lowest address
   first, if it has their size. */
static void take_stores(const DcfgWetInstr* in, const DcfgWetEvent* e)
{
   uint32_t n = 0, size = 0, at = 0;
   bool     known = e->has_value, down = false;
   uint64_t last = 0;

   for (uint32_t i = 0; i < in->n_accesses; i++)
      if (in->accesses[i].writes) {
         size  += in->accesses[i].size;
         known &= !in->accesses[i].perhaps;
         if (i < e->n_accesses && e->accesses[i] != 0) {
            down |= n++ > 0 && e->accesses[i] < last;
            last  = e->accesses[i];
         }
      }
   known &= e->value_size == size && !down;
   for (uint32_t i = 0; i < in->n_accesses && i < e->n_accesses; i++)
      if (in->accesses[i].writes) {
         if (e->accesses[i] != 0 && known)
            tell(e->accesses[i], e->value + at, in->accesses[i].size,
                 e->time + 1);
         else if (e->accesses[i] != 0)
            forget(e->accesses[i], in->accesses[i].size);
         at += in->accesses[i].size;
      }
}

/* Return how many bytes E loads plainly, or 0. */
static unsigned loaded_by(DcfgWet* w, const bool* plain, const DcfgWetEvent* e)
{
   unsigned size;

   if (e->kind != DCFG_WET_INSTR || !plain[e->instr] || !e->has_value
       || e->n_accesses != 1 || e->accesses[0] == 0)
      return 0;
   size = dcfg_wet_instr(w, e->instr)->accesses[0].size;
   return size < e->value_size ? size : e->value_size;
}

/* The library does not compare larger contents with later loads. */
#define LARGE (64u << 10)

static void take(DcfgWet* w, const bool* plain, const DcfgWetEvent* e,
                 uint64_t time)
{
   switch (e->kind) {
      case DCFG_WET_INSTR:
         if (loaded_by(w, plain, e) > 0)
            take_load(e, loaded_by(w, plain, e));
         take_stores(dcfg_wet_instr(w, e->instr), e);
         break;
      case DCFG_WET_CONTENTS:
         if (e->size <= LARGE)
            tell(e->addr, e->bytes, e->size, time);
         else
            forget(e->addr, e->size);
         break;
      case DCFG_WET_MOVED: case DCFG_WET_WRITTEN: case DCFG_WET_FRESH:
      case DCFG_WET_MAPPED:
         forget(e->addr, e->size);
         break;
      default:
         break;
   }
}

/*--- Questions                                            ---*/

static DcfgCursor*  cursor;
static const bool*  loads;

static DcfgCursorByte ask(uint64_t addr, uint64_t t)
{
   DcfgCursorByte b;
   DcfgError      err;

   if (!dcfg_cursor_memory(cursor, t, addr, 1, loads, &b)) {
      dcfg_cursor_error(cursor, &err);
      fail("memory", &err);
   }
   n_asked++;
   return b;
}

static void differ(const char* what, uint64_t addr, uint64_t t,
                   DcfgCursorByte b)
{
   if (n_different++ < 20)
      printf("%s: time %" PRIu64 ", 0x%" PRIx64 ": %u, %02x, since %" PRIu64
             "\n", what, t, addr, b.is, b.value, b.since);
}

/* All bytes of a load that the map knows are what the library knows. */
static void ask_load(const DcfgWetEvent* e, unsigned size)
{
   uint64_t time = 0;

   for (unsigned i = 0; i < size; i++) {
      uint64_t       addr = e->accesses[0] + i;
      int            byte = byte_at(addr, &time);
      DcfgCursorByte b = ask(addr, e->time);
      /* Before a load that finds another byte, it is not known, unless the
         instruction before the load told it. */
      if (b.is == DCFG_CURSOR_KNOWN
          ? b.value != e->value[i] && (byte < 0 || time < e->time)
          : byte == e->value[i])
         differ("load", addr, e->time, b);
   }
}

/* Return whether the only load of an instance has an input from somebody
   else. */
static bool has_unseen(DcfgWet* w, uint32_t instr, uint64_t instance, bool* is)
{
   DcfgSliceQuery q = { .instance = instance, .steps = 1, .no_control = true };
   bool*          instrs = need(calloc(dcfg_wet_instrs(w) + (size_t)1, 1));
   DcfgError      err;
   DcfgSlice*     s;
   bool           unseen_input = false;

   instrs[instr] = true;
   q.instrs = instrs;
   s = dcfg_slice_new(w, &q, &err);
   if (s == NULL)
      fail("slice", &err);
   for (uint64_t i = 0; i < s->n_inputs; i++)
      unseen_input |= s->inputs[i].unseen;
   *is = unseen_input;
   free(instrs);
   dcfg_slice_free(s);
   return true;
}

static void ask_unseen(DcfgWet* w, const Unseen* u, bool slice)
{
   DcfgCursorByte b = ask(u->addr, u->time + 1);
   bool           is = false;

   if (b.is != DCFG_CURSOR_KNOWN || b.value != u->behind)
      differ("behind", u->addr, u->time + 1, b);
   b = ask(u->addr, u->since);
   if (b.is == DCFG_CURSOR_KNOWN ? b.value != u->before
       : u->since <= u->time && u->since > 0)
      differ("since", u->addr, u->since, b);
   for (uint64_t t = u->since + 1; t <= u->time; t += (u->time - u->since) / 4 + 1) {
      b = ask(u->addr, t);
      if (b.is == DCFG_CURSOR_KNOWN)
         differ("between", u->addr, t, b);
   }
   if (slice && has_unseen(w, u->instr, u->instance, &is) && !is)
      differ("slice", u->addr, u->time, b);
}

/*--- Where                                                ---*/

static void print_places(DcfgWet* w)
{
   uint64_t* counts = need(calloc(dcfg_wet_instrs(w) + (size_t)1,
                                  sizeof(*counts)));
   unsigned  n = 0;

   for (size_t i = 0; i < n_unseen; i++)
      counts[unseen[i].instr]++;
   for (size_t i = 0; i < n_unseen && n < 40; i++) {
      const Unseen*       u = &unseen[i];
      const DcfgWetInstr* in = dcfg_wet_instr(w, u->instr);
      if (counts[u->instr] == 0)
         continue;
      printf("   0x%" PRIx64 " %s (%s) x%" PRIu64 ": 0x%" PRIx64 " %02x is %02x,"
             " times %" PRIu64 " to %" PRIu64 "\n", in->addr,
             in->function == NULL ? "?" : in->function,
             in->image_name == NULL ? "?" : in->image_name, counts[u->instr],
             u->addr, u->before, u->behind, u->since, u->time);
      counts[u->instr] = 0;
      n++;
   }
   free(counts);
}

int main(int argc, char** argv)
{
   DcfgError    err;
   bool         given = argc == 3 || argc == 4;
   DcfgWet*     w = given ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
   int          fd = given ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0666)
                           : -1;
   bool*        plain;
   uint64_t     time = 0, every, n = 0, state = 1;

   if (!given) {
      fprintf(stderr, "usage: memory_loads TRACE INDEX [N]\n");
      return 2;
   }
   if (w == NULL || fd < 0)
      fail(argv[1], &err);
   plain = need(calloc(dcfg_wet_instrs(w) + (size_t)1, sizeof(*plain)));
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      plain[i] = is_plain(dcfg_wet_instr(w, i));
   loads = plain;
   if (!dcfg_wet_tell_loads(w, plain)
       || !dcfg_slice_make_index(w, fd, NULL, &err)
       || !dcfg_slice_use_index(w, fd, &err)
       || (cursor = dcfg_cursor_new(w, &err)) == NULL)
      fail(argv[1], &err);
   every = dcfg_cursor_end(cursor)
           / (argc == 4 ? strtoull(argv[3], NULL, 0) : 1000) + 1;
   for (unsigned pass = 0; pass < 2; pass++) {
      DcfgWetEvents* events = dcfg_wet_events_new(w, &err);
      DcfgWetEvent   e;
      if (events == NULL)
         fail(argv[1], &err);
      time = 0;
      while (dcfg_wet_next(events, &e, &err)) {
         if (e.kind == DCFG_WET_INSTR)
            time = e.time;
         if (pass == 1 && loaded_by(w, plain, &e) > 0) {
            state = state * UINT64_C(6364136223846793005) + 1;
            if ((state >> 24) % every < 3)
               ask_load(&e, loaded_by(w, plain, &e));
         }
         take(w, plain, &e, time + (e.kind != DCFG_WET_INSTR));
      }
      if (err.status != DCFG_OK)
         fail(argv[1], &err);
      dcfg_wet_events_free(events);
      empty_map();
      if (pass == 0)
         n = n_unseen;
   }
   for (size_t i = 0; i < n && i < 200; i++)
      ask_unseen(w, &unseen[i], i < 20);
   printf("%" PRIu64 " loads, %" PRIu64 " of known bytes, %" PRIu64
          " contradict; %" PRIu64 " answers, %" PRIu64 " differ\n",
          n_loads / 2, n_known / 2, n_contradicting / 2, n_asked, n_different);
   n_unseen = n;
   print_places(w);
   dcfg_cursor_free(cursor);
   dcfg_wet_close(w);
   return n_different > 0;
}
