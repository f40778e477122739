/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables and objects of a JSON text: how it is parsed, what it must have, and
   what it had. */

/* Owns: the JSON parser, and what it may take of memory; the present place in
   the nested tables and objects of a file, the values of the present row, and
   the place's form in messages.  Handed: text by input.c, a buffer at a time;
   Shapes by load.c and chunks.c, which know a format.

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
   is collected here, and YAJL gets it whole.  A long number is an error.

   The walk: the DCFG and the DCFG-trace are objects of tables.  A table is an
   array of arrays, and its first row, the header, tells its columns.  Tables
   and objects stand inside rows and objects.  A Shape describes a table or an
   object: names, types, ranges, and which values must be there.  The walk takes
   one event of the parser after the other, and goes through the text with a
   stack of Frames, one for each table or object that is open.  It checks each
   value where it stands, and keeps it by the number of its field.  So the order
   of columns and keys is free.  When a row or an object ends, the walk calls the
   shape's function with the frame.

   Values that no shape names are skipped, however deep.  Values of a row are on
   two stacks, one for lists and one for text.  A row inside a row's value uses
   the space above, and is removed when the outer row ends.  So memory is
   bounded by one row and the rows around it.

   Readers of a file are not alike: one wants the first error, dcfg check
   wants all problems.  A broken rule ends the walk only if it is fatal and
   nobody listens to problems (job_problem()); otherwise the value counts as
   missing.  Odd things that the format allows are told to listeners alone. */

#include "lib/json/json.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

/* The limit of nesting; the format needs 12. */
#define MAX_DEPTH 64

/*--- Numbers                                              ---*/

/* Read digits in BASE.  Return False if S is not digits, or too many. */
static bool read_digits(const char* s, size_t len, unsigned base,
                        uint64_t* n)
{
   uint64_t v = 0;

   if (len == 0)
      return false;
   for (size_t i = 0; i < len; i++) {
      unsigned d;
      if (s[i] >= '0' && s[i] <= '9')
         d = (unsigned)(s[i] - '0');
      else if (s[i] >= 'a' && s[i] <= 'f')
         d = (unsigned)(s[i] - 'a') + 10;
      else if (s[i] >= 'A' && s[i] <= 'F')
         d = (unsigned)(s[i] - 'A') + 10;
      else
         return false;
      if (d >= base || v > (UINT64_MAX - d) / base)
         return false;
      v = v * base + d;
   }
   *n = v;
   return true;
}

/* Read a number in C's notation: 0x and hexadecimal, 0 and octal, or
   decimal. */
static bool read_c_number(const char* s, size_t len, uint64_t* n)
{
   if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
      return read_digits(s + 2, len - 2, 16, n);
   if (len > 1 && s[0] == '0')
      return read_digits(s + 1, len - 1, 8, n);
   return read_digits(s, len, 10, n);
}

/*--- Places and messages                                  ---*/

static inline Frame* top_frame(Walk* walk)
{
   return &walk->frames[walk->n_frames - 1];
}

/* Return the present field, or NULL. */
static inline const Field* current_field(const Frame* frame)
{
   return frame->field == NO_FIELD ? NULL : &frame->shape->fields[frame->field];
}

const char* walk_place(const Walk* walk, char* place)
{
   size_t n = 0;

   place[0] = 0;
   for (uint32_t i = 0; i < walk->n_frames && n < PLACE_SIZE; i++) {
      const Frame* f = &walk->frames[i];
      const Field* field = current_field(f);
      if (f->mode == IN_HEADER)
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[header]");
      else if (f->mode == IN_ROW
               || (f->mode == IN_TABLE && f->n_columns != UINT32_MAX
                   && i + 1 == walk->n_frames))
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[%" PRIu64 "]",
                               f->row);
      if (n < PLACE_SIZE && f->mode != IN_HEADER && field != NULL
          && (!(field->flags & F_SILENT) || i + 1 == walk->n_frames))
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "%s%s",
                               n > 0 ? "." : "", field->name);
      if (n < PLACE_SIZE && f->in_list)
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[%" PRIu64 "]",
                               f->element);
   }
   return place;
}

