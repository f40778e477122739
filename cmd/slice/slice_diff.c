/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The difference of two slices. */

/* Owns: the comparison of two slices.  Handed: two slices.

   Two lines are the same if they have the same number in the same source.  If
   the two programs were built in different folders, the path of a source counts
   from there.  Two instructions are the same if they have the same code at the
   same place of an image of the same name. */

#include "cmd/slice/slice_views.h"

#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "cmd/program/lines.h"
#include "cmd/base/own.h"
#include "cmd/program/recording.h"
#include "cmd/program/mapping.h"

#include <stdlib.h>
#include <string.h>

/* Entry: a line or an instruction that is in one of the slices, or in both. */
typedef
   struct {
      DcfgWetInstr is;          // one of its instructions
      const char*  source;      // its path from where the program was built
      uint64_t     place;       // in the image's file; or the address
      bool         library;     // not the program's own
      uint64_t     count[2];    // instances, in A and B
   }
   Entry;

typedef
   struct {
      Entry*   entries;
      uint32_t n;
      int    (*order)(const void*, const void*);        // entries that compare
                                                        // equal are joined
      int    (*shown)(const void*, const void*);
   }
   Entries;

static int text_order(const char* m, const char* n)
{
   return m == n ? 0 : m == NULL ? 1 : n == NULL ? -1 : strcmp(m, n);
}

COMPARE(by_line, Entry, text_order(x->source, y->source) ?: UP(is.line))

static const char* image_base(const Entry* e)
{
   return e->is.image_name == NULL ? NULL : text_base(e->is.image_name);
}

COMPARE(by_code, Entry,
        text_order(image_base(x), image_base(y)) ?: UP(place) ?: UP(is.size)
        ?: memcmp(x->is.code, y->is.code, x->is.size))

/* Order of the tables: the program before the libraries. */
COMPARE(lines_shown, Entry, UP(library) ?: by_line(x, y))
COMPARE(codes_shown, Entry, UP(library) ?: by_code(x, y))

/* Return the path of the source with main(), or NULL if it is not known. */
static const char* main_source(DcfgWet* w)
{
   uint32_t n = dcfg_wet_instrs(w);

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->source != NULL && in->function != NULL
          && strcmp(in->function, "main") == 0)
         return in->source;
   }
   return NULL;
}

/* Return the length of the path of the folder in which V's program was
   built: the part of main()'s path before its longest common end with
   OTHER's, in whole names.  0: it is not known. */
static size_t built_in(const SliceView* v, const SliceView* other)
{
   const char* a = main_source(v->w);
   const char* b = main_source(other->w);
   size_t      all = a == NULL ? 0 : strlen(a);
   size_t      m = all, n = b == NULL ? 0 : strlen(b);
   size_t      same = all;

   while (m > 0 && n > 0 && a[m - 1] == b[n - 1]) {
      m--;
      n--;
      if (a[m] == '/')
         same = m;
   }
   return same < all && m > 0 ? same : 0;
}

static const char* source_of(const char* source, const char* in, size_t n)
{
   return source != NULL && strncmp(source, in, n) == 0 ? source + n : source;
}

/* Append the instructions of V's slice to E, with their instances as those
   of SIDE.  With LINES, leave out instructions without a source. */
static void add_slice(Entries* e, const SliceView* v, const SliceView* other,
                      int side, bool lines)
{
   uint32_t    n = dcfg_wet_instrs(v->w);
   size_t      head = built_in(v, other);
   const char* in_head = head == 0 ? "" : main_source(v->w);
   const char* program = wet_program(v->w);

   for (uint32_t first = 0, end; first < n; first = end) {
      uint64_t begin = dcfg_wet_instr(v->w, first)->addr, place = begin;
      end = image_end(v->w, first);
      if (!lines && image_place(v->w, first, v->root, &place) != NULL)
         place = begin;
      for (uint32_t i = first; i < end; i++) {
         const DcfgWetInstr* in = dcfg_wet_instr(v->w, i);
         if (v->s->totals[i].in_slice == 0 || (lines && in->source == NULL))
            continue;
         Entry* to = &e->entries[e->n++];
         *to = (Entry){ .is = *in, .place = place + (in->addr - begin),
                        .source = source_of(in->source, in_head, head),
                        .library = !is_of_program(in->image_name, program, NULL) };
         to->count[side] = v->s->totals[i].in_slice;
      }
   }
}

/* Join entries that are the same, and sort them as they are shown. */
static void join(Entries* e)
{
   uint32_t n = 0;

   qsort(e->entries, e->n, sizeof(Entry), e->order);
   for (uint32_t i = 0; i < e->n; i++) {
      const Entry* from = &e->entries[i];
      if (n == 0 || e->order(&e->entries[n - 1], from) != 0) {
         e->entries[n++] = *from;
         continue;
      }
      e->entries[n - 1].library = e->entries[n - 1].library && from->library;
      e->entries[n - 1].count[0] += from->count[0];
      e->entries[n - 1].count[1] += from->count[1];
   }
   e->n = n;
   qsort(e->entries, e->n, sizeof(Entry), e->shown);
}

