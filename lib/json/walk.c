/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables and objects of a JSON text: what it must have, and what it had. */

/* Owns: the present place in the nested tables and objects of a file, the
   values of the present row, and the place's form in messages.  Handed: Shapes
   by load.c and chunks.c, which know a format, and one JSON event after the
   other by json_events.c.

   The DCFG and the DCFG-trace are objects of tables.  A table is an array of
   arrays, and its first row, the header, tells its columns.  Tables and objects
   stand inside rows and objects.  A Shape describes a table or an object:
   names, types, ranges, and which values must be there.  The walk goes through
   the text with a stack of Frames, one for each table or object that is open.
   It checks each value where it stands, and keeps it by the number of its
   field.  So the order of columns and keys is free.  When a row or an object
   ends, the walk calls the shape's function with the frame.

   Values that no shape names are skipped, however deep.  Values of a row are on
   two stacks, one for lists and one for text.  A row inside a row's value uses
   the space above, and is removed when the outer row ends.  So memory is
   bounded by one row and the rows around it.

   Readers of a file are not alike: one wants the first error, dcfg check
   wants all problems.  A broken rule ends the walk only if it is fatal and
   nobody listens to problems (job_problem()); otherwise the value counts as
   missing.  Odd things that the format allows are told to listeners alone. */

#include "lib/json/walk.h"

#include "lib/base/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static inline Frame* top_frame(Walk* w)
{
   return &w->frames[w->n_frames - 1];
}

/* Return the present field, or NULL. */
static inline const Field* current_field(const Frame* f)
{
   return f->field == NO_FIELD ? NULL : &f->shape->fields[f->field];
}