/* Report a broken rule at the walk's place; an error if FATAL and nobody
   listens to problems.  Return False to stop. */
static bool tell_rule(Walk* walk, bool fatal, const char* rule,
                      const char* what)
{
   char place[PLACE_SIZE];

   return job_problem(walk->job, DCFG_PROBLEM_RULE, fatal, rule,
                      walk_place(walk, place), "%s", what);
}

/* Report something odd: WHAT, followed by the LEN bytes of S. */
static void tell_surface(Walk* walk, const char* rule, const char* what,
                         const char* s, size_t len)
{
   char place[PLACE_SIZE];

   if (job_listened(walk->job))
      job_problem(walk->job, DCFG_PROBLEM_SURFACE, false, rule,
                  walk_place(walk, place), "%s%.*s", what,
                  (int)(len < 100 ? len : 100), s);
}

/* Report that the value WHAT has a wrong type. */
static bool tell_type(Walk* walk, const char* what)
{
   static const char* const needs[] = {
      "an integer is needed, not ", "an array of integers is needed, not ",
      "a string is needed, not ", "a table is needed, not ",
      "an object is needed, not ", "an object of strings is needed, not "
   };
   Frame*       f = top_frame(walk);
   const Field* field = current_field(f);
   ValueKind    kind = field != NULL ? field->kind : V_TABLE;
   char         said[100];

   if (f->mode == IN_HEADER)
      kind = V_STRING;
   else if (f->in_list)
      kind = V_INT;
   else if (f->mode == IN_STRINGS)
      kind = V_STRING;
   snprintf(said, sizeof(said), "%s%s", f->mode == IN_TABLE
            ? "a row is needed, not " : needs[kind], what);
   if (field != NULL)
      f->bad |= 1U << f->field;
   return tell_rule(walk, true, "type", said);
}

/*--- The stacks                                           ---*/

static bool push_number(Walk* walk, uint64_t n)
{
   if (walk->n_list == walk->cap_list) {
      size_t    cap = walk->cap_list * 2 + 64;
      uint64_t* more = job_realloc(walk->job, walk->list,
                                   walk->cap_list * sizeof(n),
                                   cap * sizeof(n));
      if (more == NULL)
         return false;
      walk->list = more;
      walk->cap_list = cap;
   }
   walk->list[walk->n_list++] = n;
   return true;
}

static bool push_text(Walk* walk, const char* s, size_t len)
{
   if (walk->cap_text - walk->n_text <= len) {
      size_t cap = walk->cap_text + len + walk->cap_text / 2 + 1024;
      char*  more = job_realloc(walk->job, walk->text, walk->cap_text, cap);
      if (more == NULL)
         return false;
      walk->text = more;
      walk->cap_text = cap;
   }
   if (len > 0)
      memcpy(walk->text + walk->n_text, s, len);
   walk->n_text += len;
   walk->text[walk->n_text++] = 0;
   return true;
}

/*--- Rows and objects                                     ---*/

static bool begin_values(Walk* walk, Frame* frame)
{
   frame->present = 0;
   frame->bad = 0;
   frame->column = 0;
   frame->field = NO_FIELD;
   frame->n_list = walk->n_list;
   frame->n_text = walk->n_text;
   return frame->shape->open == NULL || frame->shape->open(walk->arg, frame);
}

static bool end_values(Walk* walk, Frame* frame)
{
   const Shape* s = frame->shape;
   bool         ok = true, usable = true;

   for (uint32_t i = 0; i < s->n_fields; i++) {
      const Field* field = &s->fields[i];
      if (has(frame, i) || !(field->flags & (F_NEEDED | F_MUST)))
         continue;
      if (field->flags & F_NEEDED)
         usable = false;
      if (frame->bad >> i & 1)
         continue;
      frame->field = i;
      if (!tell_rule(walk, field->flags & F_NEEDED, "missing",
                     "this is missing"))
         return false;
   }
   frame->field = NO_FIELD;
   if (frame->strange)
      tell_surface(walk, "key", "a key of the other kind of file", "", 0);
   if ((usable || s->keep) && s->close != NULL)
      ok = s->close(walk->arg, frame);
   walk->n_list = frame->n_list;
   walk->n_text = frame->n_text;
   return ok;
}

