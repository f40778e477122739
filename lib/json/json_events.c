/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How text becomes JSON events. */

/* Owns: the JSON parser, and what it may take of memory.  Handed: text by
   input.c, a buffer at a time.  Its events go to walk.c, which interprets them;
   load.c and chunks.c start it.

   The parser is YAJL.  Of the JSON libraries for C in Debian, it is the one
   that delivers events, not a tree, and takes text in pieces.  So a trace of
   any length needs a few hundred kilobytes, and nothing of a DCFG is in memory
   twice.  It parses about 450 MB of such files in a second.  Jansson, which
   builds a tree, parses 30 MB and needs seven times the file's size.  YAJL
   delivers numbers as text, so that 64-bit numbers keep their value.

   YAJL cannot handle a malloc() that fails, and has no limit of memory: it
   keeps a token until its end.  So it gets allocation functions that leave it
   by longjmp, and all its blocks are in a list.

   With each piece of text, YAJL begins the present token again.  For a long
   token in many pieces that takes quadratic time.  So the rest of a string
   is collected here, and YAJL gets it whole.  A long number is an error. */

#include "lib/json/json_events.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

typedef
   struct JsonBlock {
      struct JsonBlock* next;
      struct JsonBlock* before;
      size_t            size;   // including this head
      size_t            pad;    // aligns what follows as malloc() does
   }
   JsonBlock;

/* Limit of a number's length; 64 bits have 20 digits. */
#define MAX_NUMBER 1000

struct Parse {
   Job*        job;
   Input*      in;
   yajl_handle yajl;
   JsonBlock   blocks;          // a ring
   jmp_buf     no_memory;
   uint64_t    consumed;        // by YAJL, before this piece
   bool        finished;
   size_t      event_end;       // end of this piece's last event; 0: none
   size_t      in_number;       // length that YAJL has of a number or word
   bool        in_string;       // does YAJL have the begin of a string?
   bool        escaped;         // is a backslash before the next character?
   uint8_t*    rest;            // rest of that string
   size_t      n_rest, cap_rest;
   Walk        walk;
   uint8_t     buf[65536];
};

/*--- Memory for YAJL                                      ---*/

static void unlink_block(JsonBlock* b)
{
   b->before->next = b->next;
   b->next->before = b->before;
}

static void link_block(Parse* p, JsonBlock* b)
{
   b->next = p->blocks.next;
   b->before = &p->blocks;
   b->next->before = b;
   p->blocks.next = b;
}

static void* yajl_realloc(void* ctx, void* at, size_t size)
{
   Parse* p = ctx;
   JsonBlock* old = at != NULL ? (JsonBlock*)at - 1 : NULL;
   JsonBlock* b = NULL;

   if (old != NULL)
      unlink_block(old);
   if (size <= SIZE_MAX - sizeof(JsonBlock))
      b = job_realloc(p->job, old, old != NULL ? old->size : 0,
                      size + sizeof(JsonBlock));
   else
      job_fail(p->job, DCFG_ERROR_LIMIT, NULL, "a value is too long");
   if (b == NULL) {
      if (old != NULL)
         link_block(p, old);
      longjmp(p->no_memory, 1);
   }
   b->size = size + sizeof(JsonBlock);
   link_block(p, b);
   return b + 1;
}

static void* yajl_malloc(void* ctx, size_t size)
{
   return yajl_realloc(ctx, NULL, size);
}

static void yajl_release(void* ctx, void* at)
{
   Parse* p = ctx;

   if (at != NULL) {
      JsonBlock* b = (JsonBlock*)at - 1;
      unlink_block(b);
      job_free(p->job, b, b->size);
   }
}

/*--- Events                                               ---*/

static Walk* here(void* ctx)
{
   Parse* p = ctx;

   p->event_end = yajl_get_bytes_consumed(p->yajl);
   job_at(p->job, p->consumed + p->event_end);
   return &p->walk;
}

static bool is_long(Parse* p, size_t number)
{
   return number > MAX_NUMBER
          && !job_fail(p->job, DCFG_ERROR_LIMIT, NULL,
                       "a number of more than %d characters", MAX_NUMBER);
}

