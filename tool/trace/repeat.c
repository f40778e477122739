/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a trace: characters, repetitions, dictionary. */

/* Owns: the characters of the edge-id sequences, their repetitions and the
   STRING_DICTIONARY (sections 3.4 and 3.7.1 of the format).  Handed: code
   words by dcfg_trace_enc.c.

   A block of characters becomes a grammar in rounds.  Each round first
   replaces every run of one symbol by a rule "so often that", and then pairs
   of neighbours by a rule "this, then that".  Nested loops become runs of
   runs, and other repeated pieces end up as one symbol.  A round replaces the
   pairs that are more frequent than the pairs they overlap.  That depends on
   the neighbours only, so equal pieces of text are replaced in the same way
   wherever they are.  (Pairs by frequency: N. Larsson, A. Moffat, "Off-Line
   Dictionary-Based Compression", Proc.  IEEE 88, 2000.  Runs and pairs in
   rounds: A. Jez, "Recompression", JACM 63, 2016.)  At the end a rule becomes
   an entry of the dictionary if that makes the text shorter; other rules are
   written out where they are used. */

#include "tool/base/util.h"
#include "tool/trace/pairs.h"
#include "tool/trace/repeat.h"

#define NONE 0xFFFFFFFFu

/* Symbols: values of characters, the end of a sequence, rules. */
#define END        64
#define FIRST_RULE 65

/* A bit of a symbol in the block: the pair that begins with it occurs nowhere
   else.  Then no longer piece with this pair occurs twice either, so the pair
   is never looked at again. */
#define IS_UNIQUE 0x80000000u
#define SYMBOL(s) ((s) & ~IS_UNIQUE)

/* The number of rounds.  Rules nest by at most two in a round. */
#define MAX_ROUNDS 30

/* The size of the dictionary in characters at which no more entries are added,
   because readers keep it in memory. */
#define MAX_DICTIONARY (4 << 20)

/* Pairs are replaced only if one place in WORTHWHILE repeats an earlier piece.
   The first MAX_LOOK characters are tested. */
#define WORTHWHILE 32
#define MAX_LOOK   (1 << 17)

/* A block has slots for one pair in FEW characters at first. */
#define FEW 16

/* If pairs make a block shorter by less than one part in TOO_LITTLE, the next
   blocks go without. */
#define TOO_LITTLE 16

/* The largest number of blocks without a test. */
#define MAX_SKIP 15

static const HChar alphabet[64 + 1] =
   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

typedef
   struct {
      UInt left;
      UInt right;        // or of a run: how often .left is repeated
      UInt width;        // in characters, written out
      UInt uses;
      UInt key;          // the key of an entry in the dictionary
      Bool is_run, is_entry;
   }
   Rule;

struct _TextCoder {
   TextSink sink;
   ULong  bits;          // fewer than six, not written yet
   UInt   n_bits;
   UInt*  symbols;
   UInt   n, room;
   UInt   block;         // the largest .n
   Rule*  rules;
   UInt   n_rules, rules_room;
   /* State of a round: */
   UInt*  pair_of;       // for each symbol: the pair that it begins, or NONE
   PairTable pairs;      // its slots are also used as each symbol's count
   /* State of the dictionary: */
   UInt   n_keys;
   UInt   n_dictionary;  // in characters
   ULong  n_written;     // characters of all text
   /* Blocks in which pairs are not replaced: */
   UInt   to_skip;       // still to come
   UInt   last_skip;     // in the last row of them
   /* Buffer for the text: */
   UInt   n_buf;
   HChar  buf[65536];
};

TextCoder* DCFG_(new_text)(const TextSink* sink, UInt block)
{
   TextCoder* t = DCFG_CALLOC("dcfg.text", TextCoder, 1);

   t->sink    = *sink;
   t->block   = block;
   t->room    = block < 4096 ? block : 4096;
   t->symbols = dcfg_alloc("dcfg.text.symbols",
                           (SizeT)t->room * sizeof(UInt));
   return t;
}

/*--- Pairs and runs                                       ---*/

static UInt width_of(const TextCoder* t, UInt symbol)
{
   return symbol < FIRST_RULE ? 1 : t->rules[symbol - FIRST_RULE].width;
}

