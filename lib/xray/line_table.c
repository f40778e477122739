/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   DWARF's line number programs. */

/* Owns: the interpreter of line number programs.  Handed: a section's bytes.
   Taken by: xray_map.c.

   The format is that of DWARF 4, section 6.2.  It takes steps in proportion
   to the bytes. */

#include "lib/xray/line_table.h"

#include <string.h>

/* Opcodes. */
enum {
   EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN,
   NEGATE_STMT, SET_BASIC_BLOCK, CONST_ADD_PC, FIXED_ADVANCE_PC
};
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };

/* Bytes that are read front to back.  Behind their end there are zeros, and
   it has been BAD. */
typedef
   struct {
      const uint8_t* begin;
      const uint8_t* next;
      const uint8_t* end;
      bool           bad;
   }
   Bytes;

typedef
   struct {
      Job*        job;
      Arena*      names;
      bool      (*tell)(void* arg, const LineRow* row);
      void*       arg;
      const char* why;
      Bytes       b;            // of one program
      uint8_t     min_inst, line_range, opcode_base;
      int8_t      line_base;
      uint8_t     n_operands[256];
      Array       dirs, files;  // const char*
      /* The machine's registers, and the row that waits for its end. */
      uint64_t    address, file, line;
      bool        waits;
      LineRow     row;
   }
   Machine;

/*--- Bytes                                                ---*/

static uint64_t take(Bytes* b, size_t n)
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

/* LEB128; bits beyond 64 are lost.  SIGN: the last byte's sign counts. */
static uint64_t take_leb(Bytes* b, bool sign)
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

static const char* take_string(Bytes* b)
{
   const char*    s = (const char*)b->next;
   const uint8_t* zero = b->next == b->end ? NULL
                         : memchr(b->next, 0, (size_t)(b->end - b->next));

   if (zero == NULL) {
      b->bad = true;
      b->next = b->end;
      return "";
   }
   b->next = zero + 1;
   return s;
}

/*--- A program's header                                   ---*/

static bool add_string(Machine* m, Array* to, const char* s)
{
   const char** p = array_add(m->job, to, sizeof(*p));

   if (p == NULL)
      return false;
   *p = s;
   return true;
}

/* "DIR/NAME", if there is a directory that it is in; NULL without memory. */
static const char* in_directory(Machine* m, const char* name, uint64_t dir)
{
   const char* d;
   const char* path;
   char*       s;
   size_t      n, all;

   if (dir == 0 || dir > m->dirs.n || name[0] == '/')
      return name;
   d = ELEM(m->dirs, const char*, dir - 1);
   n = strlen(d);
   all = n + 1 + strlen(name);
   s = job_realloc(m->job, NULL, 0, all);
   if (s == NULL)
      return NULL;
   memcpy(s, d, n);
   s[n] = '/';
   memcpy(s + n + 1, name, all - n - 1);
   path = arena_string(m->job, m->names, s, all);
   job_free(m->job, s, all);
   return path;
}

static bool read_names(Machine* m)
{
   const char* s;

   m->dirs.n = m->files.n = 0;
   while (*(s = take_string(&m->b)) != 0)
      if (!add_string(m, &m->dirs, s))
         return false;
   while (*(s = take_string(&m->b)) != 0) {
      uint64_t dir = take_leb(&m->b, false);
      take_leb(&m->b, false);           // when it was changed
      take_leb(&m->b, false);           // its length
      s = in_directory(m, s, dir);
      if (s == NULL || !add_string(m, &m->files, s))
         return false;
   }
   return true;
}

static bool read_header(Machine* m)
{
   uint64_t version = take(&m->b, 2), length = take(&m->b, 4);
   Bytes    all = m->b;

   if (version != 4) {
      m->why = "a line number program that is not of DWARF 4";
      return true;
   }
   if (length > (uint64_t)(m->b.end - m->b.next)) {
      m->why = "a header that is longer than its program";
      return true;
   }
   m->b.end = m->b.next + length;
   m->min_inst = (uint8_t)take(&m->b, 1);
   take(&m->b, 2);              // operations in an instruction, is_stmt
   m->line_base = (int8_t)take(&m->b, 1);
   m->line_range = (uint8_t)take(&m->b, 1);
   m->opcode_base = (uint8_t)take(&m->b, 1);
   for (unsigned i = 1; i < m->opcode_base; i++)
      m->n_operands[i] = (uint8_t)take(&m->b, 1);
   if (!read_names(m))
      return false;
   if (m->b.bad || m->line_range == 0 || m->opcode_base == 0)
      m->why = "a broken header";
   m->b = (Bytes){ all.begin, all.next + length, all.end, false };
   return true;
}

/*--- Running it                                           ---*/

static void start_sequence(Machine* m)
{
   m->address = 0;
   m->file = m->line = 1;
   m->waits = false;
}

/* A row begins, or, at a sequence's end, does not. */
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
   uint64_t length = take_leb(&m->b, false);
   Bytes    b = m->b;

   if (length == 0 || length > (uint64_t)(b.end - b.next)) {
      m->b.bad = true;
      return true;
   }
   m->b.next += length;
   b.end = m->b.next;
   switch (take(&b, 1)) {
      case END_SEQUENCE:
         if (!put_row(m, false))
            return false;
         start_sequence(m);
         break;
      case SET_ADDRESS:
         m->address = take(&b, 8);
         m->b.bad = b.bad;
         break;
      default:                  // of no interest
         break;
   }
   return true;
}

static bool run_opcode(Machine* m)
{
   uint8_t op = (uint8_t)take(&m->b, 1), special;

   if (op >= m->opcode_base || op == CONST_ADD_PC) {
      special = (uint8_t)((op == CONST_ADD_PC ? 255 : op) - m->opcode_base);
      m->address += (uint64_t)m->min_inst * (special / m->line_range);
      if (op == CONST_ADD_PC)
         return true;
      m->line += (uint64_t)(int64_t)m->line_base + special % m->line_range;
      return put_row(m, true);
   }
   switch (op) {
      case EXTENDED:     return run_extended(m);
      case COPY:         return put_row(m, true);
      case ADVANCE_PC:
         m->address += m->min_inst * take_leb(&m->b, false);
         return true;
      case ADVANCE_LINE:
         m->line += take_leb(&m->b, true);
         return true;
      case SET_FILE:
         m->file = take_leb(&m->b, false);
         return true;
      case FIXED_ADVANCE_PC:
         m->address += take(&m->b, 2);
         return true;
      default:
         for (unsigned i = 0; i < m->n_operands[op]; i++)
            take_leb(&m->b, false);
         return true;
   }
}

bool read_line_table(Job* job, Arena* names, const uint8_t* data,
                     size_t size, bool (*tell)(void* arg, const LineRow* row),
                     void* arg, const char** why, uint64_t* at)
{
   Machine m = { .job = job, .names = names, .tell = tell, .arg = arg };
   Bytes   section = { data, data, data + size, false };
   bool    ok = true;

   while (ok && m.why == NULL && section.next < section.end) {
      uint64_t length = take(&section, 4);
      if (length > (uint64_t)(section.end - section.next)) {
         m.why = "a line number program that is longer than its section";
         break;
      }
      m.b = (Bytes){ data, section.next, section.next + length, false };
      section.next += length;
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
   *at = (uint64_t)((m.b.next == NULL ? data : m.b.next) - data);
   array_free(job, &m.dirs, sizeof(const char*));
   array_free(job, &m.files, sizeof(const char*));
   return ok;
}