static int on_null(void* ctx)
{
   return walk_other(here(ctx), "null");
}

static int on_boolean(void* ctx, int value)
{
   return walk_other(here(ctx), value ? "true" : "false");
}

static int on_number(void* ctx, const char* s, size_t len)
{
   Walk* w = here(ctx);

   return !is_long(ctx, len) && walk_number(w, s, len);
}

static int on_string(void* ctx, const unsigned char* s, size_t len)
{
   return walk_string(here(ctx), (const char*)s, len);
}

static int on_key(void* ctx, const unsigned char* s, size_t len)
{
   return walk_key(here(ctx), (const char*)s, len);
}

static int on_map(void* ctx)
{
   return walk_open(here(ctx), true);
}

static int on_array(void* ctx)
{
   return walk_open(here(ctx), false);
}

static int on_end(void* ctx)
{
   return walk_close(here(ctx));
}

static const yajl_callbacks callbacks = {
   on_null, on_boolean, NULL, NULL, on_number, on_string,
   on_map, on_key, on_end, on_array, on_end
};

/* --- Feeding the parser                                   --- */

Parse* parse_start(Job* job, Input* in, const Shape* top, void* arg)
{
   Parse*           p = job_calloc(job, 1, sizeof(*p));
   yajl_alloc_funcs alloc = { yajl_malloc, yajl_realloc, yajl_release, p };

   if (p == NULL) {
      input_close(in);
      return NULL;
   }
   p->job = job;
   p->in = in;
   p->blocks.next = p->blocks.before = &p->blocks;
   walk_start(&p->walk, job, top, arg);
   if (setjmp(p->no_memory) != 0) {
      parse_end(p);
      return NULL;
   }
   p->yajl = yajl_alloc(&callbacks, &alloc, p);
   /* Names that are not UTF-8 are accepted. */
   yajl_config(p->yajl, yajl_dont_validate_strings, 1);
   return p;
}

static void drop_rest(Parse* p)
{
   job_free(p->job, p->rest, p->cap_rest);
   p->rest = NULL;
   p->n_rest = p->cap_rest = 0;
}

void parse_end(Parse* p)
{
   if (p == NULL)
      return;
   /* Free what YAJL has allocated: yajl_free() does no more, and may fail. */
   while (p->blocks.next != &p->blocks)
      yajl_release(p, p->blocks.next + 1);
   drop_rest(p);
   walk_end(&p->walk);
   input_close(p->in);
   job_free(p->job, p, sizeof(*p));
}

Walk* parse_walk(Parse* p)
{
   return &p->walk;
}

bool parse_finished(const Parse* p)
{
   return p->finished;
}

/* Report an error of syntax.  YAJL's text is "parse error: " or similar, the
   reason, and a line feed. */
static bool syntax_error(Parse* p)
{
   char           place[PLACE_SIZE];
   unsigned char* said = yajl_get_error(p->yajl, 0, NULL, 0);
   char*          reason = (char*)said;
   size_t         n = strlen(reason);

   if (n > 0 && reason[n - 1] == '\n')
      reason[n - 1] = 0;
   if (strstr(reason, ": ") != NULL)
      reason = strstr(reason, ": ") + 2;
   if (strcmp(reason, "premature EOF") == 0)
      reason = "the text ends too early";
   job_fail(p->job, DCFG_ERROR_JSON, walk_place(&p->walk, place),
            "not JSON: %s", reason);
   yajl_free_error(p->yajl, said);
   return false;
}

/* Find out which token YAJL is in at the end of a piece.  Between the last
   event and the token there are only separators. */
static bool note_token(Parse* p, const uint8_t* text, size_t n)
{
   size_t i = p->event_end;

   if (i == 0 && p->in_number > 0) {
      p->in_number += n;
      return !is_long(p, p->in_number);
   }
   p->in_number = 0;
   while (i < n && memchr(" \t\r\n,:", text[i], 6) != NULL)
      i++;
   if (i == n)
      return true;
   if (text[i] != '"') {
      p->in_number = n - i;
      return !is_long(p, p->in_number);
   }
   p->in_string = true;
   p->escaped = false;
   for (i++; i < n; i++)
      p->escaped = text[i] == '\\' && !p->escaped;
   return true;
}