/* Choose the field of the next value of a row, by the header. */
static void next_value(Frame* frame)
{
   if (frame->mode == IN_ROW) {
      frame->field = frame->column < frame->n_columns
                     && frame->column < MAX_COLUMNS
                     ? frame->columns[frame->column] : NO_FIELD;
   } else {
      frame->field = NO_FIELD;
   }
}

static void end_value(Walk* walk, Frame* frame)
{
   if (frame->mode == IN_ROW) {
      if (frame->column == frame->n_columns)
         tell_surface(walk, "row-length", "more values than columns", "", 0);
      frame->column++;
      next_value(frame);
   } else if (frame->mode == IN_HEADER) {
      frame->column++;
   } else if (frame->mode == IN_TABLE) {
      frame->row++;
   } else {
      frame->field = NO_FIELD;
   }
}

static bool end_header(Walk* walk, Frame* frame)
{
   uint32_t seen = 0;

   frame->n_columns = frame->column;
   for (uint32_t i = 0; i < frame->n_columns && i < MAX_COLUMNS; i++)
      if (frame->columns[i] != NO_FIELD)
         seen |= 1U << frame->columns[i];
   for (uint32_t i = 0; i < frame->shape->n_fields; i++) {
      const Field* field = &frame->shape->fields[i];
      char         what[100];
      if (seen >> i & 1)
         continue;
      if (frame->strange && (field->flags & (F_NEEDED | F_MUST)))
         return job_fail(walk->job, DCFG_ERROR_KIND, NULL, "%s",
                         frame->shape->kin->what);
      snprintf(what, sizeof(what), "there is no column %s", field->name);
      if ((field->flags & (F_NEEDED | F_MUST))
          && !tell_rule(walk, field->flags & F_NEEDED, "missing", what))
         return false;
   }
   if (frame->strange)
      tell_surface(walk, "column", "a column of the other kind of file", "", 0);
   frame->strange = false;
   return true;
}

/* Return whether S is a name in the other kind of file. */
static bool is_strange(const Shape* shape, const char* s, size_t len)
{
   if (shape->kin != NULL)
      for (const char* const* c = shape->kin->names; *c != NULL; c++)
         if (strlen(*c) == len && memcmp(*c, s, len) == 0)
            return true;
   return false;
}

/* Handle a name in a table's header. */
static bool header_name(Walk* walk, Frame* frame, const char* s, size_t len)
{
   const Shape* shape = frame->shape;
   uint32_t     field = NO_FIELD, before = 0;

   for (uint32_t i = 0; i < shape->n_fields; i++)
      if (strlen(shape->fields[i].name) == len
          && memcmp(shape->fields[i].name, s, len) == 0)
         field = i;
   for (uint32_t i = 0; i < frame->column && i < MAX_COLUMNS; i++) {
      if (frame->columns[i] != NO_FIELD && frame->columns[i] == field) {
         if (!tell_rule(walk, true, "duplicate-column",
                          "a column is there twice"))
            return false;
         field = NO_FIELD;
      }
      if (frame->columns[i] != NO_FIELD && frame->columns[i] > before)
         before = frame->columns[i];
   }
   if (field == NO_FIELD && is_strange(shape, s, len))
      frame->strange = true;
   else if (field == NO_FIELD)
      tell_surface(walk, "column", "no column of this table: ", s, len);
   else if (field < before || frame->column > field)
      tell_surface(walk, "column-order", "in an unusual place: ", s, len);
   if (frame->column < MAX_COLUMNS)
      frame->columns[frame->column] = (uint8_t)field;
   return true;
}

static bool push_frame(Walk* walk, const Shape* shape)
{
   Frame* f;

   if (walk->n_frames == MAX_FRAMES)    // deeper than any shape
      return job_fail(walk->job, DCFG_ERROR_LIMIT, NULL, "nested too deep");
   f = &walk->frames[walk->n_frames++];
   f->shape = shape;
   f->in_list = false;
   f->row = 0;
   f->element = 0;
   f->n_columns = 0;
   f->column = 0;
   f->field = NO_FIELD;
   f->present = 0;
   f->bad = 0;
   f->strange = false;
   if (shape->kind == V_TABLE) {
      f->mode = IN_TABLE;
      f->n_columns = UINT32_MAX;        // before the header
      return true;
   }
   f->mode = shape->kind == V_OBJECT ? IN_OBJECT : IN_STRINGS;
   return begin_values(walk, f);
}

