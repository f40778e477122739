/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Checkpoints: a replay of a run's last part need not begin at its start. */

/* Owns: the places of checkpoints, what is in them, and the calls that made the
   program's mappings.  Handed: the state of each file of this room, which each
   carries itself, and calls that a replay executes, by tool/record/call_log.c.

   A replay that shows no output and collects the last N superblocks passes over
   the part before.  On its way it writes checkpoints, beside the record: 250,000
   superblocks before the end, and at 4, 16, 64 ... times that distance, down to N.
   A later replay begins at the one that is next before what it collects, so what
   it passes over is at most three times as long.

   A checkpoint has no mappings.  It has the calls that made them, which the
   replay executes again, from the place in the log where each one is.  So the core
   and all outputs learn of images as they always do.  Then the contents of pages
   follow: of memory that is not zero, and pages of files that have changed, as
   /proc/self/pagemap tells.

   A checkpoint is taken where a thread begins to run code, one superblock before
   the distance.  So what happens between the superblocks there belongs to what is
   collected, as in any replay.

   Checkpoints are of a run with one thread, without memory that it shares.  Its
   pages may have a byte for each BLOCKS_PER_BYTE superblocks before, and MOST_BYTES
   in all.  So writing them takes less than a twentieth of the time of these.  A
   file that is of another record, or damaged, is not used. */

#include "pub_tool_aspacehl.h"

#include "format/spool_file.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/base/options.h"
#include "tool/record/log.h"
#include "tool/record/recorded.h"
#include "tool/run/region.h"

/* The shortest distance from the end, and how often it is multiplied by 4. */
#define SHORTEST   250000u
#define N_PLACES   16u

#define BLOCKS_PER_BYTE 32u
#define MOST_BYTES      (256u << 20)

/* The most pages that a checkpoint looks at. */
#define MOST_PAGES (4u << 20)

#define NOW DCFG_(progress).superblocks

/* The record's header: its check sum.  The run's superblocks, and those at its end
   that are collected.  The number of the next checkpoint. */
static UInt  header_sum;
static ULong length, collected;
static UInt  next;

/*--- Places and names                                     ---*/

static ULong distance(UInt k)
{
   return (ULong)SHORTEST << 2 * k;
}

/* Return the name of checkpoint number K, which the caller frees. */
static HChar* name_of(UInt k, const HChar* end)
{
   return DCFG_(printed)("%s.last-%llu.checkpoint%s", DCFG_(record_name),
                         distance(k), end);
}

/* Put the header's text of checkpoint number K, which has room for 128 bytes.
   Return its length. */
static UInt make_text(HChar* to, UInt k)
{
   UInt n = VG_(sprintf)(to, "record=%llx-%x", DCFG_(size_of_record)(),
                         header_sum) + 1;

   return n + VG_(sprintf)(to + n, "last=%llu", distance(k)) + 1;
}

/*--- The program's memory                                 ---*/

static Addr stack_begin(void)
{
   return VG_(am_find_nsegment)((Addr)VG_(client_auxv))->start;
}

/* Call DO_IT for each mapping of the program. */
static void each_mapping(void (*do_it)(const NSegment* s))
{
   Int   n;
   Addr* starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &n);

   for (Int i = 0; i < n; i++)
      do_it(VG_(am_find_nsegment)(starts[i]));
   VG_(free)(starts);
}

/* A page, as the kernel tells of it. */
#define PAGE_PRESENT (3ULL << 62)      // or swapped
#define PAGE_OF_FILE (1ULL << 61)      // unchanged, if it is mapped privately

static Int   pagemap = -1;
static Addr  stack;           // the begin of the program's stack
static ULong n_looked, n_kept; // all pages, and those that a checkpoint needs

static Bool is_zero(Addr page)
{
   const UWord* w = (const UWord*)page;

   for (UInt i = 0; i < VKI_PAGE_SIZE / sizeof(UWord); i++)
      if (w[i] != 0)
         return False;
   return True;
}

