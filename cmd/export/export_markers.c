/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Markers in the source that leave out lines of its coverage. */

/* Owns: nothing that lasts.  Handed: a coverage and the numbers of its lines, by
   cmd/export/export_coverage.c.

   Comments in the source exclude lines, or the branches of lines, from coverage.
   geninfo and gcovr know the same markers, with LCOV_, GCOVR_ or GCOV_ in front:

      EXCL_LINE                    the line
      EXCL_START ... EXCL_STOP     from the first line to before the last
      EXCL_BR_LINE, EXCL_BR_START, EXCL_BR_STOP
                                   likewise, but only branches

   A function is left out with its first line.  A region without an end goes to the
   end of the file. */

#include "cmd/export/export.h"
#include "cmd/program/lines.h"

/* Marks: what a line has, or what is in force. */
enum { MARK_LINE = 1, MARK_BRANCHES = 2 };

/* Markers: the marks of the lines of one source file. */
typedef
   struct {
      uint8_t* marks;           // by line; NULL: no line has any
      uint32_t n_lines;
   }
   Markers;

/* Return the place behind WORD, if it stands at AT, before END; else NULL. */
static const char* behind(const char* at, const char* end, const char* word)
{
   size_t n = strlen(word);

   return (size_t)(end - at) >= n && memcmp(at, word, n) == 0 ? at + n : NULL;
}

/* Find the markers of the line TEXT of N bytes.  *OPEN has the marks that are in
   force behind it. */
static uint8_t marks_of_line(const char* text, size_t n, uint8_t* open)
{
   static const char* const prefixes[] = { "LCOV_EXCL_", "GCOVR_EXCL_",
                                           "GCOV_EXCL_" };
   uint8_t     marks = 0, begins = 0, ends = 0;
   const char* end = text + n;

   for (const char* at = text; at < end; at++) {
      const char* word = NULL;
      uint8_t     mark = MARK_LINE;
      for (size_t i = 0; i < 3 && word == NULL; i++)
         word = behind(at, end, prefixes[i]);
      if (word == NULL)
         continue;
      if (behind(word, end, "BR_") != NULL) {
         word += strlen("BR_");
         mark = MARK_BRANCHES;
      }
      if (behind(word, end, "LINE") != NULL)
         marks |= mark;
      else if (behind(word, end, "START") != NULL)
         begins |= mark;
      else if (behind(word, end, "STOP") != NULL)
         ends |= mark;
   }
   *open = (uint8_t)((*open | begins) & ~ends);
   return marks | *open;
}

/* Read the markers of the source file at PATH.  Return false if it cannot be
   read. */
static bool read_markers(Markers* m, const char* path)
{
   SourceFile* f = source_file_open(path);
   uint8_t     open = 0;

   *m = (Markers){ NULL, 0 };
   if (f == NULL)
      return false;
   m->n_lines = source_file_lines(f);
   m->marks = zalloc((size_t)m->n_lines + 1, sizeof(*m->marks));
   for (uint32_t i = 1; i <= m->n_lines; i++) {
      size_t      n;
      const char* text = source_file_line(f, i, &n);
      m->marks[i] = marks_of_line(text, n, &open);
   }
   if (open != 0)
      complain("warning: %s has a marker EXCL_%sSTART without STOP: the rest of the "
               "file is left out", path, open & MARK_LINE ? "" : "BR_");
   source_file_close(f);
   return true;
}

static bool is_marked(const Markers* m, uint32_t line, uint8_t marks)
{
   return m->marks != NULL && line <= m->n_lines
          && (m->marks[line] & marks) != 0;
}

size_t leave_out_marked(Coverage* c, uint64_t* keys)
{
   uint32_t n_files = keymap_size(c->file_numbers);
   Markers* files = zalloc((size_t)n_files + 1, sizeof(*files));
   size_t   n = 0, functions = 0, branches = 0, unread = 0;

   for (size_t i = 0; i < c->n_lines; i++) {
      uint32_t file = (uint32_t)(keys[i] >> 32);
      if ((i == 0 || keys[i - 1] >> 32 != file)
          && !read_markers(&files[file], cover_path(c, file)))
         unread++;
   }
   for (size_t i = 0; i < c->n_lines; i++)
      if (!is_marked(&files[keys[i] >> 32], (uint32_t)keys[i], MARK_LINE))
         keys[n++] = keys[i];
   for (size_t i = 0; i < c->n_functions; i++)
      if (!is_marked(&files[c->functions[i].file], c->functions[i].line,
                     MARK_LINE))
         c->functions[functions++] = c->functions[i];
   for (size_t i = 0; i < c->n_branches; i++)
      if (!is_marked(&files[c->branches[i].file], c->branches[i].line,
                     MARK_LINE | MARK_BRANCHES))
         c->branches[branches++] = c->branches[i];
   if (n < c->n_lines || branches < c->n_branches)
      complain("left out by markers in the source: %s lines, %s functions and %s "
               "branches; --no-markers keeps them",
               text_count(c->n_lines - n), text_count(c->n_functions - functions),
               text_count(c->n_branches - branches));
   if (unread > 0)
      complain("%s source file%s cannot be read: markers in %s are not known",
               text_count(unread), unread == 1 ? "" : "s",
               unread == 1 ? "it" : "them");
   c->n_functions = functions;
   c->n_branches  = branches;
   for (uint32_t i = 0; i < n_files; i++)
      free(files[i].marks);
   free(files);
   return n;
}