static Entries entries_of(const SliceView* a, const SliceView* b, bool lines)
{
   size_t  room = (size_t)dcfg_wet_instrs(a->w) + dcfg_wet_instrs(b->w) + 1;
   Entries e = { zalloc(room, sizeof(Entry)), 0, lines ? by_line : by_code,
                 lines ? lines_shown : codes_shown };

   add_slice(&e, a, b, 0, lines);
   add_slice(&e, b, a, 1, lines);
   join(&e);
   return e;
}

static const char* change_of(const Entry* e)
{
   return e->count[0] == 0 ? "new" : e->count[1] == 0 ? "gone" : "changed";
}

/* Put the text of E's line, from its first letter.  *F is the open file
   *PATH; both are kept for the next line. */
static void put_line(Table* t, const Entry* e, SourceFile** f,
                     const char** path)
{
   size_t      length;
   const char* line;

   if (*path == NULL || strcmp(*path, e->is.source) != 0) {
      source_file_close(*f);
      *path = e->is.source;
      *f    = source_file_open(*path);
   }
   line = source_file_code(*f, e->is.line, &length);
   if (line == NULL) {
      put_text(t, "");
      return;
   }
   put_text(t, text_clean(text_format("%.*s", (int)length, line)));
}

static void put_code(Table* t, const Entry* e)
{
   char text[256];

   instr_text(&e->is, text, sizeof(text));
   put_hex(t, e->place);
   put_text(t, e->is.image_name == NULL ? ""
            : text_clean(text_base(e->is.image_name)));
   put_text(t, text);
}

static Table* table_of(const Entries* e, bool lines, uint64_t top)
{
   Table*      t = tab_new(lines ? "lines" : "instructions");
   SourceFile* f = NULL;
   const char* path = NULL;

   tab_column(t, COL_TEXT, "change", "change", 0);
   tab_column(t, COL_COUNT, "a", "A", 0);
   tab_column(t, COL_COUNT, "b", "B", 0);
   tab_column(t, COL_TEXT, "source", "source", 0);
   if (!lines) {
      tab_column(t, COL_HEX, "offset", "offset", 0);
      tab_column(t, COL_TEXT, "image", "image", 24);
   }
   tab_column(t, COL_TEXT, lines ? "text" : "code", lines ? "text" : "code", 0);
   for (uint32_t i = 0; i < e->n; i++) {
      const Entry* at = &e->entries[i];
      if (at->count[0] == at->count[1] || (top != 0 && tab_rows(t) == top))
         continue;
      put_text(t, change_of(at));
      put_count(t, at->count[0]);
      put_count(t, at->count[1]);
      put_text(t, at->is.source == NULL ? ""
               : text_clean(text_format("%s:%u", text_base(at->is.source),
                                        at->is.line)));
      if (lines)
         put_line(t, at, &f, &path);
      else
         put_code(t, at);
   }
   source_file_close(f);
   return t;
}

/* Print how many entries are new, gone and changed.  Return the sum of the
   three. */
static uint64_t print_heading(const Entries* e, bool lines, Form form)
{
   uint64_t    added = 0, gone = 0, changed = 0;
   const char* mark = form == FORM_MARKDOWN ? "**" : "";

   for (uint32_t i = 0; i < e->n; i++) {
      const uint64_t* count = e->entries[i].count;
      added += count[0] == 0;
      gone += count[1] == 0;
      changed += count[0] != 0 && count[1] != 0 && count[0] != count[1];
   }
   if (form == FORM_TEXT || form == FORM_MARKDOWN)
      printf("\n%s%s: %s new, %s gone, %s changed, of %s, in instances%s\n%s",
             mark, lines ? "Lines" : "Instructions", text_count(added),
             text_count(gone), text_count(changed), text_count(e->n), mark,
             form == FORM_MARKDOWN ? "\n" : "");
   return added + gone + changed;
}

static uint64_t print_section(const SliceView* a, const SliceView* b, Form form,
                              uint64_t top, bool lines)
{
   Entries  e = entries_of(a, b, lines);
   uint64_t n = print_heading(&e, lines, form);
   Table*   t = table_of(&e, lines, top);

   if (form == FORM_JSON) {
      printf("%s\n  \"%s\": ", lines ? "{" : ",",
             lines ? "lines" : "instructions");
      tab_print(t, form, 2);
   } else if (form == FORM_CSV) {
      fputs(lines ? "" : "\n", stdout);
      tab_print(t, form, 0);
   } else {
      if (n > 0)
         tab_print(t, form, 0);
      if (tab_rows(t) < n)
         printf("... and %s more\n", text_count(n - tab_rows(t)));
   }
   tab_free(t);
   free(e.entries);
   text_forget();
   return n;
}

uint64_t slice_print_diff(const SliceView* a, const SliceView* b, Form form,
                          uint64_t top)
{
   uint64_t n;

   if (form == FORM_TEXT || form == FORM_MARKDOWN)
      for (const SliceView* v = a; ; v = b) {
         printf("%s: %s: %s instances, %s\n", v == a ? "A" : "B", v->file,
                text_count(v->s->n_instances), v->criterion);
         if (v == b)
            break;
      }
   n  = print_section(a, b, form, top, true);
   n += print_section(a, b, form, top, false);
   if (form == FORM_JSON)
      puts("\n}");
   return n;
}
