/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests: characters, repetitions, dictionary. */

/* The output is expanded by substitution, as in section 3.7.1 of the format,
   and compared with the input. */

#include "unit_common.h"
#include "tool/trace/repeat.h"

#define ALPHABET \
   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"

/* A string that grows. */
typedef
   struct {
      HChar* s;
      UInt   n, room;
   }
   String;

static String sequences, dictionary, wanted, expanded;
static TextCoder* coder;

static void add(String* to, const HChar* s, UInt n)
{
   if (to->n + n + 1 > to->room) {
      to->room = 2 * (to->n + n + 1);
      to->s    = realloc(to->s, to->room);
   }
   memcpy(to->s + to->n, s, n);
   to->n += n;
   to->s[to->n] = 0;
}

static void catch_sequences(void* arg, const HChar* s, UInt n)
{
   ck_assert_ptr_eq(arg, &wanted);
   add(&sequences, s, n);
}

static void catch_dictionary(void* arg, const HChar* s, UInt n)
{
   ck_assert_ptr_eq(arg, &wanted);
   add(&dictionary, s, n);
}

static void begin(UInt block)
{
   TextSink sink = { catch_sequences, catch_dictionary, &wanted };

   sequences.n = dictionary.n = wanted.n = expanded.n = 0;
   add(&sequences, "", 0);
   add(&dictionary, "", 0);
   add(&wanted, "", 0);
   add(&expanded, "", 0);
   coder = DCFG_(new_text)(&sink, block);
}

static void in(const HChar* chars)
{
   for (; *chars; chars++) {
      if (*chars == '\n')
         DCFG_(text_end)(coder);
      else
         DCFG_(text_bits)(coder, strchr(ALPHABET, *chars) - ALPHABET, 6);
      add(&wanted, chars, 1);
   }
}

/*--- Expanding                                            ---*/

static UInt deepest_entry, deepest_run, n_entries, longest_key;

/* Begins of entries, sorted by key. */
static HChar** entries;

static int cmp_keys(const void* va, const void* vb)
{
   const HChar* a = *(HChar* const*)va;
   const HChar* b = *(HChar* const*)vb;
   return strcmp(a, b);
}

/* Cut "KEY":"VALUE","KEY":"VALUE" into strings. */
static void read_dictionary(void)
{
   HChar* s = dictionary.s;

   require(strchr(s, '\n') == NULL, "the end of a sequence in an entry");
   n_entries = longest_key = 0;
   entries   = realloc(entries, (dictionary.n / 6 + 1) * sizeof(HChar*));
   while (*s) {
      HChar* colon;
      require(n_entries == 0 || *s++ == ',', "no comma");
      require(*s == '"', "no key");
      entries[n_entries++] = s + 1;
      colon = strchr(s, ':');
      require(colon[-1] == '"' && colon[1] == '"', "no colon");
      require(strspn(s + 1, ALPHABET) == (size_t)(colon - s - 2),
              "a key of other characters");
      if (colon - s - 2 > longest_key)
         longest_key = (UInt)(colon - s - 2);
      colon[-1] = 0;
      s  = strchr(colon + 2, '"');
      *s++ = 0;
   }
   qsort(entries, n_entries, sizeof(HChar*), cmp_keys);
   for (UInt i = 1; i < n_entries; i++)
      require(strcmp(entries[i - 1], entries[i]) != 0, "a key twice");
}

static const HChar* look_up(const HChar* s, UInt n)
{
   HChar   key[8] = { 0 };
   HChar*  wanted_key = key;
   HChar** found;

   require(n < sizeof(key), "a long key");
   memcpy(key, s, n);
   found = bsearch(&wanted_key, entries, n_entries, sizeof(HChar*),
                   cmp_keys);
   require(found != NULL, "no entry %s", key);
   return *found + n + 3;
}

static void expand(const HChar* s, UInt n, UInt entry_depth, UInt run_depth)
{
   require(entry_depth <= 64 && run_depth <= 64, "too deep");
   if (entry_depth > deepest_entry)
      deepest_entry = entry_depth;
   if (run_depth > deepest_run)
      deepest_run = run_depth;
   for (UInt i = 0; i < n; i++) {
      if (s[i] == '<') {
         UInt length = (UInt)strcspn(s + i + 1, ">");
         const HChar* value = look_up(s + i + 1, length);
         expand(value, (UInt)strlen(value), entry_depth + 1, run_depth);
         i += length + 1;
      } else if (s[i] == '(') {
         UInt times, digits = (UInt)strspn(s + i + 1, "0123456789");
         UInt from = i + digits + 2, to, open = 1;
         require(digits > 0 && s[i + digits + 1] == '*', "no repetition");
         times = (UInt)atoi(s + i + 1);
         for (to = from; open > 0; to++)
            open += (s[to] == '(') - (s[to] == ')');
         while (times-- > 0)
            expand(s + from, to - 1 - from, entry_depth, run_depth + 1);
         i = to - 1;
      } else {
         require(strchr(ALPHABET "\n", s[i]) != NULL, "character %d", s[i]);
         add(&expanded, s + i, 1);
      }
   }
}

