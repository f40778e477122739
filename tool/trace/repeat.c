/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a trace: characters, repetitions, dictionary. */

/* Owns: the characters of the edge-id sequences, their repetitions and the
   STRING_DICTIONARY (sections 3.4 and 3.7.1 of the format); the memory of a table
   of pairs.  Handed: code words by dcfg_trace_enc.c, pairs of phrases by
   tool/trace/choose.c.

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
#include "tool/trace/repeat.h"

static UInt slots_for(UInt n)
{
   UInt n_slots = 4096;

   while (n_slots < 2 * (SizeT)n)
      n_slots *= 2;
   return n_slots;
}

void DCFG_(begin_pairs)(PairTable* table, UInt n)
{
   table->n_slots = slots_for(n);
   table->slots   = dcfg_alloc("dcfg.pairs.slots",
                               (SizeT)table->n_slots * sizeof(UInt));
}

void DCFG_(delete_pairs)(PairTable* table)
{
   dcfg_free(table->slots);
   table->slots = NULL;
   dcfg_free(table->list);
   table->list = NULL;
}

void DCFG_(clear_pairs)(PairTable* table, UInt n)
{
   table->n       = 0;
   table->n_slots = slots_for(n);
   dcfg_memset(table->slots, 0, (SizeT)table->n_slots * sizeof(UInt));
}

void DCFG_(use_more_slots)(PairTable* table)
{
   table->n_slots *= 2;
   dcfg_memset(table->slots, 0, (SizeT)table->n_slots * sizeof(UInt));
   for (UInt p = 0; p < table->n; p++)
      *DCFG_(find_slot)(table, table->list[p].left, table->list[p].right)
         = p + 1;
}

UInt DCFG_(add_pair)(PairTable* table, UInt left, UInt right)
{
   const SymbolPair fresh = { left, right, 0, 0 };

   if (table->n == table->room) {
      table->room = table->room ? 2 * table->room : 4096;
      table->list = dcfg_realloc("dcfg.pairs.list", table->list,
                                 (SizeT)table->room * sizeof(SymbolPair));
   }
   table->list[table->n] = fresh;
   return table->n++;
}

#define NONE 0xFFFFFFFFu

/* Symbols: values of characters, the end of a sequence, rules. */
#define END        64
#define FIRST_RULE 65

/* A bit of a symbol in the block: the pair that begins with it occurs nowhere
   else.  Then no longer piece with this pair occurs twice either, so the pair
   is never looked at again. */
#define IS_UNIQUE 0x80000000u

/* A bit of a symbol in the block: settled symbols stand behind it, see
   set_aside(). */
#define HAS_GAP   0x40000000u
#define FLAGS(s)  ((s) & (IS_UNIQUE | HAS_GAP))
#define SYMBOL(s) ((s) & ~(IS_UNIQUE | HAS_GAP))

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

/* The largest number of bytes in which pairs are counted roughly. */
#define MAX_SEEN (1u << 20)

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
   UChar* seen;          // for each hash value of pairs: 0, 1, or more of them
   UInt*  settled;       // see set_aside()
   UInt   n_settled;
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

static UInt width_of(const TextCoder* coder, UInt symbol)
{
   return symbol < FIRST_RULE ? 1 : coder->rules[symbol - FIRST_RULE].width;
}

/* Return the characters of (N*...) around WIDTH characters. */
static ULong run_width(ULong width, UInt n)
{
   return width + 3 + DCFG_(decimal_digits)(n);
}

static UInt add_rule(TextCoder* coder, UInt left, UInt right, Bool is_run)
{
   if (coder->n_rules == coder->rules_room) {
      coder->rules_room = coder->rules_room ? 2 * coder->rules_room : 4096;
      coder->rules      = dcfg_realloc("dcfg.text.rules", coder->rules,
                                       (SizeT)coder->rules_room * sizeof(Rule));
   }
   UInt width = is_run ? run_width(width_of(coder, left), right)
                       : width_of(coder, left) + width_of(coder, right);
   Rule fresh = { left, right, width, 0, 0, is_run, False };
   coder->rules[coder->n_rules++] = fresh;
   return FIRST_RULE + coder->n_rules - 1;
}

