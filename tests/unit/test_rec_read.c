/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests: reading the file of a record. */

/* Judges: what was put into the file; for changed files, the sanitizers, and a
   limit of how often a reader may ask. */

#include <setjmp.h>

#include "unit_common.h"
#include "format/pack.h"
#include "format/rec_file.h"
#include "format/rec_read.h"
#include "format/spool_file.h"

#define MOST_FILE   30000u
#define MOST_BLOCK  4000u
#define N_EVENTS    8000u
#define N_VALUES    3000u

/* Part: a block of the file. */
typedef
   struct {
      UInt head, contents, n;
   }
   Part;

static UChar file[MOST_FILE];
static UInt  file_size;
static Part  parts[64];
static UInt  n_parts;
static UChar events[N_EVENTS], values[N_VALUES];

static void put_32(UChar* to, UInt n)
{
   for (UInt i = 0; i < 4; i++)
      to[i] = (UChar)(n >> 8 * i);
}

static void put_block(UInt kind, UInt number, const UChar* bytes, UInt n)
{
   UChar  head[REC_BLOCK_HEAD] = REC_BLOCK_MAGIC;
   UChar* packed = malloc(n + 1);
   UInt   k = n;

   if (kind == RecEvents || kind == RecValues)
      k = DCFG_(pack)(bytes, n, packed);
   bytes = k < n ? packed : bytes;
   put_32(head + RecKindAt, kind);
   put_32(head + RecNumberAt, number);
   put_32(head + RecStoredAt, k);
   put_32(head + RecLengthAt, n);
   put_32(head + RecBlockSumAt, spool_sum(bytes, k));
   parts[n_parts++] = (Part){ file_size, file_size + REC_BLOCK_HEAD, k };
   memcpy(file + file_size, head, sizeof(head));
   memcpy(file + file_size + sizeof(head), bytes, k);
   file_size += (UInt)sizeof(head) + k;
   ck_assert_uint_le(file_size, MOST_FILE);
   ck_assert_uint_lt(n_parts, sizeof(parts) / sizeof(parts[0]));
   free(packed);
}

static void put_header(void)
{
   const UChar  magic[8] = REC_MAGIC;
   const HChar  text[] = "tool=1\0arg=prog\0arg=second\0argument=x";

   memcpy(file, magic, sizeof(magic));
   put_32(file + RecVersionAt, REC_VERSION);
   put_32(file + RecTextAt, sizeof(text));
   put_32(file + RecSumAt, spool_sum((const UChar*)text, sizeof(text)));
   memcpy(file + REC_HEAD_SIZE, text, sizeof(text));
   file_size = REC_HEAD_SIZE + (UInt)sizeof(text);
}

/* Make a file with blocks of all kinds, some of which are packed. */
static void make_file(void)
{
   const HChar end[] = "end=exit\0status=0\0superblocks=123456";
   UInt        at = 0, from = 0, k = 0;

   start_chance(4711);
   for (UInt i = 0; i < N_EVENTS; i++)
      events[i] = (UChar)(i % 1000 < 500 ? any_number() : i / 9);
   for (UInt i = 0; i < N_VALUES; i++)
      values[i] = (UChar)any_number();
   n_parts = 0;
   put_header();
   while (at < N_EVENTS) {
      UInt n = 1 + below(MOST_BLOCK / 2), m = below(900);
      n = n < N_EVENTS - at ? n : N_EVENTS - at;
      m = m < N_VALUES - from ? m : N_VALUES - from;
      put_block(RecValues, k, values + from, m);
      put_block(RecImage, k, (const UChar*)"build=1\0path=/x", 16);
      put_block(RecEvents, k++, events + at, n);
      at   += n;
      from += m;
   }
   put_block(RecValues, k, values + from, N_VALUES - from);
   put_block(RecEnd, 0, (const UChar*)end, sizeof(end));
}

/* The file that is read. */
static const UChar* present;
static UInt         present_size, reads;
static jmp_buf      ended;

static Bool read_present(ULong place, void* to, UInt n)
{
   reads++;
   if (place > present_size || n > present_size - place)
      return False;
   memcpy(to, present + place, n);
   return True;
}

static void on_end(void)
{
   longjmp(ended, 1);
}

START_TEST(test_right)
{
   UChar  got[N_EVENTS];
   HChar* text;
   UInt   n, at = 0;

   make_file();
   present      = file;
   present_size = file_size;
   ck_assert_ptr_null(DCFG_(open_record)(read_present, file_size, &text, &n));
   DCFG_(start_reading)();
   ck_assert_str_eq(DCFG_(value_in)(text, n, "arg", 1), "second");
   ck_assert_ptr_null(DCFG_(value_in)(text, n, "arg", 2));
   ck_assert_ptr_null(DCFG_(value_in)(text, n, "ar", 0));
   ck_assert_uint_eq(DCFG_(number_at_end)("superblocks"), 123456);
   for (UInt k; at < N_EVENTS; at += k) {
      k = 1 + below(3000);
      k = k < N_EVENTS - at ? k : N_EVENTS - at;
      DCFG_(take_bytes)(RecEvents, got + at, k);
   }
   ck_assert_int_eq(memcmp(got, events, N_EVENTS), 0);
   DCFG_(take_bytes)(RecValues, got, N_VALUES);
   ck_assert_int_eq(memcmp(got, values, N_VALUES), 0);
   ck_assert(!DCFG_(has_logged)(RecValues) && !DCFG_(has_logged)(RecEvents));
   ck_assert_ptr_null(DCFG_(why_log_ends)());
   free(text);
}
END_TEST