/* Return the characters of (N*...) around WIDTH characters. */
static ULong run_width(ULong width, UInt n)
{
   return width + 3 + DCFG_(decimal_digits)(n);
}

static UInt add_rule(TextCoder* t, UInt left, UInt right, Bool is_run)
{
   if (t->n_rules == t->rules_room) {
      t->rules_room = t->rules_room ? 2 * t->rules_room : 4096;
      t->rules      = dcfg_realloc("dcfg.text.rules", t->rules,
                                   (SizeT)t->rules_room * sizeof(Rule));
   }
   UInt width = is_run ? run_width(width_of(t, left), right)
                       : width_of(t, left) + width_of(t, right);
   Rule fresh = { left, right, width, 0, 0, is_run, False };
   t->rules[t->n_rules++] = fresh;
   return FIRST_RULE + t->n_rules - 1;
}

/* Return the symbol that replaces pair P. */
static UInt symbol_for(TextCoder* t, UInt p, Bool is_run)
{
   SymbolPair* pair = &t->pairs.list[p];

   if (pair->rule == 0)
      pair->rule = add_rule(t, pair->left, pair->right, is_run);
   return pair->rule;
}

/* Return whether N repetitions take more characters than a run. */
static Bool is_written_as_run(ULong width, UInt n)
{
   return width * n > run_width(width, n);
}

/* Return the end of the run of equal symbols that begins at I. */
static UInt end_of_run(const TextCoder* t, UInt i)
{
   UInt s = SYMBOL(t->symbols[i]);

   for (i++; i < t->n && SYMBOL(t->symbols[i]) == s; )
      i++;
   return i;
}

static void replace_runs(TextCoder* t)
{
   UInt n_new = 0, end;
   Bool any   = False;

   for (UInt i = 0; i < t->n; i = end) {
      UInt s = SYMBOL(t->symbols[i]);
      end = end_of_run(t, i);
      if (end - i > 1 && s != END
          && is_written_as_run(width_of(t, s), end - i)) {
         if (!any)
            DCFG_(clear_pairs)(&t->pairs, t->n / FEW);
         any = True;
         UInt p = DCFG_(intern_pair)(&t->pairs, s, end - i);
         t->symbols[n_new++] = symbol_for(t, p, True)
                               | (t->symbols[end - 1] & IS_UNIQUE);
      } else {
         for (UInt k = i; k < end; k++)
            t->symbols[n_new++] = t->symbols[k];
      }
   }
   t->n = n_new;
}

/* The number of symbols that tables are fetched ahead. */
#define AHEAD 16u

/* Fetch what is needed for the pair at I + AHEAD: its slot first, and what this
   names when it is half as far. */
static inline void fetch_ahead(const TextCoder* t, UInt i)
{
   if (i + AHEAD + 1 >= t->n)
      return;
   const UInt* far  = &t->symbols[i + AHEAD];
   const UInt* near = &t->symbols[i + AHEAD / 2];
   if (!(far[0] & IS_UNIQUE))
      DCFG_(fetch_slot)(&t->pairs, far[0], SYMBOL(far[1]));
   if (!(near[0] & IS_UNIQUE))
      DCFG_(fetch_pair)(&t->pairs, near[0], SYMBOL(near[1]));
}

/* Count pairs.  Then .slots has the count of the pair at each symbol, 0 if that
   is not to be replaced. */
static void count_pairs(TextCoder* t)
{
   DCFG_(clear_pairs)(&t->pairs, t->n / FEW);
   for (UInt i = 0; i < t->n; i++) {
      UInt s = t->symbols[i], next;
      fetch_ahead(t, i);
      t->pair_of[i] = NONE;
      if (i + 1 == t->n || (s & IS_UNIQUE) || s == END)
         continue;
      next = SYMBOL(t->symbols[i + 1]);
      if (next == END)
         continue;
      t->pair_of[i] = DCFG_(intern_pair)(&t->pairs, s, next);
      t->pairs.list[t->pair_of[i]].count++;
      /* Only one pair of three equal symbols can be replaced. */
      if (s == next && i + 2 < t->n && SYMBOL(t->symbols[i + 2]) == s)
         t->pair_of[++i] = NONE;
   }
   for (UInt i = 0; i < t->n; i++) {
      UInt p     = t->pair_of[i];
      UInt count = p == NONE ? 0 : t->pairs.list[p].count;
      if (i + AHEAD < t->n && t->pair_of[i + AHEAD] != NONE)
         __builtin_prefetch(&t->pairs.list[t->pair_of[i + AHEAD]]);
      if (count == 1)
         t->symbols[i] |= IS_UNIQUE;
      t->pairs.slots[i] = count == 1 ? 0 : count;
   }
}