const char* walk_place(const Walk* w, char* place)
{
   size_t n = 0;

   place[0] = 0;
   for (uint32_t i = 0; i < w->n_frames && n < PLACE_SIZE; i++) {
      const Frame* f = &w->frames[i];
      const Field* field = current_field(f);
      if (f->mode == IN_HEADER)
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[header]");
      else if (f->mode == IN_ROW
               || (f->mode == IN_TABLE && f->n_columns != UINT32_MAX
                   && i + 1 == w->n_frames))
         n += (size_t)snprintf(place + n, PLACE_SIZE - n, "[%" PRIu64 "]",
                               f->row);
      if (n < PLACE_SIZE && f->mode != IN_HEADER && field != NULL
          && (!(field->flags & F_SILENT) || i + 1 == w->n_frames))
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
static bool tell_rule(Walk* w, bool fatal, const char* rule,
                      const char* what)
{
   char place[PLACE_SIZE];

   return job_problem(w->job, DCFG_PROBLEM_RULE, fatal, rule,
                      walk_place(w, place), "%s", what);
}

/* Report something odd: WHAT, followed by the LEN bytes of S. */
static void tell_surface(Walk* w, const char* rule, const char* what,
                         const char* s, size_t len)
{
   char place[PLACE_SIZE];

   if (job_listened(w->job))
      job_problem(w->job, DCFG_PROBLEM_SURFACE, false, rule,
                  walk_place(w, place), "%s%.*s", what,
                  (int)(len < 100 ? len : 100), s);
}

/* Report that the value WHAT has a wrong type. */
static bool tell_type(Walk* w, const char* what)
{
   static const char* const needs[] = {
      "an integer is needed, not ", "an array of integers is needed, not ",
      "a string is needed, not ", "a table is needed, not ",
      "an object is needed, not ", "an object of strings is needed, not "
   };
   Frame*       f = top_frame(w);
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
   return tell_rule(w, true, "type", said);
}

/*--- The stacks                                           ---*/

static bool push_number(Walk* w, uint64_t n)
{
   if (w->n_list == w->cap_list) {
      size_t    cap = w->cap_list * 2 + 64;
      uint64_t* more = job_realloc(w->job, w->list,
                                   w->cap_list * sizeof(n),
                                   cap * sizeof(n));
      if (more == NULL)
         return false;
      w->list = more;
      w->cap_list = cap;
   }
   w->list[w->n_list++] = n;
   return true;
}

static bool push_text(Walk* w, const char* s, size_t len)
{
   if (w->cap_text - w->n_text <= len) {
      size_t cap = w->cap_text + len + w->cap_text / 2 + 1024;
      char*  more = job_realloc(w->job, w->text, w->cap_text, cap);
      if (more == NULL)
         return false;
      w->text = more;
      w->cap_text = cap;
   }
   if (len > 0)
      memcpy(w->text + w->n_text, s, len);
   w->n_text += len;
   w->text[w->n_text++] = 0;
   return true;
}

/*--- Rows and objects                                     ---*/

static bool begin_values(Walk* w, Frame* f)
{
   f->present = 0;
   f->bad = 0;
   f->column = 0;
   f->field = NO_FIELD;
   f->n_list = w->n_list;
   f->n_text = w->n_text;
   return f->shape->open == NULL || f->shape->open(w->arg, f);
}

static bool end_values(Walk* w, Frame* f)
{
   const Shape* s = f->shape;
   bool         ok = true, usable = true;

   for (uint32_t i = 0; i < s->n_fields; i++) {
      const Field* field = &s->fields[i];
      if (has(f, i) || !(field->flags & (F_NEEDED | F_MUST)))
         continue;
      if (field->flags & F_NEEDED)
         usable = false;
      if (f->bad >> i & 1)
         continue;
      f->field = i;
      if (!tell_rule(w, field->flags & F_NEEDED, "missing",
                       "this is missing"))
         return false;
   }
   f->field = NO_FIELD;
   if (f->strange)
      tell_surface(w, "key", "a key of the other kind of file", "", 0);
   if ((usable || s->keep) && s->close != NULL)
      ok = s->close(w->arg, f);
   w->n_list = f->n_list;
   w->n_text = f->n_text;
   return ok;
}

/* Choose the field of the next value of a row, by the header. */
static void next_value(Frame* f)
{
   if (f->mode == IN_ROW) {
      f->field = f->column < f->n_columns && f->column < MAX_COLUMNS
                 ? f->columns[f->column] : NO_FIELD;
   } else {
      f->field = NO_FIELD;
   }
}

static void end_value(Walk* w, Frame* f)
{
   if (f->mode == IN_ROW) {
      if (f->column == f->n_columns)
         tell_surface(w, "row-length", "more values than columns", "", 0);
      f->column++;
      next_value(f);
   } else if (f->mode == IN_HEADER) {
      f->column++;
   } else if (f->mode == IN_TABLE) {
      f->row++;
   } else {
      f->field = NO_FIELD;
   }
}

static bool end_header(Walk* w, Frame* f)
{
   uint32_t seen = 0;

   f->n_columns = f->column;
   for (uint32_t i = 0; i < f->n_columns && i < MAX_COLUMNS; i++)
      if (f->columns[i] != NO_FIELD)
         seen |= 1U << f->columns[i];
   for (uint32_t i = 0; i < f->shape->n_fields; i++) {
      const Field* field = &f->shape->fields[i];
      char         what[100];
      if (seen >> i & 1)
         continue;
      if (f->strange && (field->flags & (F_NEEDED | F_MUST)))
         return job_fail(w->job, DCFG_ERROR_KIND, NULL, "%s",
                         f->shape->kin->what);
      snprintf(what, sizeof(what), "there is no column %s", field->name);
      if ((field->flags & (F_NEEDED | F_MUST))
          && !tell_rule(w, field->flags & F_NEEDED, "missing", what))
         return false;
   }
   if (f->strange)
      tell_surface(w, "column", "a column of the other kind of file", "", 0);
   f->strange = false;
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
static bool header_name(Walk* w, Frame* f, const char* s, size_t len)
{
   const Shape* shape = f->shape;
   uint32_t     field = NO_FIELD, before = 0;

   for (uint32_t i = 0; i < shape->n_fields; i++)
      if (strlen(shape->fields[i].name) == len
          && memcmp(shape->fields[i].name, s, len) == 0)
         field = i;
   for (uint32_t i = 0; i < f->column && i < MAX_COLUMNS; i++) {
      if (f->columns[i] != NO_FIELD && f->columns[i] == field) {
         if (!tell_rule(w, true, "duplicate-column",
                          "a column is there twice"))
            return false;
         field = NO_FIELD;
      }
      if (f->columns[i] != NO_FIELD && f->columns[i] > before)
         before = f->columns[i];
   }
   if (field == NO_FIELD && is_strange(shape, s, len))
      f->strange = true;
   else if (field == NO_FIELD)
      tell_surface(w, "column", "no column of this table: ", s, len);
   else if (field < before || f->column > field)
      tell_surface(w, "column-order", "in an unusual place: ", s, len);
   if (f->column < MAX_COLUMNS)
      f->columns[f->column] = (uint8_t)field;
   return true;
}

static bool push_frame(Walk* w, const Shape* shape)
{
   Frame* f;

   if (w->n_frames == MAX_FRAMES)       // deeper than any shape
      return job_fail(w->job, DCFG_ERROR_LIMIT, NULL, "nested too deep");
   f = &w->frames[w->n_frames++];
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
   return begin_values(w, f);
}

/*--- Values                                               ---*/

/* Store an integer in either form, as the present field or an element of it. */
static bool put_integer(Walk* w, const char* s, size_t len, bool is_string)
{
   Frame*       f = top_frame(w);
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
      if (!tell_rule(w, true, "number", what))
         return false;
      n = 0;
      if (!f->in_list)
         return true;
   } else if (job_listened(w->job)
              && is_string != ((field->flags & F_HEX) != 0)) {
      tell_surface(w, "number-style", is_string
                  ? "usually an integer, here a string: "
                  : "usually a hex string, here an integer: ", s, len);
   }
   if (f->in_list)
      return push_number(w, n);
   if ((field->flags & F_VERSION) && n != DCFG_VERSION_MAJOR)
      return job_fail(w->job, DCFG_ERROR_FORMAT, field->name,
                      "format %" PRIu64 ".xx; this library reads %u.xx", n,
                      DCFG_VERSION_MAJOR);
   f->numbers[f->field] = n;
   f->present |= 1U << f->field;
   return true;
}

static bool put_text(Walk* w, Frame* f, uint32_t field, const char* s,
                     size_t len)
{
   f->starts[field] = w->n_text;
   f->lengths[field] = len;
   f->present |= 1U << field;
   if (job_listened(w->job) && !is_utf8(s, len))
      tell_surface(w, "string", "not UTF-8: ", s, len);
   return push_text(w, s, len);
}

/* Return whether the field has a value already: the key is there twice. */
static bool is_repeated(const Frame* f)
{
   return f->mode == IN_OBJECT && f->field != NO_FIELD
          && ((f->present | f->bad) >> f->field & 1);
}

/*--- Events                                               ---*/

void walk_start(Walk* w, Job* job, const Shape* top, void* arg)
{
   memset(w, 0, sizeof(*w));
   w->job = job;
   w->top = top;
   w->arg = arg;
}

void walk_end(Walk* w)
{
   job_free(w->job, w->list, w->cap_list * sizeof(*w->list));
   job_free(w->job, w->text, w->cap_text);
   w->list = NULL;
   w->text = NULL;
}

static bool not_an_object(Walk* w, const char* what)
{
   return job_fail(w->job, DCFG_ERROR_FORMAT, NULL,
                   "an object is needed, not %s", what);
}

/* Return whether a value is needed here, of any type. */
static bool is_needed(const Frame* f)
{
   return f->field != NO_FIELD || f->mode == IN_TABLE
          || f->mode == IN_HEADER || f->mode == IN_STRINGS;
}

static bool walk_scalar(Walk* w, const char* s, size_t len, bool is_string)
{
   const char*  what = is_string ? "a string" : "a number";
   Frame*       f;
   const Field* field;
   bool         ok = true;

   if (w->skipping > 0)
      return true;
   if (w->n_frames == 0)
      return not_an_object(w, what);
   f = top_frame(w);
   field = current_field(f);
   if (f->in_list) {
      ok = put_integer(w, s, len, is_string);
      f->element++;
      return ok;
   }
   if (is_string && f->mode == IN_HEADER) {
      ok = header_name(w, f, s, len);
   } else if (is_string && f->mode == IN_STRINGS) {
      ok = put_text(w, f, 1, s, len);
      if (ok && f->shape->close != NULL)
         ok = f->shape->close(w->arg, f);
      f->row++;
      w->n_text = f->n_text;
      return ok;
   } else if (field != NULL && field->kind == V_INT) {
      ok = put_integer(w, s, len, is_string);
   } else if (is_string && field != NULL && field->kind == V_STRING) {
      ok = put_text(w, f, f->field, s, len);
   } else if (is_needed(f)) {
      ok = tell_type(w, what);
   }
   end_value(w, f);
   return ok;
}

bool walk_number(Walk* w, const char* s, size_t len)
{
   return walk_scalar(w, s, len, false);
}

bool walk_string(Walk* w, const char* s, size_t len)
{
   return walk_scalar(w, s, len, true);
}

bool walk_other(Walk* w, const char* what)
{
   Frame* f;
   bool   ok = true;

   if (w->skipping > 0)
      return true;
   if (w->n_frames == 0)
      return not_an_object(w, what);
   f = top_frame(w);
   if (f->in_list) {
      ok = tell_type(w, what) && push_number(w, 0);
      f->element++;
      return ok;
   }
   if (is_needed(f))
      ok = tell_type(w, what);
   end_value(w, f);
   return ok;
}

bool walk_key(Walk* w, const char* s, size_t len)
{
   Frame*       f;
   const Shape* shape;

   if (w->skipping > 0)
      return true;
   f = top_frame(w);
   shape = f->shape;
   if (f->mode == IN_STRINGS) {
      w->n_text = f->n_text;
      return put_text(w, f, 0, s, len);
   }
   f->field = NO_FIELD;
   for (uint32_t i = 0; i < shape->n_fields; i++)
      if (strlen(shape->fields[i].name) == len
          && memcmp(shape->fields[i].name, s, len) == 0)
         f->field = i;
   if (f->field == NO_FIELD && is_strange(shape, s, len)) {
      f->strange = true;
   } else if (f->field == NO_FIELD) {
      tell_surface(w, "key", "no key of this object: ", s, len);
   } else if (is_repeated(f)) {
      if (!tell_rule(w, true, "duplicate-key", "this key is there twice"))
         return false;
      f->field = NO_FIELD;
   }
   return true;
}

bool walk_open(Walk* w, bool object)
{
   const char*  what = object ? "an object" : "an array";
   Frame*       f;
   const Field* field;

   if (++w->depth > MAX_DEPTH)
      return job_fail(w->job, DCFG_ERROR_LIMIT, NULL,
                      "arrays and objects are nested too deep");
   if (w->skipping > 0) {
      w->skipping++;
      return true;
   }
   if (w->n_frames == 0)
      return object ? push_frame(w, w->top) : not_an_object(w, what);
   f = top_frame(w);
   field = current_field(f);
   if (f->mode == IN_TABLE && !object) {
      if (f->n_columns == UINT32_MAX) {
         f->mode = IN_HEADER;
         f->column = 0;
         memset(f->columns, NO_FIELD, sizeof(f->columns));
         return true;
      }
      f->mode = IN_ROW;
      if (!begin_values(w, f))
         return false;
      next_value(f);
      return true;
   }
   if (field != NULL && f->mode != IN_HEADER && !f->in_list) {
      if (field->kind == V_INTS && !object) {
         f->in_list = true;
         f->element = 0;
         f->starts[f->field] = w->n_list;
         return true;
      }
      if ((field->kind == V_TABLE && !object)
          || (field->kind >= V_OBJECT && object)) {
         f->present |= 1U << f->field;
         return push_frame(w, field->shape);
      }
   }
   w->skipping = 1;
   if (field == NULL && (f->mode == IN_ROW || f->mode == IN_OBJECT))
      return true;
   if (f->in_list && !push_number(w, 0))
      return false;
   return tell_type(w, what);
}

bool walk_close(Walk* w)
{
   Frame* f;

   w->depth--;
   if (w->skipping > 1) {
      w->skipping--;
      return true;
   }
   f = top_frame(w);
   if (w->skipping == 1) {
      w->skipping = 0;
      if (f->in_list)
         f->element++;
      else
         end_value(w, f);
      return true;
   }
   if (f->in_list) {
      f->in_list = false;
      f->lengths[f->field] = w->n_list - f->starts[f->field];
      f->present |= 1U << f->field;
      end_value(w, f);
      return true;
   }
   switch (f->mode) {
      case IN_HEADER:
         if (!end_header(w, f))
            return false;
         f->mode = IN_TABLE;
         f->field = NO_FIELD;
         return true;
      case IN_ROW:
         if (!end_values(w, f))
            return false;
         f->mode = IN_TABLE;
         f->field = NO_FIELD;
         f->row++;
         return true;
      case IN_TABLE:
         if (f->n_columns == UINT32_MAX
             && !tell_rule(w, true, "missing", "a table without a header"))
            return false;
         break;
      case IN_OBJECT:
         if (!end_values(w, f))
            return false;
         break;
      case IN_STRINGS:
         w->n_text = f->n_text;
         break;
   }
   w->n_frames--;
   if (w->n_frames == 0)
      w->finished = true;
   else
      end_value(w, top_frame(w));
   return true;
}