/* A reader goes on at any place where it has been, while another file is read, too. */
START_TEST(test_places)
{
   RecPlace at[200];
   UInt     where[200], n, k = 0;
   UChar    got[300];
   HChar*   text;

   make_file();
   present      = file;
   present_size = file_size;
   DCFG_(log_ended) = on_end;
   ck_assert_ptr_null(DCFG_(open_record)(read_present, file_size, &text, &n));
   free(text);
   DCFG_(start_reading)();
   for (UInt i = 0; k < 200 && i + 300 <= N_EVENTS; k++) {
      at[k]    = DCFG_(place_of)(RecEvents);
      where[k] = i;
      i += below(100);
      DCFG_(take_bytes)(RecEvents, got, i - where[k]);
   }
   ck_assert_ptr_nonnull(DCFG_(open_checkpoint)(read_present, file_size, &text, &n));
   file[5] = 'C';
   file[6] = 'K';
   file[7] = 'P';
   ck_assert_ptr_null(DCFG_(open_checkpoint)(read_present, file_size, &text, &n));
   free(text);
   for (UInt i = 0; i < 2000; i++) {
      UInt j = below(k);
      if (chance(50))
         DCFG_(read_record)();
      else
         DCFG_(read_checkpoint)();
      DCFG_(go_to)(RecEvents, at[j]);
      DCFG_(take_bytes)(RecEvents, got, 300);
      ck_assert_int_eq(memcmp(got, events + where[j], 300), 0);
      if (chance(5))
         DCFG_(pass_block)(RecEvents);
   }
   if (setjmp(ended) == 0) {
      DCFG_(go_to)(RecEvents, (RecPlace){ at[9].block, at[9].number, 1u << 20 });
      ck_abort_msg("a place that is not in the block");
   }
   DCFG_(read_record)();
}
END_TEST

/* Read the present file as a replay does, up to where it ends. */
static void read_all(void)
{
   HChar* text = NULL;
   UInt   n;
   UChar  bytes[64];

   DCFG_(log_ended) = on_end;
   reads = 0;
   if (DCFG_(open_record)(read_present, present_size, &text, &n) == NULL) {
      DCFG_(value_in)(text, n, "arg", below(3));
      DCFG_(start_reading)();
      DCFG_(number_at_end)("superblocks");
      if (setjmp(ended) == 0)
         for (;;) {
            DCFG_(take_signed)();
            DCFG_(take_bytes)(RecEvents, bytes, below(sizeof(bytes)));
         }
      while (DCFG_(has_logged)(RecValues))
         DCFG_(take_bytes)(RecValues, bytes, 1);
   }
   free(text);
   /* There are three walks over the blocks, each with two reads of a block. */
   ck_assert_uint_le(reads, 8 + 2 * 3 * (present_size / REC_BLOCK_HEAD + 1));
}

/* A block of zeros that is a little too large, unpacked, has no bytes; and an end
   that is too large says nothing. */
START_TEST(test_large)
{
   UChar* zeros = calloc(REC_MAX_BLOCK + 1, 1);

   for (UInt more = 0; more < 2; more++) {
      HChar* text;
      UInt   n;
      n_parts = 0;
      put_header();
      put_block(RecEvents, 0, zeros, REC_MAX_BLOCK + more);
      put_block(RecEnd, 0, zeros, 6000);
      present      = file;
      present_size = file_size;
      ck_assert_ptr_null(DCFG_(open_record)(read_present, file_size, &text, &n));
      DCFG_(start_reading)();
      ck_assert_uint_eq(DCFG_(number_at_end)("superblocks"), 0);
      ck_assert_int_eq(DCFG_(has_logged)(RecEvents), more == 0);
      free(text);
   }
   free(zeros);
}
END_TEST

/* Change a byte or a number of TO, the file of SIZE bytes, or contents with a check
   sum that is right. */
static void change(UChar* to, UInt size)
{
   const UInt  numbers[] = { 0, 1, 255, 65535, REC_MAX_BLOCK, REC_MAX_BLOCK + 1,
                             0x7FFFFFFF, 0xFFFFFFFF };
   const Part* p = &parts[below(n_parts)];
   UInt        n = numbers[below(8)];

   switch (below(4)) {
      case 0:
         to[below(size)] ^= (UChar)(1 << below(8));
         return;
      case 1:
         put_32(to + p->head + 4 * (1 + below(5)), chance(50) ? n : below(5000));
         return;
      case 2:
         put_32(to + 4 * below(REC_HEAD_SIZE / 4 + 10), n);
         return;
      default:
         if (p->n > 0)
            to[p->contents + below(p->n)] = (UChar)n;
         put_32(to + p->head + RecBlockSumAt, spool_sum(to + p->contents, p->n));
   }
}

/* DCFG_RECORD_MUTANTS=N: so many in place of 20,000. */
START_TEST(test_mutants)
{
   const HChar* asked = getenv("DCFG_RECORD_MUTANTS");
   UInt         n = asked == NULL ? 20000 : (UInt)atoi(asked);

   make_file();
   limit_processor_time(20 + n / 500);
   for (UInt i = 0; i < n; i++) {
      UInt   size = chance(20) ? below(file_size) : file_size;
      UChar* to = malloc(size + 1);
      memcpy(to, file, size);
      for (UInt k = 1 + below(3); size == file_size && k > 0; k--)
         change(to, size);
      present      = to;
      present_size = size;
      read_all();
      free(to);
   }
}
END_TEST

int main(void)
{
   Suite* s = suite_create("rec_read");
   TCase* t = tcase_create("rec_read");

   tcase_set_timeout(t, 0);
   tcase_add_test(t, test_right);
   tcase_add_test(t, test_places);
   tcase_add_test(t, test_large);
   tcase_add_test(t, test_mutants);
   suite_add_tcase(s, t);
   return run_suite(s);
}
