/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Line number programs of maps. */

/* Owns: the interpreter of line number programs.  Handed: a section's bytes.
   Taken by: xray_map.c.

   The format is DWARF 4, section 6.2, as far as tool/xray/elf_map.c writes it: no
   directories and no special opcodes.  The number of steps is proportional to
   the number of bytes. */

#include "lib/xray/line_table.h"

#include <string.h>

/* Standard and extended opcodes. */
enum { EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE };
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };

/* LineBytes: bytes that are read front to back.  Behind the end, zeros are
   read, and .bad is set. */
typedef
   struct {
      const uint8_t* next;
      const uint8_t* end;
      bool           bad;
   }
   LineBytes;

typedef
   struct {
      Job*        job;
      bool      (*tell)(void* arg, const LineRow* row);
      void*       arg;
      const char* why;
      LineBytes       b;            // the present program
      Array       files;        // const char*
      /* The registers of DWARF's state machine, and the row that waits for its
         end. */
      uint64_t    address, file, line;
      bool        waits;
      LineRow     row;
   }
   Machine;

/*--- Bytes                                                ---*/

static uint64_t take(LineBytes* b, size_t n)
{
   uint64_t value = 0;

   if ((size_t)(b->end - b->next) < n) {
      b->bad = true;
      b->next = b->end;
      return 0;
   }
   for (size_t i = n; i-- > 0; )
      value = value << 8 | b->next[i];
   b->next += n;
   return value;
}

/* Read LEB128; bits beyond 64 are lost.  SIGN: signed. */
static uint64_t take_leb(LineBytes* b, bool sign)
{
   uint64_t value = 0;
   unsigned shift = 0;
   uint8_t  byte;

   do {
      byte = (uint8_t)take(b, 1);
      if (shift < 64)
         value |= (uint64_t)(byte & 0x7F) << shift;
      shift = shift < 64 ? shift + 7 : shift;
   } while ((byte & 0x80) != 0);
   if (sign && (byte & 0x40) != 0 && shift < 64)
      value |= UINT64_MAX << shift;
   return value;
}

static const char* take_string(LineBytes* b)
{
   const char* s = (const char*)b->next;
   size_t      left = (size_t)(b->end - b->next);
   size_t      n = left == 0 ? 0 : strnlen(s, left);

   take(b, n + 1);
   return n < left ? s : "";
}

/*--- A program's header                                   ---*/

static bool read_files(Machine* m, LineBytes* b)
{
   const char* s;

   array_cut(&m->files, 0);
   while (*(s = take_string(b)) != 0) {
      const char** file = array_add(m->job, &m->files, sizeof(*file));
      if (file == NULL)
         return false;
      *file = s;
      for (int i = 0; i < 3; i++)       // directory, time, length
         take_leb(b, false);
   }
   return true;
}

static bool read_header(Machine* m)
{
   uint64_t version = take(&m->b, 2), length = take(&m->b, 4);
   uint64_t first_special;
   LineBytes    b = m->b;

   if (version != 4) {
      m->why = "a line number program that is not of DWARF 4";
      return true;
   }
   if (length > (uint64_t)(m->b.end - m->b.next)) {
      m->why = "a header that is longer than its program";
      return true;
   }
   m->b.next = b.end = b.next + length;
   take(&b, 5);                 // instruction lengths and special opcodes
   first_special = take(&b, 1);
   for (uint64_t op = 1; op < first_special; op++)
      take(&b, 1);
   if (take(&b, 1) != 0)
      m->why = "a directory, which maps do not have";
   if (!read_files(m, &b))
      return false;
   if (b.bad)
      m->why = "a broken header";
   return true;
}

/* --- Running a program                                    --- */

static void start_sequence(Machine* m)
{
   m->address = 0;
   m->file = m->line = 1;
   m->waits = false;
}

/* Put the waiting row, and if BEGINS begin another one. */
static bool put_row(Machine* m, bool begins)
{
   if (m->waits) {
      m->row.end = m->address;
      if (!m->tell(m->arg, &m->row))
         return false;
   }
   m->waits = begins;
   m->row.addr = m->address;
   m->row.line = m->line;
   m->row.file = m->file > 0 && m->file <= m->files.n
                 ? ELEM(m->files, const char*, m->file - 1) : "";
   return true;
}

static bool run_extended(Machine* m)
{
   take_leb(&m->b, false);      // length of the instruction
   switch (take(&m->b, 1)) {
      case END_SEQUENCE:
         if (!put_row(m, false))
            return false;
         start_sequence(m);
         break;
      case SET_ADDRESS:
         m->address = take(&m->b, 8);
         break;
      default:
         m->why = "an extended opcode that maps do not have";
   }
   return true;
}

static bool run_opcode(Machine* m)
{
   switch (take(&m->b, 1)) {
      case EXTENDED:     return run_extended(m);
      case COPY:         return put_row(m, true);
      case ADVANCE_PC:
         m->address += take_leb(&m->b, false);
         return true;
      case ADVANCE_LINE:
         m->line += take_leb(&m->b, true);
         return true;
      case SET_FILE:
         m->file = take_leb(&m->b, false);
         return true;
      default:
         m->why = "an opcode that maps do not have";
         return true;
   }
}

bool read_line_table(Job* job, const uint8_t* data, size_t size,
                     bool (*tell)(void* arg, const LineRow* row), void* arg,
                     const char** why, uint64_t* at)
{
   Machine m = { .job = job, .tell = tell, .arg = arg, .b.next = data };
   LineBytes   section = { data, data + size, false };
   bool    ok = true;

   while (ok && m.why == NULL && section.next < section.end) {
      uint64_t length = take(&section, 4);
      if (length > (uint64_t)(section.end - section.next)) {
         m.why = "a line number program that is longer than its section";
         break;
      }
      m.b = (LineBytes){ section.next, section.next + length, false };
      section.next = m.b.end;
      ok = read_header(&m);
      start_sequence(&m);
      while (ok && m.why == NULL && m.b.next < m.b.end) {
         ok = run_opcode(&m);
         if (m.b.bad)
            m.why = "a line number program that ends within an instruction";
      }
      if (ok && m.why == NULL && m.waits)
         m.why = "a line number program that ends within a sequence";
   }
   *why = m.why;
   *at = (uint64_t)(m.b.next - data);
   array_free(job, &m.files, sizeof(const char*));
   return ok;
}