/* Return the symbol that replaces pair P. */
static UInt symbol_for(TextCoder* coder, UInt p, Bool is_run)
{
   SymbolPair* pair = &coder->pairs.list[p];

   if (pair->rule == 0)
      pair->rule = add_rule(coder, pair->left, pair->right, is_run);
   return pair->rule;
}

/* Return whether N repetitions take more characters than a run. */
static Bool is_written_as_run(ULong width, UInt n)
{
   return width * n > run_width(width, n);
}

/* Return the end of the run of equal symbols that begins at I. */
static UInt end_of_run(const TextCoder* coder, UInt i)
{
   UInt s = SYMBOL(coder->symbols[i]);

   for (i++; i < coder->n && SYMBOL(coder->symbols[i]) == s
             && !(coder->symbols[i - 1] & HAS_GAP); )
      i++;
   return i;
}

static void replace_runs(TextCoder* coder)
{
   UInt n_new = 0, end;
   Bool any   = False;

   for (UInt i = 0; i < coder->n; i = end) {
      UInt s = SYMBOL(coder->symbols[i]);
      end = end_of_run(coder, i);
      if (end - i > 1 && s != END
          && is_written_as_run(width_of(coder, s), end - i)) {
         if (!any)
            DCFG_(clear_pairs)(&coder->pairs, coder->n / FEW);
         any = True;
         UInt p = DCFG_(intern_pair)(&coder->pairs, s, end - i);
         coder->symbols[n_new++] = symbol_for(coder, p, True)
                                   | FLAGS(coder->symbols[end - 1]);
      } else {
         for (UInt k = i; k < end; k++)
            coder->symbols[n_new++] = coder->symbols[k];
      }
   }
   coder->n = n_new;
}

/* The number of symbols that tables are fetched ahead. */
#define AHEAD 16u

/* Fetch what is needed for the pair at I + AHEAD: its slot first, and what this
   names when it is half as far. */
static inline void fetch_ahead(const TextCoder* coder, UInt i)
{
   if (i + AHEAD + 1 >= coder->n)
      return;
   const UInt* far  = &coder->symbols[i + AHEAD];
   const UInt* near = &coder->symbols[i + AHEAD / 2];
   if (!(far[0] & IS_UNIQUE))
      DCFG_(fetch_slot)(&coder->pairs, far[0], SYMBOL(far[1]));
   if (!(near[0] & IS_UNIQUE))
      DCFG_(fetch_pair)(&coder->pairs, near[0], SYMBOL(near[1]));
}

/* Return whether the symbol at I begins a pair that may occur elsewhere. */
static inline Bool begins_pair(const TextCoder* coder, UInt i)
{
   const UInt* s = &coder->symbols[i];

   return i + 1 < coder->n && !(s[0] & IS_UNIQUE) && s[0] != END
          && SYMBOL(s[1]) != END;
}

/* Return whether the pair at I overlaps an equal one at I + 1, which cannot be
   replaced, too. */
static inline Bool is_triple(const TextCoder* coder, UInt i)
{
   const UInt* s = &coder->symbols[i];

   return s[0] == SYMBOL(s[1]) && i + 2 < coder->n && SYMBOL(s[2]) == s[0];
}

/* Mark the symbols of pairs that occur only once, so that the table of pairs
   has few others.  Of other pairs that share a hash value with any, some stay
   unmarked. */
static void mark_unique(TextCoder* coder)
{
   UInt mask = slots_for(coder->n) - 1, n = coder->n;

   if (mask >= MAX_SEEN)
      mask = MAX_SEEN - 1;
   dcfg_memset(coder->seen, 0, mask + 1);
   for (UInt i = 0; i < n; i++) {
      coder->pair_of[i] = NONE;
      if (!begins_pair(coder, i))
         continue;
      UInt h = DCFG_(hash_of_pair)(coder->symbols[i],
                                   SYMBOL(coder->symbols[i + 1])) & mask;
      coder->seen[h]    = coder->seen[h] == 0 ? 1 : 2;
      coder->pair_of[i] = h;
      if (is_triple(coder, i))
         coder->pair_of[++i] = NONE;
   }
   for (UInt i = 0; i < n; i++)
      if (coder->pair_of[i] != NONE && coder->seen[coder->pair_of[i]] == 1)
         coder->symbols[i] |= IS_UNIQUE;
}