/* Return whether the page at A of S may differ from what it was when it was
   mapped. */
static Bool is_kept(const NSegment* s, Addr a, ULong entry)
{
   return s->start == stack
          || ((entry & PAGE_PRESENT) != 0
              && (s->kind != SkFileC || (entry & PAGE_OF_FILE) == 0));
}

/* Call DO_IT for each page of S that differs from what it was.  Return False if
   the kernel tells nothing. */
static Bool each_page(const NSegment* s,
                      void (*do_it)(const NSegment* s, Addr page))
{
   ULong entries[512];
   Addr  a = s->start;

   while (a < s->end) {
      SizeT k = (s->end + 1 - a) / VKI_PAGE_SIZE;
      k = k < 512 ? k : 512;
      SysRes sres = VG_(pread)(pagemap, entries, k * sizeof(ULong),
                               (OffT)(a / VKI_PAGE_SIZE * sizeof(ULong)));
      if (sr_isError(sres) || sr_Res(sres) != k * sizeof(ULong))
         return False;
      for (SizeT i = 0; i < k; i++, a += VKI_PAGE_SIZE)
         if (is_kept(s, a, entries[i]))
            do_it(s, a);
   }
   return True;
}

static void count_page(const NSegment* s, Addr page)
{
   n_kept++;
}

static void count_mapping(const NSegment* s)
{
   n_looked += (s->end + 1 - s->start) / VKI_PAGE_SIZE;
   if (n_looked > MOST_PAGES || !each_page(s, count_page))
      DCFG_(has_checkpoints) = False;
}

/* Return whether the memory is small enough now. */
static Bool is_small(void)
{
   n_looked = n_kept = 0;
   stack    = stack_begin();
   each_mapping(count_mapping);
   ULong n = n_kept * VKI_PAGE_SIZE;
   return DCFG_(has_checkpoints) && n <= MOST_BYTES
          && n <= NOW / BLOCKS_PER_BYTE;
}

static void put_page(const NSegment* s, Addr page)
{
   if (s->kind == SkAnonC && s->start != stack && is_zero(page))
      return;
   DCFG_(log_number)(page);
   DCFG_(log_bytes)(RecEvents, (const void*)page, VKI_PAGE_SIZE);
}

static void put_mapping(const NSegment* s)
{
   UInt prot = DCFG_(protection)(s);

   if (!s->hasR)
      DCFG_(protect)(s->start, s->end + 1 - s->start, prot | VKI_PROT_READ);
   each_page(s, put_page);
   if (!s->hasR)
      DCFG_(protect)(s->start, s->end + 1 - s->start, prot);
}

static UInt sum_of_mappings;

static void add_mapping(const NSegment* s)
{
   ULong parts[4] = { sum_of_mappings, s->start, s->end,
                      s->kind << 3 | DCFG_(protection)(s) };

   sum_of_mappings = spool_sum((const UChar*)parts, sizeof(parts));
}

/* Return a hash of the program's mappings. */
static UInt mappings_now(void)
{
   sum_of_mappings = 0;
   each_mapping(add_mapping);
   return sum_of_mappings;
}

/*--- What a checkpoint has                                ---*/

/* Signals of the core: what the program does about each one. */
static void carry_handlers(Carry carry, Bool sets)
{
   for (Int i = 1; i <= _VKI_NSIG; i++) {
      vki_sigaction_fromK_t now;
      vki_sigaction_toK_t   then;
      VG_(memset)(&now, 0, sizeof(now));
      VG_(do_sys_sigaction)(i, NULL, &now);
      VG_(memcpy)(&then, &now, sizeof(then));
      carry(&then, sizeof(then));
      if (sets && VG_(memcmp)(&then, &now, sizeof(then)) != 0)
         VG_(do_sys_sigaction)(i, &then, NULL);
   }
}