/* Give YAJL a piece, or at the end NULL. */
static bool feed_yajl(Parse* p, const uint8_t* text, size_t n)
{
   char        place[PLACE_SIZE];
   yajl_status status;
   bool        ok;

   if (setjmp(p->no_memory) != 0)
      return false;
   p->event_end = 0;
   status = text != NULL ? yajl_parse(p->yajl, text, n)
                         : yajl_complete_parse(p->yajl);
   /* A piece within a string is the last one: the file ends in the string. */
   ok = status == yajl_status_ok
        && (text == NULL || p->in_string || note_token(p, text, n));
   if (p->job->err.status != DCFG_OK) {
      if (p->job->err.place[0] == 0)
         job_place(p->job, walk_place(&p->walk, place));
      return false;
   }
   if (text != NULL)
      job_at(p->job, p->consumed
                     + (ok ? n : yajl_get_bytes_consumed(p->yajl)));
   if (status == yajl_status_client_canceled)
      return job_fail(p->job, DCFG_ERROR_FORMAT, NULL, "not understood");
   if (!ok)
      return syntax_error(p);
   p->consumed += n;
   return true;
}

/* Give YAJL a piece, and refuse form feeds and vertical tabs, which YAJL takes
   for blanks. */
static bool feed(Parse* p, const uint8_t* text, size_t n)
{
   char           place[PLACE_SIZE];
   const uint8_t* odd = text == NULL ? NULL : memchr(text, '\f', n);
   size_t         plain = odd == NULL ? n : (size_t)(odd - text);

   odd = text == NULL ? NULL : memchr(text, '\v', plain);
   if (odd != NULL)
      plain = (size_t)(odd - text);
   return feed_yajl(p, text, plain)
          && (plain == n
              || job_fail(p->job, DCFG_ERROR_JSON,
                          walk_place(&p->walk, place),
                          "not JSON: a form feed or a vertical tab"));
}

/* Return the length of the part of TEXT that belongs to the present string. */
static size_t string_part(Parse* p, const uint8_t* text, size_t n)
{
   for (size_t i = 0; i < n; i++) {
      if (!p->escaped && text[i] == '"') {
         p->in_string = false;
         return i + 1;
      }
      p->escaped = text[i] == '\\' && !p->escaped;
   }
   return n;
}

/* Give YAJL the string, which is whole, or the last one. */
static bool feed_string(Parse* p)
{
   bool ok = p->n_rest == 0 || feed(p, p->rest, p->n_rest);

   drop_rest(p);
   return ok;
}

static bool add_to_string(Parse* p, const uint8_t* text, size_t n)
{
   char place[PLACE_SIZE];

   if (n > p->cap_rest - p->n_rest) {
      size_t   cap = p->cap_rest + p->cap_rest / 2 + n;
      uint8_t* more = job_realloc(p->job, p->rest, p->cap_rest, cap);
      if (more == NULL) {
         job_place(p->job, walk_place(&p->walk, place));
         return false;
      }
      p->rest = more;
      p->cap_rest = cap;
   }
   memcpy(p->rest + p->n_rest, text, n);
   p->n_rest += n;
   return true;
}

bool parse_some(Parse* p)
{
   size_t n = 0, part = 0;

   if (!input_read(p->in, p->buf, sizeof(p->buf), &n))
      return false;
   if (n == 0) {
      p->finished = true;
      return feed_string(p) && feed(p, NULL, 0);
   }
   if (p->in_string) {
      part = string_part(p, p->buf, n);
      if (!add_to_string(p, p->buf, part))
         return false;
      if (p->in_string)
         return true;
      if (!feed_string(p))
         return false;
   }
   return part == n || feed(p, p->buf + part, n - part);
}