/*--- Values                                               ---*/

/* Store an integer in either form, as the present field or an element of it. */
static bool put_integer(Walk* walk, const char* s, size_t len, bool is_string)
{
   Frame*       f = top_frame(walk);
   const Field* field = current_field(f);
   uint64_t     n = 0;
   bool         ok;

   if (is_string) {
      ok = read_c_number(s, len, &n);
   } else if (len < 20) {
      /* The parser guarantees a digit or '-' at the start. */
      ok = true;
      for (size_t i = 0; i < len; i++) {
         unsigned d = (unsigned char)s[i] - '0';
         ok &= d <= 9;
         n = n * 10 + d;
      }
   } else {
      ok = read_digits(s, len, 10, &n);
   }
   if (!ok || n < field->min || n > field->max) {
      char what[120];
      f->bad |= 1U << f->field;
      snprintf(what, sizeof(what), "%.*s is %s", (int)(len < 40 ? len : 40),
               s, ok ? "out of range"
                     : "not an integer, or too large for 64 bits");
      if (!tell_rule(walk, true, "number", what))
         return false;
      n = 0;
      if (!f->in_list)
         return true;
   } else if (job_listened(walk->job)
              && is_string != ((field->flags & F_HEX) != 0)) {
      tell_surface(walk, "number-style", is_string
                   ? "usually an integer, here a string: "
                   : "usually a hex string, here an integer: ", s, len);
   }
   if (f->in_list)
      return push_number(walk, n);
   if ((field->flags & F_VERSION) && n != DCFG_VERSION_MAJOR)
      return job_fail(walk->job, DCFG_ERROR_FORMAT, field->name,
                      "format %" PRIu64 ".xx; this library reads %u.xx", n,
                      DCFG_VERSION_MAJOR);
   f->numbers[f->field] = n;
   f->present |= 1U << f->field;
   return true;
}

static bool put_text(Walk* walk, Frame* frame, uint32_t field, const char* s,
                     size_t len)
{
   frame->starts[field] = walk->n_text;
   frame->lengths[field] = len;
   frame->present |= 1U << field;
   if (job_listened(walk->job) && !is_utf8(s, len))
      tell_surface(walk, "string", "not UTF-8: ", s, len);
   return push_text(walk, s, len);
}

/* Return whether the field has a value already: the key is there twice. */
static bool is_repeated(const Frame* frame)
{
   return frame->mode == IN_OBJECT && frame->field != NO_FIELD
          && ((frame->present | frame->bad) >> frame->field & 1);
}

/*--- Events                                               ---*/

static void walk_start(Walk* walk, Job* job, const Shape* top, void* arg)
{
   memset(walk, 0, sizeof(*walk));
   walk->job = job;
   walk->top = top;
   walk->arg = arg;
}

static void walk_end(Walk* walk)
{
   job_free(walk->job, walk->list, walk->cap_list * sizeof(*walk->list));
   job_free(walk->job, walk->text, walk->cap_text);
   walk->list = NULL;
   walk->text = NULL;
}

static bool not_an_object(Walk* walk, const char* what)
{
   return job_fail(walk->job, DCFG_ERROR_FORMAT, NULL,
                   "an object is needed, not %s", what);
}

/* Return whether a value is needed here, of any type. */
static bool is_needed(const Frame* frame)
{
   return frame->field != NO_FIELD || frame->mode == IN_TABLE
          || frame->mode == IN_HEADER || frame->mode == IN_STRINGS;
}