/* Count pairs.  Then .slots has the count of the pair at each symbol, 0 if that
   is not to be replaced.  Return how many symbols are settled: neither the pair
   that ends nor the pair that begins with them occurs twice. */
static UInt count_pairs(TextCoder* coder)
{
   UInt n_settled = 0, before = 0;

   DCFG_(clear_pairs)(&coder->pairs, coder->n / FEW);
   for (UInt i = 0; i < coder->n; i++) {
      fetch_ahead(coder, i);
      coder->pair_of[i] = NONE;
      if (!begins_pair(coder, i))
         continue;
      coder->pair_of[i]
         = DCFG_(intern_pair)(&coder->pairs, coder->symbols[i],
                              SYMBOL(coder->symbols[i + 1]));
      coder->pairs.list[coder->pair_of[i]].count++;
      /* Only one pair of three equal symbols can be replaced. */
      if (is_triple(coder, i))
         coder->pair_of[++i] = NONE;
   }
   for (UInt i = 0; i < coder->n; i++) {
      UInt p     = coder->pair_of[i];
      UInt count = p == NONE ? 0 : coder->pairs.list[p].count;
      if (i + AHEAD < coder->n && coder->pair_of[i + AHEAD] != NONE)
         __builtin_prefetch(&coder->pairs.list[coder->pair_of[i + AHEAD]]);
      if (count == 1)
         coder->symbols[i] |= IS_UNIQUE;
      coder->pairs.slots[i] = count == 1 ? 0 : count;
      n_settled += (before & coder->symbols[i] & IS_UNIQUE) != 0;
      before     = coder->symbols[i];
   }
   return n_settled;
}

/*--- Settled symbols                                      ---*/

/* Neither of the pairs of a settled symbol will ever be replaced.  Take these
   symbols out of the block, so that further rounds need not look at them.  They
   go behind the other symbols' .pair_of, where bring_back() finds them. */
static void set_aside(TextCoder* coder)
{
   UInt  n = coder->n, n_kept = 0, n_settled = 0, before = 0;
   UInt* aside = coder->pair_of;

   for (UInt i = 0; i < n; i++) {
      UInt s = coder->symbols[i];
      if (!(before & s & IS_UNIQUE)) {
         coder->symbols[n_kept++] = s;
      } else if (coder->symbols[n_kept - 1] & HAS_GAP) {
         aside[n_settled++] = s;
      } else {
         /* HAS_GAP of a settled symbol tells that it is its gap's first. */
         coder->symbols[n_kept - 1] |= HAS_GAP;
         aside[n_settled++] = s | HAS_GAP;
      }
      before = s;
   }
   dcfg_memmove(aside + n_kept, aside, (SizeT)n_settled * sizeof(UInt));
   coder->n         = n_kept;
   coder->n_settled = n_settled;
   coder->settled   = aside + n_kept;
}

/* Put the settled symbols back. */
static void bring_back(TextCoder* coder)
{
   UInt from = coder->n, to = coder->n + coder->n_settled;

   coder->n = to;
   while (from > 0) {
      UInt s = coder->symbols[--from];
      if (s & HAS_GAP) {
         UInt settled;
         do {
            settled = coder->settled[--coder->n_settled];
            coder->symbols[--to] = settled;
         } while (!(settled & HAS_GAP));
      }
      coder->symbols[--to] = s;
   }
}

/*--- Rounds                                               ---*/

/* Return whether to replace the pair at I and not the one at K, which overlaps
   it. */
static Bool goes_before(const TextCoder* coder, UInt i, UInt k)
{
   const UInt* count = coder->pairs.slots;

   return count[i] > count[k]
          || (count[i] == count[k] && coder->pair_of[i] <= coder->pair_of[k]);
}

/* Replace pairs.  Return whether there were any.  *HAS_RUNS becomes True if two
   of their symbols are neighbours and equal. */
