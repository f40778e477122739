/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Compiling sequences of a trace: text to code. */

/* Owns: the grammar of edge-id sequences (the format's specification, 3.7.1):
   six-bit characters, repetitions, references to the dictionary.  Handed: text
   of a chunk or a dictionary entry.  Taken by: chunks.c, code_table.c,
   decode.c.

   All errors of a sequence are found here, once, so that decoding need not
   check. Parts that expand to nothing are left out.  So after a bounded number
   of steps, decoding comes to a character, and nested empty repetitions cannot
   keep it busy. */

#include "lib/trace/sequence.h"

#include <string.h>

/* Return 1 + the value of a character; 0 and 65 or more are not in the
   alphabet. */
static unsigned char_value(unsigned char c)
{
   static const uint8_t values[256] = {
      ['A'] =  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
              18, 19, 20, 21, 22, 23, 24, 25, 26,
      ['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41,
              42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
      ['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
      ['+'] = 63, ['-'] = 64, ['.'] = 64
   };

   return values[c] - 1U;
}

/*--- The dictionary's keys                                ---*/

static uint32_t bucket(const Table* t, const char* key, size_t len)
{
   return (uint32_t)hash_bytes(&t->hash_key, key, len) & (t->n_buckets - 1);
}

static bool is_key(const Table* t, const Entry* e, const char* key,
                   size_t len)
{
   return e->key_len == len
          && (len == 0
              || memcmp((char*)t->texts.data + e->key, key, len) == 0);
}

static uint32_t find_entry(const Table* t, const char* key, size_t len)
{
   uint32_t i = DCFG_NONE;

   if (t->n_buckets > 0)
      i = t->buckets[bucket(t, key, len)];
   while (i != DCFG_NONE
          && !is_key(t, &((Entry*)t->entries.data)[i], key, len))
      i = ((Entry*)t->entries.data)[i].next;
   return i;
}

/* Enlarge the table of buckets to at least twice the number of entries. */
static bool more_buckets(Job* job, Table* t)
{
   uint32_t  n = t->n_buckets == 0 ? 64 : t->n_buckets * 4;
   uint32_t* b;

   if (n == 0)
      return job_fail(job, DCFG_ERROR_LIMIT, NULL,
                      "too many entries in the dictionary");
   b = job_realloc(job, t->buckets, t->n_buckets * sizeof(*b),
                   n * sizeof(*b));
   if (b == NULL)
      return false;
   if (t->n_buckets == 0)
      t->hash_key = hash_key();
   t->buckets = b;
   t->n_buckets = n;
   memset(b, 0xff, n * sizeof(*b));
   for (uint32_t i = 0; i < t->entries.n; i++) {
      Entry*   e = &((Entry*)t->entries.data)[i];
      uint32_t k = bucket(t, (char*)t->texts.data + e->key, e->key_len);
      e->next = b[k];
      b[k] = i;
   }
   return true;
}

bool table_add_entry(Job* job, Table* t, const char* key, size_t key_len,
                     const char* value, size_t value_len, const char* place)
{
   Entry*   e;
   char*    copy;
   uint32_t k;

   if (find_entry(t, key, key_len) != DCFG_NONE)
      return job_problem(job, DCFG_PROBLEM_RULE, true, "duplicate-key",
                         place, "the key \"%.*s\" is there twice",
                         (int)(key_len < 60 ? key_len : 60), key);
   for (size_t i = 0; i < key_len; i++)
      if (char_value((unsigned char)key[i]) > 63 || key[i] == '.')
         return job_problem(job, DCFG_PROBLEM_RULE, true, "dictionary",
                            place, "the key \"%.*s\" has other characters "
                            "than letters, digits, + and -",
                            (int)(key_len < 60 ? key_len : 60), key);
   if (t->entries.n * 2 >= t->n_buckets && !more_buckets(job, t))
      return false;
   e = array_add(job, &t->entries, sizeof(*e));
   copy = e == NULL ? NULL : array_add_n(job, &t->texts, 1,
                                         key_len + value_len + 1);
   if (copy == NULL)
      return false;
   if (key_len > 0)
      memcpy(copy, key, key_len);
   if (value_len > 0)
      memcpy(copy + key_len, value, value_len);
   e->key = (uint64_t)(copy - (char*)t->texts.data);
   e->key_len = key_len;
   e->value_len = value_len;
   k = bucket(t, key, key_len);
   e->next = t->buckets[k];
   t->buckets[k] = (uint32_t)t->entries.n - 1;
   return true;
}

/*--- Compiling                                            ---*/

/* Values of Entry.work. */
enum { TO_DO, BEGUN, DONE, BROKEN };

typedef
   struct {
      size_t   at;              // offset of OP_REPEAT
      size_t   body;
      uint64_t times;
      uint32_t inner;           // nesting inside it so far
   }
   Open;

typedef
   struct {
      const Table* t;
      const char*  text;
      size_t       len, i;
      uint8_t*     code;
      size_t       size;
      uint32_t     depth;
      uint32_t     inner;       // nesting at this depth so far
      Open         open[MAX_NESTING];
   }
   Compile;

static void put_number(Compile* c, uint64_t n)
{
   for (; n > 127; n >>= 7)
      c->code[c->size++] = (uint8_t)(n | 128);
   c->code[c->size++] = (uint8_t)n;
}

/* Compile a repetition, behind '(': a count and '*'. */
static const char* begin_repeat(Compile* c)
{
   uint64_t times = 0;
   size_t   digits = c->i;
   Open*    o = &c->open[c->depth];

   while (c->i < c->len && c->text[c->i] >= '0' && c->text[c->i] <= '9')
      times = add_capped(mul_capped(times, 10),
                         (uint64_t)(c->text[c->i++] - '0'));
   if (c->i == digits)
      return "'(' without a count";
   if (c->i == c->len || c->text[c->i] != '*')
      return "a count without '*'";
   c->i++;
   if (c->depth == MAX_NESTING)
      return "nested too deep";
   c->depth++;
   o->at = c->size;
   o->times = times;
   o->inner = c->inner;
   c->inner = 0;
   c->code[c->size++] = OP_REPEAT;
   put_number(c, times);
   o->body = c->size;
   return NULL;
}

static const char* end_repeat(Compile* c)
{
   Open* o;

   if (c->depth == 0)
      return "')' without '('";
   o = &c->open[--c->depth];
   if (o->times == 0 || c->size == o->body) {
      c->size = o->at;
      c->inner = o->inner;
      return NULL;
   }
   c->code[c->size++] = OP_END;
   if (++c->inner < o->inner)
      c->inner = o->inner;
   return c->inner > MAX_NESTING ? "nested too deep" : NULL;
}

/* Compile a reference, behind '<': a key and '>'. */
static const char* use_entry(Compile* c)
{
   const char*  key = c->text + c->i;
   const char*  end = memchr(key, '>', c->len - c->i);
   uint32_t     index;
   const Entry* e;

   if (end == NULL)
      return "'<' without '>'";
   index = find_entry(c->t, key, (size_t)(end - key));
   if (index == DCFG_NONE)
      return "a key that is not in the dictionary";
   e = &((const Entry*)c->t->entries.data)[index];
   if (e->work != DONE)
      return "an entry of the dictionary that is not sound";
   c->i += (size_t)(end - key) + 1;
   if (e->sequence.size == 1)           // only OP_STOP: the entry is empty
      return NULL;
   c->code[c->size++] = OP_USE;
   put_number(c, index);
   if (c->inner < e->sequence.nesting + 1)
      c->inner = e->sequence.nesting + 1;
   return c->inner > MAX_NESTING ? "nested too deep" : NULL;
}

static const char* compile(Compile* c)
{
   const char* why = NULL;

   while (c->i < c->len && why == NULL) {
      unsigned char ch = (unsigned char)c->text[c->i++];
      unsigned      value = char_value(ch);
      if (value < 64)
         c->code[c->size++] = (uint8_t)value;
      else if (ch == '(')
         why = begin_repeat(c);
      else if (ch == ')')
         why = end_repeat(c);
      else if (ch == '<')
         why = use_entry(c);
      else
         why = "a character that no sequence has";
   }
   if (why == NULL && c->depth > 0)
      why = "'(' without ')'";
   c->code[c->size++] = OP_STOP;
   return why;
}

bool sequence_compile(Job* job, const Table* t, const char* text, size_t len,
                      Sequence* to, const char** why, size_t* at)
{
   /* The worst case is a key of one character: its number takes five bytes, so
      three characters become six bytes. */
   Compile* c = NULL;
   size_t   cap = len * 2 + 1;

   *why = NULL;
   memset(to, 0, sizeof(*to));
   if (len < (SIZE_MAX - 1) / 2)
      c = job_realloc(job, NULL, 0, sizeof(*c));
   else
      job_fail(job, DCFG_ERROR_LIMIT, NULL, "a sequence is too long");
   if (c == NULL)
      return false;
   memset(c, 0, offsetof(Compile, open));
   c->t = t;
   c->text = text;
   c->len = len;
   c->code = job_realloc(job, NULL, 0, cap);
   if (c->code != NULL) {
      *why = compile(c);
      *at = c->i;
      to->code = job_realloc(job, c->code, cap, c->size);
      if (to->code == NULL)             // even to shrink it may fail
         job_free(job, c->code, cap);
      to->size = c->size;
      to->nesting = c->inner;
   }
   job_free(job, c, sizeof(*c));
   if (to->code == NULL)
      *why = NULL;
   else if (*why != NULL)
      sequence_free(job, to);
   return to->code != NULL;
}

void sequence_free(Job* job, Sequence* s)
{
   job_free(job, s->code, s->size);
   memset(s, 0, sizeof(*s));
}

/*--- Compiling the dictionary                             ---*/

static bool broken_entry(Job* job, const Table* t, Entry* e, const char* why,
                         size_t at, const char* place)
{
   e->work = BROKEN;
   return job_problem(job, DCFG_PROBLEM_RULE, true, "dictionary", place,
                      "entry \"%.*s\", character %zu: %s",
                      (int)(e->key_len < 60 ? e->key_len : 60),
                      (char*)t->texts.data + e->key, at, why);
}

static const char* value_of(const Table* t, const Entry* e)
{
   return (const char*)t->texts.data + e->key + e->key_len;
}

/* Return the next entry that E refers to, or DCFG_NONE. */
static uint32_t next_use(const Table* t, Entry* e)
{
   const char* value = value_of(t, e);

   while (e->at < e->value_len) {
      const char* key = memchr(value + e->at, '<', e->value_len - e->at);
      const char* end = key == NULL ? NULL
         : memchr(key, '>', (size_t)(value + e->value_len - key));
      uint32_t    index;
      if (end == NULL)
         break;
      e->at = (size_t)(end - value) + 1;
      index = find_entry(t, key + 1, (size_t)(end - key - 1));
      if (index != DCFG_NONE)
         return index;
   }
   e->at = e->value_len;
   return DCFG_NONE;
}

/* Compile entry ROOT, after the entries that it refers to.  STACK has room for
   all entries. */
static bool compile_entry(Job* job, Table* t, uint32_t root, uint32_t* stack,
                          const char* place)
{
   Entry*   entries = t->entries.data;
   uint32_t n = 0;

   stack[n++] = root;
   entries[root].work = BEGUN;
   while (n > 0) {
      Entry*      e = &entries[stack[n - 1]];
      uint32_t    use = next_use(t, e);
      const char* why;
      size_t      at;
      if (use != DCFG_NONE && entries[use].work == TO_DO) {
         entries[use].work = BEGUN;
         stack[n++] = use;
         continue;
      }
      if (use != DCFG_NONE && entries[use].work == BEGUN) {
         if (!broken_entry(job, t, e, "it refers to itself", e->at, place))
            return false;
         n--;
         continue;
      }
      if (use != DCFG_NONE)
         continue;
      n--;
      if (sequence_compile(job, t, value_of(t, e), e->value_len,
                           &e->sequence, &why, &at))
         e->work = DONE;
      else if (why == NULL || !broken_entry(job, t, e, why, at, place))
         return false;
   }
   return true;
}

bool table_finish_dictionary(Job* job, Table* t, const char* place)
{
   size_t    n = t->entries.n;
   uint32_t* stack = job_calloc(job, n, sizeof(*stack));
   bool      ok = stack != NULL;

   for (uint32_t i = 0; ok && i < n; i++)
      if (((Entry*)t->entries.data)[i].work == TO_DO)
         ok = compile_entry(job, t, i, stack, place);
   job_free(job, stack, n * sizeof(*stack));
   return ok;
}