static bool walk_scalar(Walk* walk, const char* s, size_t len, bool is_string)
{
   const char*  what = is_string ? "a string" : "a number";
   Frame*       f;
   const Field* field;
   bool         ok = true;

   if (walk->skipping > 0)
      return true;
   if (walk->n_frames == 0)
      return not_an_object(walk, what);
   f = top_frame(walk);
   field = current_field(f);
   if (f->in_list) {
      ok = put_integer(walk, s, len, is_string);
      f->element++;
      return ok;
   }
   if (is_string && f->mode == IN_HEADER) {
      ok = header_name(walk, f, s, len);
   } else if (is_string && f->mode == IN_STRINGS) {
      ok = put_text(walk, f, 1, s, len);
      if (ok && f->shape->close != NULL)
         ok = f->shape->close(walk->arg, f);
      f->row++;
      walk->n_text = f->n_text;
      return ok;
   } else if (field != NULL && field->kind == V_INT) {
      ok = put_integer(walk, s, len, is_string);
   } else if (is_string && field != NULL && field->kind == V_STRING) {
      ok = put_text(walk, f, f->field, s, len);
   } else if (is_needed(f)) {
      ok = tell_type(walk, what);
   }
   end_value(walk, f);
   return ok;
}

static bool walk_number(Walk* walk, const char* s, size_t len)
{
   return walk_scalar(walk, s, len, false);
}

static bool walk_string(Walk* walk, const char* s, size_t len)
{
   return walk_scalar(walk, s, len, true);
}

static bool walk_other(Walk* walk, const char* what)
{
   Frame* f;
   bool   ok = true;

   if (walk->skipping > 0)
      return true;
   if (walk->n_frames == 0)
      return not_an_object(walk, what);
   f = top_frame(walk);
   if (f->in_list) {
      ok = tell_type(walk, what) && push_number(walk, 0);
      f->element++;
      return ok;
   }
   if (is_needed(f))
      ok = tell_type(walk, what);
   end_value(walk, f);
   return ok;
}

static bool walk_key(Walk* walk, const char* s, size_t len)
{
   Frame*       f;
   const Shape* shape;

   if (walk->skipping > 0)
      return true;
   f = top_frame(walk);
   shape = f->shape;
   if (f->mode == IN_STRINGS) {
      walk->n_text = f->n_text;
      return put_text(walk, f, 0, s, len);
   }
   f->field = NO_FIELD;
   for (uint32_t i = 0; i < shape->n_fields; i++)
      if (strlen(shape->fields[i].name) == len
          && memcmp(shape->fields[i].name, s, len) == 0)
         f->field = i;
   if (f->field == NO_FIELD && is_strange(shape, s, len)) {
      f->strange = true;
   } else if (f->field == NO_FIELD) {
      tell_surface(walk, "key", "no key of this object: ", s, len);
   } else if (is_repeated(f)) {
      if (!tell_rule(walk, true, "duplicate-key", "this key is there twice"))
         return false;
      f->field = NO_FIELD;
   }
   return true;
}

static bool walk_open(Walk* walk, bool object)
{
   const char*  what = object ? "an object" : "an array";
   Frame*       f;
   const Field* field;

   if (++walk->depth > MAX_DEPTH)
      return job_fail(walk->job, DCFG_ERROR_LIMIT, NULL,
                      "arrays and objects are nested too deep");
   if (walk->skipping > 0) {
      walk->skipping++;
      return true;
   }
   if (walk->n_frames == 0)
      return object ? push_frame(walk, walk->top) : not_an_object(walk, what);
   f = top_frame(walk);
   field = current_field(f);
   if (f->mode == IN_TABLE && !object) {
      if (f->n_columns == UINT32_MAX) {
         f->mode = IN_HEADER;
         f->column = 0;
         memset(f->columns, NO_FIELD, sizeof(f->columns));
         return true;
      }
      f->mode = IN_ROW;
      if (!begin_values(walk, f))
         return false;
      next_value(f);
      return true;
   }
   if (field != NULL && f->mode != IN_HEADER && !f->in_list) {
      if (field->kind == V_INTS && !object) {
         f->in_list = true;
         f->element = 0;
         f->starts[f->field] = walk->n_list;
         return true;
      }
      if ((field->kind == V_TABLE && !object)
          || (field->kind >= V_OBJECT && object)) {
         f->present |= 1U << f->field;
         return push_frame(walk, field->shape);
      }
   }
   walk->skipping = 1;
   if (field == NULL && (f->mode == IN_ROW || f->mode == IN_OBJECT))
      return true;
   if (f->in_list && !push_number(walk, 0))
      return false;
   return tell_type(walk, what);
}