static Bool replace_pairs(TextCoder* coder, Bool* has_runs)
{
   UInt n_new = 0, n_old = coder->n;
   Bool free_before = True;      // can no pair overlap from the left?

   *has_runs = False;
   for (UInt i = 0; i < coder->n; i++) {
      if (coder->pairs.slots[i] > 0
          && (free_before || goes_before(coder, i, i - 1))
          && goes_before(coder, i, i + 1)) {
         UInt s = symbol_for(coder, coder->pair_of[i], False);
         i++;
         *has_runs |= n_new > 0 && SYMBOL(coder->symbols[n_new - 1]) == s;
         coder->symbols[n_new++] = s | FLAGS(coder->symbols[i]);
         free_before = True;
      } else {
         coder->symbols[n_new++] = coder->symbols[i];
         free_before = False;
      }
   }
   coder->n = n_new;
   return n_new < n_old;
}

/* Replace pairs and runs in rounds, until there are no more.  Only new symbols
   make new runs: a run that was not worth it has not become longer. */
static void replace_all(TextCoder* coder)
{
   Bool again = True, has_runs;

   for (UInt round = 0; again && round < MAX_ROUNDS; round++) {
      /* The first round's pairs are of characters, so few are unique. */
      if (round > 0)
         mark_unique(coder);
      UInt n_settled = count_pairs(coder);
      again = replace_pairs(coder, &has_runs);
      if (again && has_runs)
         replace_runs(coder);
      if (again && coder->n_settled == 0 && n_settled > coder->n / 2)
         set_aside(coder);
   }
   if (coder->n_settled > 0)
      bring_back(coder);
}

/* Return whether enough of the block occurs in it twice.  Looks at pieces of
   eight characters, and only at the beginning of a long block. */