static void judge(void)
{
   DCFG_(finish_text)(coder);
   deepest_entry = deepest_run = 0;
   read_dictionary();
   expand(sequences.s, sequences.n, 0, 0);
   require(expanded.n == wanted.n, "%u characters, not %u", expanded.n,
           wanted.n);
   for (UInt i = 0; i < wanted.n; i++)
      require(expanded.s[i] == wanted.s[i], "character %u", i);
}

/*--- Bits                                                 ---*/

START_TEST(test_residues)
{
   static const HChar* const text[] = {
      "", "g", "w", "4", "8", "+", "-", "-g", "-w", "-4", "-8", "-+", "--"
   };
   for (UInt n = 0; n <= 12; n++) {
      begin(100);
      for (UInt i = 0; i < n; i++)
         DCFG_(text_bits)(coder, 1, 1);
      DCFG_(text_end)(coder);
      add(&wanted, text[n], (UInt)strlen(text[n]));
      add(&wanted, "\n", 1);
      judge();
   }
   /* The example of section 3.7.1.1. */
   begin(100);
   DCFG_(text_bits)(coder, 0x5F, 11);
   DCFG_(text_end)(coder);
   add(&wanted, "C+\n", 3);
   judge();
}
END_TEST

START_TEST(test_code_words)
{
   for (ULong seed = 1; seed <= 300; seed++) {
      UInt value = 0, have = 0;
      start_chance(seed);
      begin(64 + below(2000));
      for (UInt n = below(400); n > 0; n--) {
         UInt n_bits = below(33);
         UInt bits   = n_bits ? (UInt)(any_number() >> (64 - n_bits)) : 0;
         Bool end    = chance(3);
         DCFG_(text_bits)(coder, bits, n_bits);
         for (UInt i = n_bits; i > 0 || (end && have > 0); ) {
            value = value << 1 | (i > 0 ? bits >> --i & 1 : 0);
            if (++have == 6) {
               add(&wanted, &ALPHABET[value & 63], 1);
               have = 0;
            }
         }
         if (end) {
            DCFG_(text_end)(coder);
            add(&wanted, "\n", 1);
         }
      }
      DCFG_(text_end)(coder);
      if (have > 0)
         add(&wanted, &ALPHABET[value << (6 - have) & 63], 1);
      add(&wanted, "\n", 1);
      judge();
   }
}
END_TEST

/*--- Repetitions                                          ---*/

START_TEST(test_empty)
{
   begin(10);
   judge();
   ck_assert_str_eq(sequences.s, "");
   begin(10);
   in("\n\n\n");
   judge();
   ck_assert_str_eq(sequences.s, "\n\n\n");
}
END_TEST

START_TEST(test_run)
{
   begin(5000);
   in("B");
   for (UInt i = 0; i < 1000; i++)
      in("A");
   in("B\nAAAAA\n");
   judge();
   ck_assert_str_eq(sequences.s, "B(1000*A)B\nAAAAA\n");
   ck_assert_str_eq(dictionary.s, "");
}
END_TEST

START_TEST(test_nested_runs)
{
   begin(1 << 17);
   for (UInt i = 0; i < 30; i++) {
      in("Ab");
      for (UInt j = 0; j < 20; j++) {
         in("cDe");
         for (UInt k = 0; k < 50; k++)
            in("xY");
         in("z");
      }
   }
   in("\n");
   judge();
   ck_assert_uint_ge(deepest_run, 3);
   ck_assert_uint_lt(sequences.n + dictionary.n, 60);
}
END_TEST

/* Equal sequences in a row are no repetition, and their end is no part of an
   entry. */
START_TEST(test_ends)
{
   begin(1 << 16);
   for (UInt i = 0; i < 500; i++)
      in("abcdefghijklmnopqrst\n");
   judge();
   ck_assert_uint_eq(n_entries, 1);
   ck_assert_uint_eq(sequences.n, 500 * 4);
}
END_TEST

/* A repetition that fills the block to its end, and continues. */
START_TEST(test_blocks)
{
   begin(64);
   for (UInt i = 0; i < 1000; i++)
      in("A");
   in("\n");
   judge();
   for (UInt block = 1; block < 40; block++) {
      begin(block);
      for (UInt i = 0; i < 300; i++)
         in(i % 50 == 13 ? "\n" : i % 3 ? "Q" : "r");
      judge();
   }
}
END_TEST

/*--- The dictionary                                       ---*/

static HChar any_char(void)
{
   return ALPHABET[below(64)];
}

/* Pieces within pieces, a few times each. */
START_TEST(test_nested_entries)
{
   static HChar piece[6][13000];

   start_chance(1);
   for (UInt i = 0; i < 40; i++)
      piece[0][i] = any_char();
   for (UInt level = 1; level < 6; level++)
      for (UInt i = 0; i < 3; i++) {
         HChar rest[8] = "";
         strcat(piece[level], piece[level - 1]);
         for (UInt k = 0; k < 7; k++)
            rest[k] = any_char();
         strcat(piece[level], rest);
      }
   begin(1 << 19);
   for (UInt i = 0; i < 30; i++) {
      HChar apart[9] = "";
      for (UInt k = 0; k < 8; k++)
         apart[k] = any_char();
      in(piece[2 + i % 4]);
      in(apart);
      in(i % 5 ? "" : "\n");
   }
   in("\n");
   judge();
   ck_assert_uint_ge(deepest_entry, 3);
   ck_assert_uint_lt(sequences.n + dictionary.n, wanted.n / 20);
}
END_TEST