static bool walk_close(Walk* walk)
{
   Frame* f;

   walk->depth--;
   if (walk->skipping > 1) {
      walk->skipping--;
      return true;
   }
   f = top_frame(walk);
   if (walk->skipping == 1) {
      walk->skipping = 0;
      if (f->in_list)
         f->element++;
      else
         end_value(walk, f);
      return true;
   }
   if (f->in_list) {
      f->in_list = false;
      f->lengths[f->field] = walk->n_list - f->starts[f->field];
      f->present |= 1U << f->field;
      end_value(walk, f);
      return true;
   }
   switch (f->mode) {
      case IN_HEADER:
         if (!end_header(walk, f))
            return false;
         f->mode = IN_TABLE;
         f->field = NO_FIELD;
         return true;
      case IN_ROW:
         if (!end_values(walk, f))
            return false;
         f->mode = IN_TABLE;
         f->field = NO_FIELD;
         f->row++;
         return true;
      case IN_TABLE:
         if (f->n_columns == UINT32_MAX
             && !tell_rule(walk, true, "missing", "a table without a header"))
            return false;
         break;
      case IN_OBJECT:
         if (!end_values(walk, f))
            return false;
         break;
      case IN_STRINGS:
         walk->n_text = f->n_text;
         break;
   }
   walk->n_frames--;
   if (walk->n_frames == 0)
      walk->finished = true;
   else
      end_value(walk, top_frame(walk));
   return true;
}

/*--- The parser                                           ---*/

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