/* Places: where the replay goes on in the log. */
typedef struct { RecPlace events, values; } Places;

/* Carry all but mappings and memory. */
static void carry_state(Carry carry, Bool sets, Places* places)
{
   UInt   n     = DCFG_(guest).state_size;
   UChar* state = VG_(malloc)("dcfg.record.state", n);

   VG_(memcpy)(state, DCFG_(guest_state)(1), n);
   carry(state, n);
   if (sets)
      DCFG_(set_guest_state)(1, state);
   VG_(free)(state);
   carry_handlers(carry, sets);
   DCFG_(carry_masks)(1, carry);
   DCFG_(carry_schedule)(carry);
   DCFG_(carry_streams)(carry);
   DCFG_(carry_frames)(carry);
   carry(places, sizeof(*places));
}

static void put_state(void* state, SizeT n)
{
   DCFG_(log_bytes)(RecEvents, state, n);
}

static void take_state(void* state, SizeT n)
{
   DCFG_(take_bytes)(RecEvents, state, n);
}

/*--- Writing                                              ---*/

static void put_all(void)
{
   Places places = { DCFG_(place_of)(RecEvents), DCFG_(place_of)(RecValues) };

   DCFG_(log_number)(stack);
   DCFG_(carry_executed)(put_state);
   DCFG_(log_number)(mappings_now());
   each_mapping(put_mapping);
   DCFG_(log_number)(0);
   carry_state(put_state, False, &places);
   DCFG_(write_log)();
}

static void write_checkpoint(UInt k)
{
   HChar  end[32], text[128];
   HChar* name = name_of(k, "");

   VG_(sprintf)(end, ".tmp-%d", VG_(getpid)());
   HChar* temporary = name_of(k, end);
   if (DCFG_(create_checkpoint)(temporary, text, make_text(text, k)) == 0) {
      put_all();
      UInt n = VG_(sprintf)(text, "blocks=%u", DCFG_(logged_blocks)()) + 1;
      DCFG_(log_text)(RecEnd, text, n);
      if (DCFG_(log_error)() != 0 || VG_(rename)(temporary, name) != 0)
         VG_(unlink)(temporary);
   }
   DCFG_(drop_log)();
   DCFG_FREE_ALL(name, temporary);
}

/* Return whether the replay can go on with checkpoints. */
static Bool can_go_on(void)
{
   SysRes sres;

   if (DCFG_(progress).threads != 1)
      return False;
   if (pagemap >= 0)
      return True;
   sres = VG_(open)("/proc/self/pagemap", VKI_O_RDONLY, 0);
   if (!sr_isError(sres))
      pagemap = VG_(safe_fd)(sr_Res(sres));
   return pagemap >= 0;
}

static void make_checkpoint(void);

/* Find the next place behind this one. */
static void find_next(void)
{
   ULong place = ~0ULL;

   for (UInt k = 0; k < N_PLACES; k++) {
      ULong d = distance(k);
      if (d < collected || d + 1 >= length || length - d - 1 <= NOW)
         continue;
      place = length - d - 1;
      next  = k;
   }
   DCFG_(stop_before)(place, make_checkpoint);
}

static void make_checkpoint(void)
{
   if (!can_go_on())
      DCFG_(has_checkpoints) = False;
   if (DCFG_(has_checkpoints) && is_small())
      write_checkpoint(next);
   if (DCFG_(has_checkpoints))
      find_next();
}

/*--- Beginning at one                                     ---*/

static void tell_misfit(void)
{
   DCFG_(cannot_replay)("its checkpoint does not fit: delete %s.last-*.checkpoint",
                        DCFG_(record_name));
}

/* Return what is wrong with the file NAME of checkpoint number K, which is read
   from here on; NULL: nothing. */
