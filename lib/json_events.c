
/*--------------------------------------------------------------------*/
/*--- JSON from a file, event after event.           json_events.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the JSON parser.  Handed: text by input.c.  Taken by: load.c and
   chunks.c; the events go to walk.c, which makes sense of them.

   The parser is YAJL.  Of the JSON libraries that Debian has for C it is the
   one that hands out events instead of a tree, and that takes text in pieces:
   a trace of any length goes through it in a few hundred kilobytes, and
   nothing of a DCFG is in memory twice.  Of such files it parses some 450 MB
   in a second where Jansson, which builds a tree, makes 30 and takes seven
   times the file's size.  It gives numbers as text, so that 64 bits survive.

   YAJL does not expect malloc() to fail, nor anybody to limit what it takes:
   it keeps a token in memory until its end has come.  So it gets allocation
   functions that jump out of it, and all its blocks are in a list. */

#include "json_events.h"
#include "place.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

typedef
   struct Block {
      struct Block* next;
      struct Block* before;
      size_t        size;       // with this head
      size_t        pad;        // what follows is aligned as malloc()'s
   }
   Block;

struct Parse {
   Job*        job;
   Input*      in;
   yajl_handle yajl;
   Block       blocks;          // a ring
   jmp_buf     no_memory;
   uint64_t    consumed;        // by YAJL, before buf
   bool        finished;
   Walk        walk;
   uint8_t     buf[65536];
};

/*------------------------------------------------------------*/
/*--- Memory for YAJL                                      ---*/
/*------------------------------------------------------------*/

static void unlink_block(Block* b)
{
   b->before->next = b->next;
   b->next->before = b->before;
}

static void link_block(Parse* p, Block* b)
{
   b->next = p->blocks.next;
   b->before = &p->blocks;
   b->next->before = b;
   p->blocks.next = b;
}

static void* yajl_realloc(void* ctx, void* at, size_t size)
{
   Parse* p = ctx;
   Block* old = at != NULL ? (Block*)at - 1 : NULL;
   Block* b = NULL;

   if (old != NULL)
      unlink_block(old);
   if (size <= SIZE_MAX - sizeof(Block))
      b = job_realloc(p->job, old, old != NULL ? old->size : 0,
                      size + sizeof(Block));
   else
      job_fail(p->job, DCFG_ERROR_LIMIT, NULL, "a value is too long");
   if (b == NULL) {
      if (old != NULL)
         link_block(p, old);
      longjmp(p->no_memory, 1);
   }
   b->size = size + sizeof(Block);
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
      Block* b = (Block*)at - 1;
      unlink_block(b);
      job_free(p->job, b, b->size);
   }
}

/*------------------------------------------------------------*/
/*--- Events                                               ---*/
/*------------------------------------------------------------*/

static Walk* here(void* ctx)
{
   Parse* p = ctx;

   p->job->offset = p->consumed + yajl_get_bytes_consumed(p->yajl);
   return &p->walk;
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
   return walk_number(here(ctx), s, len);
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

/*------------------------------------------------------------*/
/*--- Going on                                             ---*/
/*------------------------------------------------------------*/

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
   /* A name that is not UTF-8 is no reason to refuse a file. */
   yajl_config(p->yajl, yajl_dont_validate_strings, 1);
   return p;
}

void parse_end(Parse* p)
{
   if (p == NULL)
      return;
   /* yajl_free() would do no more, and may not be able to any more. */
   while (p->blocks.next != &p->blocks)
      yajl_release(p, p->blocks.next + 1);
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

/* What YAJL did not like.  It says "parse error: " or the like, the reason
   and a line feed. */
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

bool parse_some(Parse* p)
{
   char        place[PLACE_SIZE];
   size_t      n = 0;
   yajl_status status;

   if (!input_read(p->in, p->buf, sizeof(p->buf), &n))
      return false;
   if (setjmp(p->no_memory) != 0)
      return false;
   if (n > 0) {
      status = yajl_parse(p->yajl, p->buf, n);
   } else {
      status = yajl_complete_parse(p->yajl);
      p->finished = true;
   }
   if (p->job->err.status != DCFG_OK) {
      if (p->job->err.place[0] == 0)
         job_place(p->job, walk_place(&p->walk, place));
      return false;
   }
   if (n > 0)
      p->job->offset = p->consumed + (status == yajl_status_ok
                       ? n : yajl_get_bytes_consumed(p->yajl));
   if (status == yajl_status_client_canceled)
      return job_fail(p->job, DCFG_ERROR_FORMAT, NULL, "not understood");
   if (status != yajl_status_ok)
      return syntax_error(p);
   p->consumed += n;
   return true;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