/* Return whether to replace the pair at I and not the one at K, which overlaps
   it. */
static Bool goes_before(const TextCoder* t, UInt i, UInt k)
{
   const UInt* count = t->pairs.slots;

   return count[i] > count[k]
          || (count[i] == count[k] && t->pair_of[i] <= t->pair_of[k]);
}

/* Replace pairs.  Return whether there were any. */
static Bool replace_pairs(TextCoder* t)
{
   UInt n_new = 0, n_old = t->n;
   Bool free_before = True;      // can no pair overlap from the left?

   for (UInt i = 0; i < t->n; i++) {
      if (t->pairs.slots[i] > 0 && (free_before || goes_before(t, i, i - 1))
          && goes_before(t, i, i + 1)) {
         UInt p = t->pair_of[i];
         i++;
         t->symbols[n_new++] = symbol_for(t, p, False)
                               | (t->symbols[i] & IS_UNIQUE);
         free_before = True;
      } else {
         t->symbols[n_new++] = t->symbols[i];
         free_before = False;
      }
   }
   t->n = n_new;
   return n_new < n_old;
}

/* Return whether enough of the block occurs in it twice.  Looks at pieces of
   eight characters, and only at the beginning of a long block. */
static Bool repeats_itself(TextCoder* t)
{
   UInt  n       = t->n < MAX_LOOK ? t->n : MAX_LOOK;
   ULong piece   = 0;
   UInt  repeats = 0;

   DCFG_(clear_pairs)(&t->pairs, t->n);
   for (UInt i = 0; i < n; i++) {
      piece = (piece << 6 | (t->symbols[i] & 63)) & 0xFFFFFFFFFFFFULL;
      ULong hash = piece * 0x9E3779B97F4A7C15ULL;
      UInt* seen = &t->pairs.slots[DCFG_(slot_of)(&t->pairs, piece)];
      repeats += *seen == (UInt)(hash >> 16);
      *seen    = (UInt)(hash >> 16);
   }
   return repeats >= n / WORTHWHILE;
}

/*--- Which rules become entries                           ---*/

/* Return the length of a key: one character for the first 64 keys, two for the
   next 4096, and so on. */
static UInt key_length(UInt key)
{
   UInt  length = 1;
   ULong n      = 64;

   for (ULong k = key; k >= n; n *= 64) {
      k -= n;
      length++;
   }
   return length;
}

static Rule* rule_of(const TextCoder* t, UInt symbol)
{
   return symbol < FIRST_RULE ? NULL : &t->rules[symbol - FIRST_RULE];
}

/* Count how often each rule is used outside of rules.  The caller frees the
   result. */
static UInt* count_direct_uses(const TextCoder* t)
{
   UInt* direct = DCFG_CALLOC("dcfg.text.uses", UInt, t->n_rules);

   for (UInt i = 0; i < t->n; i++) {
      UInt symbol = SYMBOL(t->symbols[i]);
      if (symbol >= FIRST_RULE)
         direct[symbol - FIRST_RULE]++;
   }
   return direct;
}

static void count_uses(TextCoder* t, const UInt* direct)
{
   Rule* r;

   for (UInt i = 0; i < t->n_rules; i++)
      t->rules[i].uses = direct[i];
   /* Rules contain older rules only, so go backwards.  An entry has its
      contents once, however often it is used. */
   for (UInt i = t->n_rules; i-- > 0; ) {
      UInt times = t->rules[i].uses;
      if (t->rules[i].is_entry && times > 1)
         times = 1;
      if ((r = rule_of(t, t->rules[i].left)) != NULL)
         r->uses += times;
      if (!t->rules[i].is_run
          && (r = rule_of(t, t->rules[i].right)) != NULL)
         r->uses += times;
   }
}