/* Random text cannot be compressed, and must not be changed. */
START_TEST(test_noise)
{
   begin(1 << 16);
   start_chance(1);
   for (UInt i = 0; i < 100000; i++) {
      HChar c[2] = { any_char(), 0 };
      in(c);
   }
   in("\n");
   judge();
   ck_assert_uint_le(sequences.n + dictionary.n, wanted.n);
}
END_TEST

/* A piece stands between noise.  After a few rounds most symbols are settled,
   and the others' rounds must still find the piece and leave the order. */
START_TEST(test_settled)
{
   enum { N_PIECES = 40, LENGTH = 64 };
   HChar piece[LENGTH + 1] = "";

   start_chance(1);
   for (UInt k = 0; k < LENGTH; k++)
      piece[k] = any_char();
   begin(1 << 16);
   for (UInt i = 0; i < N_PIECES; i++) {
      for (UInt k = 0; k < 500; k++) {
         HChar c[2] = { any_char(), 0 };
         in(c);
      }
      in(piece);
   }
   in("\n");
   judge();
   ck_assert_uint_lt(sequences.n + dictionary.n,
                     wanted.n - (N_PIECES - 1) * LENGTH * 3 / 4);
}
END_TEST

/* Enough entries for keys of one, two and three characters. */
START_TEST(test_many_keys)
{
   enum { PIECES = 6000, LENGTH = 24 };
   static HChar piece[PIECES][LENGTH + 1];
   UInt order[3 * PIECES];

   start_chance(1);
   for (UInt i = 0; i < PIECES; i++)
      for (UInt k = 0; k < LENGTH; k++)
         piece[i][k] = any_char();
   begin(1 << 20);
   shuffle(order, 3 * PIECES);
   for (UInt i = 0; i < 3 * PIECES; i++)
      in(piece[order[i] % PIECES]);
   in("\n");
   judge();
   ck_assert_uint_eq(longest_key, 3);
   ck_assert_uint_ge(n_entries, PIECES * 9 / 10);
}
END_TEST

/* A reader keeps the dictionary in memory, so it has a largest size. */
START_TEST(test_dictionary_ends)
{
   HChar piece[1001] = "";

   start_chance(1);
   begin(1 << 16);
   for (UInt i = 0; i < 4500; i++) {
      for (UInt k = 0; k < 1000; k++)
         piece[k] = any_char();
      in(piece);
      in("\n");
      in(piece);
      in("AAAAAAAAAA\n");
   }
   judge();
   ck_assert_uint_gt(dictionary.n, 4 << 20);
   ck_assert_uint_lt(dictionary.n, (4 << 20) + (1 << 17));
   ck_assert_str_eq(sequences.s + sequences.n - 7, "(10*A)\n");
}
END_TEST

START_TEST(test_random)
{
   for (ULong seed = 1; seed <= 600; seed++) {
      HChar word[20][12] = { "" };
      UInt  n_chars, n_words;
      start_chance(seed);
      n_chars = 1 + below(chance(50) ? 3 : 64);
      n_words = 1 + below(20);
      for (UInt i = 0; i < n_words; i++)
         for (UInt k = 0; k < 1 + below(11); k++)
            word[i][k] = ALPHABET[below(n_chars)];
      begin(1 + below(chance(20) ? 50 : 4000));
      for (UInt n = below(600); n > 0; n--) {
         UInt i = below(n_words);
         for (UInt times = chance(10) ? below(40) : 1; times > 0; times--)
            in(word[i]);
         if (chance(2))
            in("\n");
      }
      judge();
      require(sequences.n <= wanted.n + 1, "longer than it was");
   }
}
END_TEST

/* A pair keeps its number when more slots are used. */
START_TEST(test_pairs)
{
   enum { N_PAIRS = 50000 };
   PairTable t = { 0 };

   DCFG_(begin_pairs)(&t, N_PAIRS);
   for (UInt expected = 0; expected <= N_PAIRS; expected += N_PAIRS) {
      DCFG_(clear_pairs)(&t, expected);
      for (UInt i = 0; i < 2 * N_PAIRS; i++) {
         UInt p = i % N_PAIRS;
         ck_assert_uint_eq(DCFG_(intern_pair)(&t, p % 250, p), p);
      }
      ck_assert_uint_eq(t.n, N_PAIRS);
   }
   DCFG_(delete_pairs)(&t);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("text");

   add_case(s, test_residues, test_code_words, test_empty, test_run,
            test_nested_runs, test_ends, test_blocks, test_nested_entries,
            test_noise, test_settled, test_many_keys, test_dictionary_ends,
            test_random, test_pairs);
   return run_suite(s);
}