static const HChar* open_checkpoint(const HChar* name, UInt k)
{
   HChar        text[128];
   HChar*       there = NULL;
   UInt         n;
   const HChar* wrong = DCFG_(open_checkpoint_file)(name, &there, &n);

   if (wrong == NULL && (n != make_text(text, k)
                         || VG_(memcmp)(text, there, n) != 0))
      wrong = "it is of another recording";
   if (there != NULL)
      VG_(free)(there);
   if (wrong != NULL)
      return wrong;
   RecPlace begin    = DCFG_(place_of)(RecEvents);
   ULong    n_blocks = DCFG_(number_at_end)("blocks");
   UInt     n_read   = 0;
   for (; DCFG_(has_logged)(RecEvents); n_read++)
      DCFG_(pass_block)(RecEvents);
   if (n_read == 0 || n_read != n_blocks || DCFG_(why_log_ends)() != NULL)
      return "it is cut or damaged";
   DCFG_(go_to)(RecEvents, begin);
   return NULL;
}

/* Execute the calls again that made the mappings. */
static void make_mappings(void)
{
   Addr begin = DCFG_(take_number)();

   DCFG_(carry_executed)(take_state);
   if (begin < stack_begin())
      VG_(extend_stack)(1, begin);
   DCFG_(read_record)();
   DCFG_(execute_again)();
   DCFG_(read_checkpoint)();
   if (stack_begin() != begin || DCFG_(take_number)() != mappings_now())
      tell_misfit();
}

static void take_pages(void)
{
   for (Addr a; (a = DCFG_(take_number)()) != 0; ) {
      if (!VG_(am_is_valid_for_client)(a, VKI_PAGE_SIZE, VKI_PROT_NONE))
         tell_misfit();
      DCFG_(grow_file)(a, VKI_PAGE_SIZE);
      DCFG_(take_memory)(a, VKI_PAGE_SIZE);
   }
}

/* Begin at the checkpoint that is read now. */
static void begin_here(void)
{
   void   (*ended)(void) = DCFG_(log_ended);
   Places places;

   DCFG_(log_ended) = tell_misfit;
   make_mappings();
   take_pages();
   carry_state(take_state, True, &places);
   DCFG_(close_checkpoint)();
   DCFG_(go_to)(RecEvents, places.events);
   DCFG_(go_to)(RecValues, places.values);
   DCFG_(log_ended) = ended;
}

/* Try checkpoint number K. */
static Bool begins_at(UInt k)
{
   HChar*       name  = name_of(k, "");
   const HChar* wrong = NULL;
   Bool         is_there = !sr_isError(VG_(stat)(name, &(struct vg_stat){ 0 }));

   if (is_there)
      wrong = open_checkpoint(name, k);
   if (wrong != NULL) {
      DCFG_(remark)("dcfg: warning: %s is not used: %s\n", name, wrong);
      DCFG_(close_checkpoint)();
   } else if (is_there) {
      begin_here();
   }
   VG_(free)(name);
   return is_there && wrong == NULL;
}

static Bool (*then_request)(ThreadId tid, UWord* args, UWord* result);

/* No checkpoint has the effects of a request to the tool. */
static Bool on_request(ThreadId tid, UWord* args, UWord* result)
{
   Bool done = then_request(tid, args, result);

   if (done)
      DCFG_(has_checkpoints) = False;
   return done;
}

void DCFG_(start_checkpoints)(ULong run_length, UInt sum)
{
   ULong change = DCFG_(next_change)();

   if (DCFG_(shows_output) || run_length == 0 || !DCFG_(counts_from_end)()
       || change == 0 || change >= run_length)
      return;
   DCFG_(has_checkpoints) = True;
   header_sum = sum;
   length     = run_length;
   collected  = run_length - change;
   then_request = VG_(tdict).tool_handle_client_request;
   if (then_request != NULL)
      VG_(tdict).tool_handle_client_request = on_request;
   for (UInt k = 0; k < N_PLACES && distance(k) + 1 < length; k++)
      if (distance(k) >= collected && begins_at(k))
         break;
   find_next();
}