/* Return the characters that SYMBOL takes at each use. */
static UInt used_width(const TextCoder* t, UInt symbol, UInt reference)
{
   const Rule* r = rule_of(t, symbol);

   return r == NULL ? 1 : r->is_entry ? reference : r->width;
}

static void choose_entries(TextCoder* t)
{
   /* An entry is "KEY":"...", a use is <KEY>.  Assume the next key's length. */
   UInt length    = key_length(t->n_keys + 64);
   UInt overhead  = length + 6;
   UInt reference = length + 2;
   Bool is_full   = t->n_dictionary >= MAX_DICTIONARY;
   UInt* direct   = count_direct_uses(t);

   for (UInt i = 0; i < t->n_rules; i++)
      t->rules[i].is_entry = !is_full;
   /* Repeat: a rule that is written out adds uses of the rules inside it. */
   for (UInt turn = 0; turn < 4; turn++) {
      count_uses(t, direct);
      for (UInt i = 0; i < t->n_rules; i++) {
         Rule* r    = &t->rules[i];
         UInt  left = used_width(t, r->left, reference);
         if (!r->is_run)
            r->width = left + used_width(t, r->right, reference);
         else if (is_written_as_run(left, r->right))
            r->width = run_width(left, r->right);
         else
            r->width = left * r->right;
         r->is_entry = !is_full && r->uses > 1
                       && (ULong)(r->uses - 1) * r->width
                          > (ULong)r->uses * reference + overhead;
      }
   }
   count_uses(t, direct);
   dcfg_free(direct);
}

/* Give the most used entries the shortest keys. */
static void assign_keys(TextCoder* t)
{
   enum { N_CLASSES = 4096 };
   UInt* next = DCFG_CALLOC("dcfg.text.keys", UInt, N_CLASSES + 1);

   for (UInt pass = 0; pass < 2; pass++) {
      for (UInt i = 0; i < t->n_rules; i++) {
         Rule* r     = &t->rules[i];
         UInt  class = r->uses < N_CLASSES ? N_CLASSES - r->uses : 0;
         if (!r->is_entry || r->uses == 0)
            continue;
         if (pass == 0)
            next[class + 1]++;
         else
            r->key = t->n_keys + next[class]++;
      }
      if (pass == 0)
         for (UInt c = 0; c < N_CLASSES; c++)
            next[c + 1] += next[c];
   }
   t->n_keys += next[N_CLASSES];
   dcfg_free(next);
}

/*--- Writing                                              ---*/

typedef void Put(void* arg, const HChar* text, UInt n);

static void flush(TextCoder* t, Put* put)
{
   if (t->n_buf > 0)
      put(t->sink.arg, t->buf, t->n_buf);
   t->n_buf = 0;
}

static void put_char(TextCoder* t, Put* put, HChar c)
{
   if (t->n_buf == sizeof(t->buf))
      flush(t, put);
   t->buf[t->n_buf++] = c;
   t->n_written++;
}

static void put_key(TextCoder* t, Put* put, UInt key)
{
   for (UInt i = key_length(key); i-- > 0; )
      put_char(t, put, alphabet[key >> 6 * i & 63]);
}

static void put_symbol(TextCoder* t, Put* put, UInt symbol);

static void put_rule(TextCoder* t, Put* put, const Rule* r)
{
   const Rule* left = rule_of(t, r->left);

   if (!r->is_run) {
      put_symbol(t, put, r->left);
      put_symbol(t, put, r->right);
   } else if (is_written_as_run(left != NULL && left->is_entry
                                ? key_length(left->key) + 2
                                : width_of(t, r->left), r->right)) {
      HChar digits[10];
      UInt  n_digits = 0;
      for (UInt n = r->right; n > 0; n /= 10)
         digits[n_digits++] = '0' + n % 10;
      put_char(t, put, '(');
      while (n_digits > 0)
         put_char(t, put, digits[--n_digits]);
      put_char(t, put, '*');
      put_symbol(t, put, r->left);
      put_char(t, put, ')');
   } else {
      for (UInt i = 0; i < r->right; i++)
         put_symbol(t, put, r->left);
   }
}