static void link_block(Parse* parse, JsonBlock* b)
{
   b->next = parse->blocks.next;
   b->before = &parse->blocks;
   b->next->before = b;
   parse->blocks.next = b;
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

static bool is_long(Parse* parse, size_t number)
{
   return number > MAX_NUMBER
          && !job_fail(parse->job, DCFG_ERROR_LIMIT, NULL,
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

/*--- Feeding the parser                                   ---*/

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

static void drop_rest(Parse* parse)
{
   job_free(parse->job, parse->rest, parse->cap_rest);
   parse->rest = NULL;
   parse->n_rest = parse->cap_rest = 0;
}

void parse_end(Parse* parse)
{
   if (parse == NULL)
      return;
   /* Free what YAJL has allocated: yajl_free() does no more, and may fail. */
   while (parse->blocks.next != &parse->blocks)
      yajl_release(parse, parse->blocks.next + 1);
   drop_rest(parse);
   walk_end(&parse->walk);
   input_close(parse->in);
   job_free(parse->job, parse, sizeof(*parse));
}

Walk* parse_walk(Parse* parse)
{
   return &parse->walk;
}

bool parse_finished(const Parse* parse)
{
   return parse->finished;
}

/* Report an error of syntax.  YAJL's text is "parse error: " or similar, the
   reason, and a line feed. */
static bool syntax_error(Parse* parse)
{
   char           place[PLACE_SIZE];
   unsigned char* said = yajl_get_error(parse->yajl, 0, NULL, 0);
   char*          reason = (char*)said;
   size_t         n = strlen(reason);

   if (n > 0 && reason[n - 1] == '\n')
      reason[n - 1] = 0;
   if (strstr(reason, ": ") != NULL)
      reason = strstr(reason, ": ") + 2;
   if (strcmp(reason, "premature EOF") == 0)
      reason = "the text ends too early";
   job_fail(parse->job, DCFG_ERROR_JSON, walk_place(&parse->walk, place),
            "not JSON: %s", reason);
   yajl_free_error(parse->yajl, said);
   return false;
}

/* Find out which token YAJL is in at the end of a piece.  Between the last
   event and the token there are only separators. */
static bool note_token(Parse* parse, const uint8_t* text, size_t n)
{
   size_t i = parse->event_end;

   if (i == 0 && parse->in_number > 0) {
      parse->in_number += n;
      return !is_long(parse, parse->in_number);
   }
   parse->in_number = 0;
   while (i < n && memchr(" \t\r\n,:", text[i], 6) != NULL)
      i++;
   if (i == n)
      return true;
   if (text[i] != '"') {
      parse->in_number = n - i;
      return !is_long(parse, parse->in_number);
   }
   parse->in_string = true;
   parse->escaped = false;
   for (i++; i < n; i++)
      parse->escaped = text[i] == '\\' && !parse->escaped;
   return true;
}

/* Give YAJL a piece, or at the end NULL. */
static bool feed_yajl(Parse* parse, const uint8_t* text, size_t n)
{
   char        place[PLACE_SIZE];
   yajl_status status;
   bool        ok;

   if (setjmp(parse->no_memory) != 0)
      return false;
   parse->event_end = 0;
   status = text != NULL ? yajl_parse(parse->yajl, text, n)
                         : yajl_complete_parse(parse->yajl);
   /* A piece within a string is the last one: the file ends in the string. */
   ok = status == yajl_status_ok
        && (text == NULL || parse->in_string || note_token(parse, text, n));
   if (parse->job->err.status != DCFG_OK) {
      if (parse->job->err.place[0] == 0)
         job_place(parse->job, walk_place(&parse->walk, place));
      return false;
   }
   if (text != NULL)
      job_at(parse->job, parse->consumed
                         + (ok ? n : yajl_get_bytes_consumed(parse->yajl)));
   if (status == yajl_status_client_canceled)
      return job_fail(parse->job, DCFG_ERROR_FORMAT, NULL, "not understood");
   if (!ok)
      return syntax_error(parse);
   parse->consumed += n;
   return true;
}

/* Give YAJL a piece, and refuse form feeds and vertical tabs, which YAJL takes
   for blanks. */
static bool feed(Parse* parse, const uint8_t* text, size_t n)
{
   char           place[PLACE_SIZE];
   const uint8_t* odd = text == NULL ? NULL : memchr(text, '\f', n);
   size_t         plain = odd == NULL ? n : (size_t)(odd - text);

   odd = text == NULL ? NULL : memchr(text, '\v', plain);
   if (odd != NULL)
      plain = (size_t)(odd - text);
   return feed_yajl(parse, text, plain)
          && (plain == n
              || job_fail(parse->job, DCFG_ERROR_JSON,
                          walk_place(&parse->walk, place),
                          "not JSON: a form feed or a vertical tab"));
}

/* Return the length of the part of TEXT that belongs to the present string. */
static size_t string_part(Parse* parse, const uint8_t* text, size_t n)
{
   for (size_t i = 0; i < n; i++) {
      if (!parse->escaped && text[i] == '"') {
         parse->in_string = false;
         return i + 1;
      }
      parse->escaped = text[i] == '\\' && !parse->escaped;
   }
   return n;
}

/* Give YAJL the string, which is whole, or the last one. */
static bool feed_string(Parse* parse)
{
   bool ok = parse->n_rest == 0 || feed(parse, parse->rest, parse->n_rest);

   drop_rest(parse);
   return ok;
}

static bool add_to_string(Parse* parse, const uint8_t* text, size_t n)
{
   char place[PLACE_SIZE];

   if (n > parse->cap_rest - parse->n_rest) {
      size_t   cap = parse->cap_rest + parse->cap_rest / 2 + n;
      uint8_t* more = job_realloc(parse->job, parse->rest, parse->cap_rest,
                                  cap);
      if (more == NULL) {
         job_place(parse->job, walk_place(&parse->walk, place));
         return false;
      }
      parse->rest = more;
      parse->cap_rest = cap;
   }
   memcpy(parse->rest + parse->n_rest, text, n);
   parse->n_rest += n;
   return true;
}

bool parse_some(Parse* parse)
{
   size_t n = 0, part = 0;

   if (!input_read(parse->in, parse->buf, sizeof(parse->buf), &n))
      return false;
   if (n == 0) {
      parse->finished = true;
      return feed_string(parse) && feed(parse, NULL, 0);
   }
   if (parse->in_string) {
      part = string_part(parse, parse->buf, n);
      if (!add_to_string(parse, parse->buf, part))
         return false;
      if (parse->in_string)
         return true;
      if (!feed_string(parse))
         return false;
   }
   return part == n || feed(parse, parse->buf + part, n - part);
}