static Bool repeats_itself(TextCoder* coder)
{
   UInt  n       = coder->n < MAX_LOOK ? coder->n : MAX_LOOK;
   ULong piece   = 0;
   UInt  repeats = 0;

   DCFG_(clear_pairs)(&coder->pairs, coder->n);
   for (UInt i = 0; i < n; i++) {
      piece = (piece << 6 | (coder->symbols[i] & 63)) & 0xFFFFFFFFFFFFULL;
      ULong hash = piece * 0x9E3779B97F4A7C15ULL;
      UInt* seen = &coder->pairs.slots[DCFG_(slot_of)(&coder->pairs, piece)];
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

static Rule* rule_of(const TextCoder* coder, UInt symbol)
{
   return symbol < FIRST_RULE ? NULL : &coder->rules[symbol - FIRST_RULE];
}

/* Count how often each rule is used outside of rules.  The caller frees the
   result. */
static UInt* count_direct_uses(const TextCoder* coder)
{
   UInt* direct = DCFG_CALLOC("dcfg.text.uses", UInt, coder->n_rules);

   for (UInt i = 0; i < coder->n; i++) {
      UInt symbol = SYMBOL(coder->symbols[i]);
      if (symbol >= FIRST_RULE)
         direct[symbol - FIRST_RULE]++;
   }
   return direct;
}

static void count_uses(TextCoder* coder, const UInt* direct)
{
   Rule* r;

   for (UInt i = 0; i < coder->n_rules; i++)
      coder->rules[i].uses = direct[i];
   /* Rules contain older rules only, so go backwards.  An entry has its
      contents once, however often it is used. */
   for (UInt i = coder->n_rules; i-- > 0; ) {
      UInt times = coder->rules[i].uses;
      if (coder->rules[i].is_entry && times > 1)
         times = 1;
      if ((r = rule_of(coder, coder->rules[i].left)) != NULL)
         r->uses += times;
      if (!coder->rules[i].is_run
          && (r = rule_of(coder, coder->rules[i].right)) != NULL)
         r->uses += times;
   }
}

/* Return the characters that SYMBOL takes at each use. */
static UInt used_width(const TextCoder* coder, UInt symbol, UInt reference)
{
   const Rule* r = rule_of(coder, symbol);

   return r == NULL ? 1 : r->is_entry ? reference : r->width;
}

static void choose_entries(TextCoder* coder)
{
   /* An entry is "KEY":"...", a use is <KEY>.  Assume the next key's length. */
   UInt length    = key_length(coder->n_keys + 64);
   UInt overhead  = length + 6;
   UInt reference = length + 2;
   Bool is_full   = coder->n_dictionary >= MAX_DICTIONARY;
   UInt* direct   = count_direct_uses(coder);

   for (UInt i = 0; i < coder->n_rules; i++)
      coder->rules[i].is_entry = !is_full;
   /* Repeat: a rule that is written out adds uses of the rules inside it. */
   for (UInt turn = 0; turn < 4; turn++) {
      count_uses(coder, direct);
      for (UInt i = 0; i < coder->n_rules; i++) {
         Rule* r    = &coder->rules[i];
         UInt  left = used_width(coder, r->left, reference);
         if (!r->is_run)
            r->width = left + used_width(coder, r->right, reference);
         else if (is_written_as_run(left, r->right))
            r->width = run_width(left, r->right);
         else
            r->width = left * r->right;
         r->is_entry = !is_full && r->uses > 1
                       && (ULong)(r->uses - 1) * r->width
                          > (ULong)r->uses * reference + overhead;
      }
   }
   count_uses(coder, direct);
   dcfg_free(direct);
}

/* Give the most used entries the shortest keys. */
static void assign_keys(TextCoder* coder)
{
   enum { N_CLASSES = 4096 };
   UInt* next = DCFG_CALLOC("dcfg.text.keys", UInt, N_CLASSES + 1);

   for (UInt pass = 0; pass < 2; pass++) {
      for (UInt i = 0; i < coder->n_rules; i++) {
         Rule* r     = &coder->rules[i];
         UInt  class = r->uses < N_CLASSES ? N_CLASSES - r->uses : 0;
         if (!r->is_entry || r->uses == 0)
            continue;
         if (pass == 0)
            next[class + 1]++;
         else
            r->key = coder->n_keys + next[class]++;
      }
      if (pass == 0)
         for (UInt c = 0; c < N_CLASSES; c++)
            next[c + 1] += next[c];
   }
   coder->n_keys += next[N_CLASSES];
   dcfg_free(next);
}

/*--- Writing                                              ---*/

typedef void Put(void* arg, const HChar* text, UInt n);

static void flush(TextCoder* coder, Put* put)
{
   if (coder->n_buf > 0)
      put(coder->sink.arg, coder->buf, coder->n_buf);
   coder->n_buf = 0;
}

static void put_char(TextCoder* coder, Put* put, HChar c)
{
   if (coder->n_buf == sizeof(coder->buf))
      flush(coder, put);
   coder->buf[coder->n_buf++] = c;
   coder->n_written++;
}

static void put_key(TextCoder* coder, Put* put, UInt key)
{
   for (UInt i = key_length(key); i-- > 0; )
      put_char(coder, put, alphabet[key >> 6 * i & 63]);
}

static void put_symbol(TextCoder* coder, Put* put, UInt symbol);

static void put_rule(TextCoder* coder, Put* put, const Rule* r)
{
   const Rule* left = rule_of(coder, r->left);

   if (!r->is_run) {
      put_symbol(coder, put, r->left);
      put_symbol(coder, put, r->right);
   } else if (is_written_as_run(left != NULL && left->is_entry
                                ? key_length(left->key) + 2
                                : width_of(coder, r->left), r->right)) {
      HChar digits[10];
      UInt  n_digits = 0;
      for (UInt n = r->right; n > 0; n /= 10)
         digits[n_digits++] = '0' + n % 10;
      put_char(coder, put, '(');
      while (n_digits > 0)
         put_char(coder, put, digits[--n_digits]);
      put_char(coder, put, '*');
      put_symbol(coder, put, r->left);
      put_char(coder, put, ')');
   } else {
      for (UInt i = 0; i < r->right; i++)
         put_symbol(coder, put, r->left);
   }
}

static void put_symbol(TextCoder* coder, Put* put, UInt symbol)
{
   const Rule* r = rule_of(coder, symbol);

   if (symbol == END) {
      put_char(coder, put, '\n');
   } else if (r == NULL) {
      put_char(coder, put, alphabet[symbol]);
   } else if (r->is_entry) {
      put_char(coder, put, '<');
      put_key(coder, put, r->key);
      put_char(coder, put, '>');
   } else {
      put_rule(coder, put, r);
   }
}

static void put_entries(TextCoder* coder, Bool is_first)
{
   Put* put = coder->sink.dictionary;

   for (UInt i = 0; i < coder->n_rules; i++) {
      const Rule* r = &coder->rules[i];
      if (!r->is_entry || r->uses == 0)
         continue;
      if (!is_first)
         put_char(coder, put, ',');
      is_first = False;
      put_char(coder, put, '"');
      put_key(coder, put, r->key);
      put_char(coder, put, '"');
      put_char(coder, put, ':');
      put_char(coder, put, '"');
      put_rule(coder, put, r);
      put_char(coder, put, '"');
      coder->n_dictionary += r->width;
   }
   flush(coder, put);
}

/* Return whether to replace pairs in this block. */
static Bool looks_for_pairs(TextCoder* coder)
{
   if (coder->to_skip > 0) {
      coder->to_skip--;
      return False;
   }
   return repeats_itself(coder);
}

/* Learn from a block of N characters, of which pairs saved SAVED.  If that is
   too little, leave the next blocks without, twice as many each time. */
static void learn_from_block(TextCoder* coder, Long saved, UInt n)
{
   if (saved >= n / TOO_LITTLE)
      coder->last_skip = 0;
   else if (coder->last_skip < MAX_SKIP)
      coder->last_skip = 2 * coder->last_skip + 1;
   coder->to_skip = coder->last_skip;
}

static void finish_block(TextCoder* coder)
{
   UInt  n_keys = coder->n_keys;
   UInt  n_old  = coder->n;
   ULong before = coder->n_written;
   Bool  looks;

   /* The first block is the longest. */
   if (coder->pair_of == NULL) {
      coder->pair_of = dcfg_alloc("dcfg.text.pairs",
                                  ((SizeT)coder->n + 1) * sizeof(UInt));
      coder->seen    = dcfg_alloc("dcfg.text.seen", MAX_SEEN);
      DCFG_(begin_pairs)(&coder->pairs, coder->n);
   }
   coder->n_rules = 0;
   looks = looks_for_pairs(coder);
   replace_runs(coder);
   if (looks)
      replace_all(coder);
   if (coder->n_rules > 0) {
      choose_entries(coder);
      assign_keys(coder);
      put_entries(coder, n_keys == 0);
   }
   for (UInt i = 0; i < coder->n; i++) {
      UInt s = SYMBOL(coder->symbols[i]);
      if (s < END)
         put_char(coder, coder->sink.sequences, alphabet[s]);
      else
         put_symbol(coder, coder->sink.sequences, s);
   }
   flush(coder, coder->sink.sequences);
   if (looks)
      learn_from_block(coder, (Long)(n_old - (coder->n_written - before)),
                       n_old);
   coder->n = 0;
}

/*--- Bits in                                              ---*/

static void add_symbol(TextCoder* coder, UInt symbol)
{
   if (coder->n == coder->block) {
      finish_block(coder);
   } else if (coder->n == coder->room) {
      coder->room    = coder->block / 2 > coder->room
                       ? 2 * coder->room : coder->block;
      coder->symbols = dcfg_realloc("dcfg.text.symbols", coder->symbols,
                                    (SizeT)coder->room * sizeof(UInt));
   }
   coder->symbols[coder->n++] = symbol;
}

void DCFG_(text_bits)(TextCoder* coder, UInt bits, UInt n_bits)
{
   coder->bits    = coder->bits << n_bits | bits;
   coder->n_bits += n_bits;
   while (coder->n_bits >= 6) {
      coder->n_bits -= 6;
      add_symbol(coder, coder->bits >> coder->n_bits & 63);
   }
}

void DCFG_(text_end)(TextCoder* coder)
{
   if (coder->n_bits > 0)
      DCFG_(text_bits)(coder, 0, 6 - coder->n_bits);
   add_symbol(coder, END);
}

void DCFG_(finish_text)(TextCoder* coder)
{
   finish_block(coder);
   DCFG_FREE_ALL(coder->symbols, coder->pair_of, coder->seen);
   DCFG_(delete_pairs)(&coder->pairs);
   DCFG_FREE_ALL(coder->rules, coder);
}