static void put_symbol(TextCoder* t, Put* put, UInt symbol)
{
   const Rule* r = rule_of(t, symbol);

   if (symbol == END) {
      put_char(t, put, '\n');
   } else if (r == NULL) {
      put_char(t, put, alphabet[symbol]);
   } else if (r->is_entry) {
      put_char(t, put, '<');
      put_key(t, put, r->key);
      put_char(t, put, '>');
   } else {
      put_rule(t, put, r);
   }
}

static void put_entries(TextCoder* t, Bool is_first)
{
   Put* put = t->sink.dictionary;

   for (UInt i = 0; i < t->n_rules; i++) {
      const Rule* r = &t->rules[i];
      if (!r->is_entry || r->uses == 0)
         continue;
      if (!is_first)
         put_char(t, put, ',');
      is_first = False;
      put_char(t, put, '"');
      put_key(t, put, r->key);
      put_char(t, put, '"');
      put_char(t, put, ':');
      put_char(t, put, '"');
      put_rule(t, put, r);
      put_char(t, put, '"');
      t->n_dictionary += r->width;
   }
   flush(t, put);
}

/* Return whether to replace pairs in this block. */
static Bool looks_for_pairs(TextCoder* t)
{
   if (t->to_skip > 0) {
      t->to_skip--;
      return False;
   }
   return repeats_itself(t);
}

/* Learn from a block of N characters, of which pairs saved SAVED.  If that is
   too little, leave the next blocks without, twice as many each time. */
static void learn_from_block(TextCoder* t, Long saved, UInt n)
{
   if (saved >= n / TOO_LITTLE)
      t->last_skip = 0;
   else if (t->last_skip < MAX_SKIP)
      t->last_skip = 2 * t->last_skip + 1;
   t->to_skip = t->last_skip;
}

static void finish_block(TextCoder* t)
{
   UInt  n_keys = t->n_keys;
   UInt  n_old  = t->n;
   ULong before = t->n_written;
   Bool  looks, again;

   /* The first block is the longest. */
   if (t->pair_of == NULL) {
      t->pair_of = dcfg_alloc("dcfg.text.pairs",
                              ((SizeT)t->n + 1) * sizeof(UInt));
      DCFG_(begin_pairs)(&t->pairs, t->n);
   }
   t->n_rules = 0;
   looks = again = looks_for_pairs(t);
   replace_runs(t);
   for (UInt round = 0; again && round < MAX_ROUNDS; round++) {
      count_pairs(t);
      again = replace_pairs(t);
      if (again)
         replace_runs(t);
   }
   if (t->n_rules > 0) {
      choose_entries(t);
      assign_keys(t);
      put_entries(t, n_keys == 0);
   }
   for (UInt i = 0; i < t->n; i++) {
      UInt s = SYMBOL(t->symbols[i]);
      if (s < END)
         put_char(t, t->sink.sequences, alphabet[s]);
      else
         put_symbol(t, t->sink.sequences, s);
   }
   flush(t, t->sink.sequences);
   if (looks)
      learn_from_block(t, (Long)(n_old - (t->n_written - before)), n_old);
   t->n = 0;
}

/*--- Bits in                                              ---*/

static void add_symbol(TextCoder* t, UInt symbol)
{
   if (t->n == t->block) {
      finish_block(t);
   } else if (t->n == t->room) {
      t->room    = t->block / 2 > t->room ? 2 * t->room : t->block;
      t->symbols = dcfg_realloc("dcfg.text.symbols", t->symbols,
                                (SizeT)t->room * sizeof(UInt));
   }
   t->symbols[t->n++] = symbol;
}

void DCFG_(text_bits)(TextCoder* t, UInt bits, UInt n_bits)
{
   t->bits    = t->bits << n_bits | bits;
   t->n_bits += n_bits;
   while (t->n_bits >= 6) {
      t->n_bits -= 6;
      add_symbol(t, t->bits >> t->n_bits & 63);
   }
}

void DCFG_(text_end)(TextCoder* t)
{
   if (t->n_bits > 0)
      DCFG_(text_bits)(t, 0, 6 - t->n_bits);
   add_symbol(t, END);
}

void DCFG_(finish_text)(TextCoder* t)
{
   finish_block(t);
   dcfg_free(t->symbols);
   dcfg_free(t->pair_of);
   DCFG_(delete_pairs)(&t->pairs);
   dcfg_free(t->rules);
   dcfg_free(t);
}
