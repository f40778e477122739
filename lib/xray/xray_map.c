/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Maps of XRay logs: which functions a log's numbers are. */

/* Owns: loading the map that names a log's functions and their source lines.
   Handed: bytes by input.c.

   A map is an ELF file for llvm-xray, with sleds, symbols and source lines
   for addresses of its own.  The whole file is in memory, and names point
   into it.  Source lines are line number programs of DWARF 4, section 6.2,
   as far as tool/xray/elf_map.c writes them: no directories and no special
   opcodes.  The number of steps is proportional to the number of bytes. */

#include "lib/dcfg_xray.h"

#include "format/xray_files.h"
#include "lib/base/input.h"
#include "lib/base/sort.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*--- Line number programs                                 ---*/

/* LineRow: the code from ADDR to END is of this line. */
typedef
   struct {
      uint64_t    addr, end;
      const char* file;         // in the section's data
      uint64_t    line;
   }
   LineRow;

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
      LineBytes   b;            // the present program
      Array       files;        // const char*
      /* The registers of DWARF's state machine, and the row that waits for its
         end. */
      uint64_t    address, file, line;
      bool        waits;
      LineRow     row;
   }
   Machine;

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

/* Call TELL for each row in the SIZE bytes of a map's section .debug_line; TELL
   returns false to stop.  *WHY is what is wrong with the section, or NULL; *AT
   is the place.  Return False without memory, or if TELL stopped. */
static bool read_line_table(Job* job, const uint8_t* data, size_t size,
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

#define SLED_SIZE      32
#define MOST_FUNCTIONS ((1U << 28) - 1)

typedef
   struct {
      DcfgXrayMap shown;        // first, because users have a pointer to it
      Job         job;
      Array       text;         // the file
      Array       functions;    // DcfgXrayFunction
      SortKey*    by_addr;
      Elf64_Ehdr  header;
   }
   Map;

typedef
   struct {
      Elf64_Shdr     h;
      const uint8_t* data;      // NULL: no data
      size_t         size;
   }
   Section;

/*--- The ELF file                                         ---*/

/* Report a broken rule at PLACE[I]. */
static bool problem(Map* m, const char* rule, const char* place, uint64_t i,
                    const char* what)
{
   char where[80];

   snprintf(where, sizeof(where), "%s[%" PRIu64 "]", place, i);
   return job_problem(&m->job, DCFG_PROBLEM_RULE, false, rule, where, "%s",
                      what);
}

static bool read_text(Map* m, Input* in)
{
   size_t got = 1;

   while (got > 0) {
      size_t   n = m->text.n < 65536 ? 65536 : 1 << 20;
      uint8_t* p = array_add_n(&m->job, &m->text, 1, n);
      if (p == NULL || !input_read(in, p, n, &got))
         return false;
      array_cut(&m->text, m->text.n - (n - got));
   }
   return true;
}

static bool within(const Map* m, uint64_t at, uint64_t size)
{
   return at <= m->text.n && size <= m->text.n - at;
}

static bool read_elf_header(Map* m)
{
   Elf64_Ehdr* h = &m->header;

   if (within(m, 0, sizeof(*h)))
      memcpy(h, m->text.data, sizeof(*h));
   if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0
       || h->e_ident[EI_CLASS] != ELFCLASS64
       || h->e_ident[EI_DATA] != ELFDATA2LSB)
      return job_fail(&m->job, DCFG_ERROR_FORMAT, NULL, "no map of an XRay "
                      "log: those are ELF files, 64 bits, little-endian");
   if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum
       || !within(m, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
      return job_fail(&m->job, DCFG_ERROR_FORMAT, NULL,
                      "the file ends before its sections do");
   return true;
}

/* Set *S to section I, or to one without data if there is none. */
static void get_section(const Map* m, uint32_t i, Section* s)
{
   const uint8_t* text = m->text.data;

   memset(s, 0, sizeof(*s));
   if (i >= m->header.e_shnum)
      return;
   memcpy(&s->h, text + m->header.e_shoff + i * sizeof(s->h), sizeof(s->h));
   if (s->h.sh_type != SHT_NOBITS
       && within(m, s->h.sh_offset, s->h.sh_size)) {
      s->data = text + s->h.sh_offset;
      s->size = s->h.sh_size;
   }
}

/* Return the string at AT in a section, or NULL. */
static const char* string_at(const Section* s, uint64_t at)
{
   if (s->data == NULL || at >= s->size
       || memchr(s->data + at, 0, s->size - at) == NULL)
      return NULL;
   return (const char*)s->data + at;
}

static bool find_section(const Map* m, const char* name, Section* found)
{
   Section names;

   get_section(m, m->header.e_shstrndx, &names);
   for (uint32_t i = 1; i < m->header.e_shnum; i++) {
      const char* s;
      get_section(m, i, found);
      s = string_at(&names, found->h.sh_name);
      if (s != NULL && strcmp(s, name) == 0)
         return true;
   }
   memset(found, 0, sizeof(*found));
   return false;
}

/*--- Functions                                            ---*/

static DcfgXrayFunction* function(const Map* m, uint32_t i)
{
   return &ELEM(m->functions, DcfgXrayFunction, i);
}

/* Return the index of the function at ADDR. */
static uint32_t function_at(const Map* m, uint64_t addr)
{
   uint32_t low = 0;

   BISECT(low, (uint32_t)m->functions.n, middle, m->by_addr[middle].key < addr);
   return low < m->functions.n && m->by_addr[low].key == addr
          ? m->by_addr[low].index : DCFG_NONE;
}

/* Check the bytes behind a sled's addresses: kind 0, always, version 0,
   zeros. */
static bool is_sled(const uint8_t* sled, uint64_t addr)
{
   static const uint8_t rest[SLED_SIZE - 16] = { 0, 1 };
   uint64_t             at[2];

   memcpy(at, sled, sizeof(at));
   return at[0] == addr && at[1] == addr
          && memcmp(sled + 16, rest, sizeof(rest)) == 0;
}

/* Number functions as llvm-xray does: each function gets the next id when its
   sleds begin. */
static bool read_sleds(Map* m)
{
   Section  s;
   uint64_t last = 0;

   if (!find_section(m, "xray_instr_map", &s) || s.data == NULL)
      return job_fail(&m->job, DCFG_ERROR_FORMAT, NULL, "no map of an XRay "
                      "log: there is no section xray_instr_map");
   if (s.size % SLED_SIZE != 0
       && !problem(m, "map-sled", "xray_instr_map", s.size / SLED_SIZE,
                   "the section ends within a sled"))
      return false;
   for (size_t i = 0; i < s.size / SLED_SIZE; i++) {
      const uint8_t* sled = s.data + i * SLED_SIZE;
      uint64_t       addr;
      memcpy(&addr, sled + 8, sizeof(addr));
      if (m->functions.n == 0 || addr != last) {
         DcfgXrayFunction* f;
         if (m->functions.n == MOST_FUNCTIONS)
            return job_fail(&m->job, DCFG_ERROR_FORMAT, "xray_instr_map",
                            "more functions than a log can have");
         f = array_add(&m->job, &m->functions, sizeof(*f));
         if (f == NULL)
            return false;
         f->addr = last = addr;
         f->name = f->image = f->file = "";
      }
      if (!is_sled(sled, MAP_FIRST_ADDR + i * MAP_FUNCTION_SIZE)
          && !problem(m, "map-sled", "xray_instr_map", i,
                      "it is not the sled of a function of its own"))
         return false;
   }
   return true;
}

static bool sort_functions(Map* m)
{
   uint32_t n = (uint32_t)m->functions.n;

   m->by_addr = job_calloc(&m->job, n, sizeof(*m->by_addr));
   if (m->by_addr == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++)
      m->by_addr[i] = (SortKey){ function(m, i)->addr, i };
   return sort_keys(&m->job, m->by_addr, n);
}

static bool check_text(Map* m)
{
   Section s;

   return (find_section(m, ".text", &s) && s.h.sh_type == SHT_NOBITS
           && s.h.sh_flags == (SHF_ALLOC | SHF_EXECINSTR)
           && s.h.sh_addr == MAP_FIRST_ADDR
           && s.h.sh_size == m->functions.n * MAP_FUNCTION_SIZE)
          || problem(m, "map-text", ".text", 0, "it is not without contents, "
                     "executable, and where the functions are");
}

/*--- Names                                                ---*/

static bool is_good_name(const char* s)
{
   if (*s == 0 || !is_utf8(s, strlen(s)))
      return false;
   for (; *s != 0; s++)
      if (*s == '"' || *s == '\\' || (unsigned char)*s < 0x20 || *s == 0x7F)
         return false;
   return true;
}

static bool take_symbol(Map* m, const Elf64_Sym* sym, uint64_t i,
                        const char* name, const char* image)
{
   uint32_t          at = function_at(m, sym->st_value);
   DcfgXrayFunction* f = at == DCFG_NONE ? NULL : function(m, at);

   if (f == NULL || f->name[0] != 0)
      return problem(m, "map-symbol", ".symtab", i, f == NULL
                     ? "there is no function at its address"
                     : "its function has another symbol");
   f->name = name;
   f->image = image;
   if ((ELF64_ST_BIND(sym->st_info) != STB_LOCAL
        || sym->st_size != MAP_FUNCTION_SIZE)
       && !problem(m, "map-symbol", ".symtab", i,
                   "it is not a local symbol of size 16"))
      return false;
   if (image[0] == 0
       && !problem(m, "map-image", ".symtab", i,
                   "no symbol before it names its object"))
      return false;
   return is_good_name(name)
          || problem(m, "map-name", ".symtab", i,
                     "a name that is empty, or no string of JSON as it is");
}

static bool read_symbols(Map* m)
{
   Section     s, strings;
   const char* image = "";

   find_section(m, ".symtab", &s);
   get_section(m, s.h.sh_link, &strings);
   for (size_t i = 1; i < s.size / sizeof(Elf64_Sym); i++) {
      Elf64_Sym   sym;
      const char* name;
      memcpy(&sym, s.data + i * sizeof(sym), sizeof(sym));
      name = string_at(&strings, sym.st_name);
      if (name == NULL)
         name = "";
      if (ELF64_ST_TYPE(sym.st_info) == STT_FILE)
         image = name;
      else if (ELF64_ST_TYPE(sym.st_info) == STT_FUNC
               && !take_symbol(m, &sym, i, name, image))
         return false;
   }
   for (uint32_t i = 0; i < m->functions.n; i++)
      if (function(m, i)->name[0] == 0
          && !problem(m, "map-symbol", "xray_instr_map", i,
                      "the function has no symbol"))
         return false;
   return true;
}

/* Take a source line; line 0 means that it is not known. */
static bool take_row(void* arg, const LineRow* row)
{
   Map*              m = arg;
   uint32_t          at = function_at(m, row->addr);
   DcfgXrayFunction* f;
   const char*       wrong = NULL;

   if (at == DCFG_NONE)
      return job_problem(&m->job, DCFG_PROBLEM_RULE, false, "map-line",
                         ".debug_line", "a row for 0x%" PRIx64 ", where no "
                         "function begins", row->addr);
   f = function(m, at);
   if (f->file[0] != 0)
      wrong = "the function at this address has another row";
   else if (row->end != row->addr + MAP_FUNCTION_SIZE)
      wrong = "a row that does not end with its function";
   else if (row->file[0] == 0)
      wrong = "a row without a file";
   else if (row->line > UINT32_MAX)
      wrong = "a row with a line that cannot be";
   if (f->file[0] == 0 && row->line <= UINT32_MAX) {
      f->file = row->file;
      f->line = (uint32_t)row->line;
   }
   return wrong == NULL
          || problem(m, "map-line", "xray_instr_map", at, wrong);
}

static bool read_lines(Map* m)
{
   Section     s;
   const char* why;
   uint64_t    at;

   if (!find_section(m, ".debug_line", &s) || s.data == NULL)
      return job_problem(&m->job, DCFG_PROBLEM_RULE, false, "map-line",
                         ".debug_line", "there is no such section");
   if (!read_line_table(&m->job, s.data, s.size, take_row, m, &why, &at))
      return false;
   if (why != NULL)
      return problem(m, "map-line", ".debug_line", at, why);
   for (uint32_t i = 0; i < m->functions.n; i++)
      if (function(m, i)->file[0] == 0
          && !problem(m, "map-line", "xray_instr_map", i,
                      "the function has no row"))
         return false;
   return true;
}

/*--- Loading                                              ---*/

static DcfgXrayMap* load(Map* m, Input* in, DcfgError* err)
{
   bool ok = in != NULL && read_text(m, in);

   input_close(in);
   ok = ok && read_elf_header(m) && read_sleds(m) && sort_functions(m)
        && check_text(m) && read_symbols(m) && read_lines(m);
   job_tell(&m->job, err);
   m->shown.n_functions = (uint32_t)m->functions.n;
   m->shown.functions = m->functions.data;
   if (ok)
      return &m->shown;
   dcfg_xray_map_free(&m->shown);
   return NULL;
}

DcfgXrayMap* dcfg_xray_map_load(const char* path, const DcfgOptions* options,
                                DcfgError* err)
{
   Map* m = job_object(sizeof(*m), offsetof(Map, job), path, options, err);

   return m == NULL ? NULL : load(m, input_open(&m->job, path), err);
}

DcfgXrayMap* dcfg_xray_map_load_memory(const void* data, size_t size,
                                       const char* name,
                                       const DcfgOptions* options,
                                       DcfgError* err)
{
   Map* m = job_object(sizeof(*m), offsetof(Map, job), name, options, err);

   return m == NULL ? NULL
          : load(m, input_open_memory(&m->job, data, size), err);
}

void dcfg_xray_map_free(DcfgXrayMap* shown)
{
   Map* m = (Map*)shown;

   if (m == NULL)
      return;
   job_free(&m->job, m->by_addr, m->functions.n * sizeof(*m->by_addr));
   array_free(&m->job, &m->functions, sizeof(DcfgXrayFunction));
   array_free(&m->job, &m->text, 1);
   free(m);
}

const DcfgXrayFunction* dcfg_xray_function(const DcfgXrayMap* m, uint32_t id)
{
   return m == NULL || id == 0 || id > m->n_functions ? NULL
          : &m->functions[id - 1];
}
