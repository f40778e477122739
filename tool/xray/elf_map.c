/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The map of an XRay log: an ELF file that names functions. */

/* Owns: the file for llvm-xray's option -m.  Handed: functions by
   tool/calls/active.c.

   llvm-xray reads the section xray_instr_map, which has an address for each
   function, and its symbolizer reads symbols and a line table for such an
   address.  The addresses need not be those of a program: function ID has
   MAP_FUNCTION_SIZE bytes from MAP_FIRST_ADDR on.  The file has no code.

   A section of our own, .dcfg.functions, also has the names and files, as they
   are in debug information, and the objects.  A later run gives its functions
   the same numbers by reading it. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"
#include <elf.h>

#include "tool/base/core.h"
#include "tool/run/image.h"
#include "format/xray_files.h"
#include "tool/xray/xray.h"
#include "tool/calls/active.h"

static Addr addr_of(UInt id)
{
   return MAP_FIRST_ADDR + (Addr)MAP_FUNCTION_SIZE * (id - 1);
}

/*--- Bytes                                                ---*/

/* Bytes: the contents of a section. */
typedef XArray Bytes;

static Bytes* new_bytes(void)
{
   return DCFG_NEW_ARRAY("dcfg.elf_map.bytes", UChar);
}

static void add_bytes(Bytes* b, const void* from, UInt n)
{
   VG_(addBytesToXA)(b, from, n);
}

static void add_number(Bytes* b, ULong n, UInt size)
{
   for (UInt i = 0; i < size; i++) {
      UChar c = (UChar)(n >> 8 * i);
      add_bytes(b, &c, 1);
   }
}

static void add_string(Bytes* b, const HChar* s)
{
   add_bytes(b, s, VG_(strlen)(s) + 1);
}

/* Append a number of variable length, as in DWARF. */
static void add_uleb(Bytes* b, ULong n)
{
   do {
      add_number(b, (n & 0x7f) | (n > 0x7f ? 0x80 : 0), 1);
      n >>= 7;
   } while (n > 0);
}

static void add_sleb(Bytes* b, Long n)
{
   Bool more;

   do {
      UChar c = n & 0x7f;
      n    = n >= 0 ? n >> 7 : ~(~n >> 7);
      more = !((n == 0 && !(c & 0x40)) || (n == -1 && (c & 0x40)));
      add_number(b, c | (more ? 0x80 : 0), 1);
   } while (more);
}

/* Reserve a number for the length of what is appended next.  Return its
   begin. */
static Word begin_length(Bytes* b)
{
   add_number(b, 0, 4);
   return VG_(sizeXA)(b);
}

static void end_length(Bytes* b, Word start)
{
   UInt n = VG_(sizeXA)(b) - start;

   for (UInt i = 0; i < 4; i++)
      *(UChar*)VG_(indexXA)(b, start - 4 + i) = (UChar)(n >> 8 * i);
}

/*--- Sections                                             ---*/

enum {
   SecNull, SecText, SecSleds, SecSymbols, SecStrings, SecAbbrev, SecInfo,
   SecLine, SecFunctions, SecNames,
   N_SECTIONS
};

static const struct {
   const HChar* name;
   UInt         type, flags, link, align, entry;
} kinds[N_SECTIONS] = {
   { "",                SHT_NULL,     0,                         0, 0, 0 },
   { ".text",           SHT_NOBITS,   SHF_ALLOC | SHF_EXECINSTR, 0, 16, 0 },
   { "xray_instr_map",  SHT_PROGBITS, 0,                         0, 8, 0 },
   { ".symtab",         SHT_SYMTAB,   0,                SecStrings, 8,
                                                     sizeof(Elf64_Sym) },
   { ".strtab",         SHT_STRTAB,   0,                         0, 1, 0 },
   { ".debug_abbrev",   SHT_PROGBITS, 0,                         0, 1, 0 },
   { ".debug_info",     SHT_PROGBITS, 0,                         0, 1, 0 },
   { ".debug_line",     SHT_PROGBITS, 0,                         0, 1, 0 },
   { ".dcfg.functions", SHT_PROGBITS, 0,                         0, 1, 0 },
   { ".shstrtab",       SHT_STRTAB,   0,                         0, 1, 0 }
};

/* Return a copy of NAME without quotes and hidden characters: llvm-xray does
   not escape names in JSON. */
static HChar* plain_name(const HChar* name)
{
   HChar* res = VG_(strdup)("dcfg.elf_map.name", name);

   DCFG_(make_plain)(res, VG_(strlen)(res), False);
   for (HChar* s = res; *s != 0; s++)
      if (*s == '"')
         *s = '\'';
      else if (*s == '\\')
         *s = '/';
   return res;
}

static UInt add_plain_string(Bytes* strings, const HChar* s)
{
   HChar* plain = plain_name(s);
   UInt   at    = VG_(sizeXA)(strings);

   add_string(strings, plain);
   VG_(free)(plain);
   return at;
}

static void add_symbol(Bytes* symbols, UInt name, UInt type, UInt section,
                       Addr addr, ULong size)
{
   Elf64_Sym s;

   VG_(memset)(&s, 0, sizeof(s));
   s.st_name  = name;
   s.st_info  = ELF64_ST_INFO(STB_LOCAL, type);
   s.st_shndx = section;
   s.st_value = addr;
   s.st_size  = size;
   add_bytes(symbols, &s, sizeof(s));
}

/* Make local symbols: one for each function, and one for the object before its
   first function. */
static void make_symbols(Bytes* symbols, Bytes* strings)
{
   const HChar* object = NULL;

   add_number(strings, 0, 1);
   add_symbol(symbols, 0, STT_NOTYPE, SHN_UNDEF, 0, 0);
   for (UInt id = 1; id <= DCFG_(n_ids)(); id++) {
      const Function* n = DCFG_(named)(id);
      if (n->object != object)
         add_symbol(symbols, add_plain_string(strings, n->object), STT_FILE,
                    SHN_ABS, 0, 0);
      object = n->object;
      add_symbol(symbols, add_plain_string(strings, n->name), STT_FUNC,
                 SecText, addr_of(id), MAP_FUNCTION_SIZE);
   }
}

/* Make the entries of XRay's map, version 0: address, function, kind, always,
   version, and 13 bytes. */
static void make_sleds(Bytes* sleds)
{
   for (UInt id = 1; id <= DCFG_(n_ids)(); id++) {
      add_number(sleds, addr_of(id), 8);
      add_number(sleds, addr_of(id), 8);
      add_number(sleds, 0x100, 8);
      add_number(sleds, 0, 8);
   }
}

static void make_functions(Bytes* functions)
{
   for (UInt id = 1; id <= DCFG_(n_ids)(); id++) {
      const Function* n = DCFG_(named)(id);
      add_string(functions, n->object);
      add_string(functions, n->file);
      add_string(functions, n->name);
      add_number(functions, n->line, 4);
   }
}

/*--- DWARF 4                                              ---*/

/* Make a unit of all functions, with a line table. */
static void make_info(Bytes* abbrev, Bytes* info)
{
   static const UChar unit[] = {
      1, 0x11, 0,               // 1: DW_TAG_compile_unit, no children
      0x03, 0x08,               // DW_AT_name: DW_FORM_string
      0x10, 0x17,               // DW_AT_stmt_list: DW_FORM_sec_offset
      0x11, 0x01,               // DW_AT_low_pc: DW_FORM_addr
      0x12, 0x07,               // DW_AT_high_pc: DW_FORM_data8, relative
      0, 0, 0
   };
   Word start = begin_length(info);

   add_bytes(abbrev, unit, sizeof(unit));
   add_number(info, 4, 2);
   add_number(info, 0, 4);
   add_number(info, 8, 1);
   add_uleb(info, 1);
   add_string(info, "valgrind-dcfg");
   add_number(info, 0, 4);
   add_number(info, MAP_FIRST_ADDR, 8);
   add_number(info, (ULong)MAP_FUNCTION_SIZE * DCFG_(n_ids)(), 8);
   end_length(info, start);
}

typedef
   struct {
      const HChar* name;
      UInt         no;
   }
   File;

/* Return the number of N's file in the line table. */
static UInt file_number(OSet* files, const Function* n)
{
   File* f = VG_(OSetGen_Lookup)(files, &n->file);

   if (f == NULL) {
      f       = VG_(OSetGen_AllocNode)(files, sizeof(*f));
      f->name = n->file;
      f->no   = VG_(OSetGen_Size)(files) + 1;
      VG_(OSetGen_Insert)(files, f);
   }
   return f->no;
}

static Word cmp_pointers(const void* va, const void* b)
{
   const HChar* a = *(const HChar* const*)va;
   return a < ((const File*)b)->name ? -1
          : a > ((const File*)b)->name ? 1 : 0;
}

/* Make the line table: names of files, and one row for each function. */
static void make_lines(Bytes* line)
{
   static const UChar head[] = {
      1, 1, 1,                              // each instruction is one byte
      (UChar)-3, 12, 13,                    // range of special opcodes, not
                                            // used
      0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,   // number of operands of the others
      0                                     // no directories
   };
   OSet*  files   = VG_(OSetGen_Create)(0, cmp_pointers, VG_(malloc),
                                        "dcfg.elf_map.files", VG_(free));
   Bytes* rows    = new_bytes();
   UInt   file    = 1;
   UInt   at      = 1;
   UInt   n_files = 0;

   Word length = begin_length(line);
   add_number(line, 4, 2);
   Word head_length = begin_length(line);
   add_bytes(line, head, sizeof(head));

   add_number(rows, 0, 1);                  // DW_LNE_set_address
   add_uleb(rows, 9);
   add_number(rows, 2, 1);
   add_number(rows, MAP_FIRST_ADDR, 8);
   for (UInt id = 1; id <= DCFG_(n_ids)(); id++) {
      const Function* n = DCFG_(named)(id);
      UInt            f = file_number(files, n);
      if (f > n_files) {
         add_plain_string(line, n->file);
         add_number(line, 0, 3);            // directory, time, size
         n_files = f;
      }
      if (f != file) {
         add_number(rows, 4, 1);            // DW_LNS_set_file
         add_uleb(rows, f);
         file = f;
      }
      add_number(rows, 3, 1);               // DW_LNS_advance_line
      add_sleb(rows, (Long)n->line - at);
      at = n->line;
      add_number(rows, 1, 1);               // DW_LNS_copy
      add_number(rows, 2, 1);               // DW_LNS_advance_pc
      add_uleb(rows, MAP_FUNCTION_SIZE);
   }
   add_number(rows, 0, 1);                  // DW_LNE_end_sequence
   add_uleb(rows, 1);
   add_number(rows, 1, 1);

   add_number(line, 0, 1);
   end_length(line, head_length);
   add_bytes(line, VG_(indexXA)(rows, 0), VG_(sizeXA)(rows));
   end_length(line, length);
   VG_(deleteXA)(rows);
   VG_(OSetGen_Destroy)(files);
}

/*--- The file                                             ---*/

static void put_header(Put* out, ULong sections_at)
{
   Elf64_Ehdr h;

   VG_(memset)(&h, 0, sizeof(h));
   VG_(memcpy)(h.e_ident, ELFMAG, SELFMAG);
   h.e_ident[EI_CLASS]   = ELFCLASS64;
   h.e_ident[EI_DATA]    = ELFDATA2LSB;
   h.e_ident[EI_VERSION] = EV_CURRENT;
   h.e_type      = ET_EXEC;
   h.e_machine   = EM_X86_64;
   h.e_version   = EV_CURRENT;
   h.e_shoff     = sections_at;
   h.e_ehsize    = sizeof(Elf64_Ehdr);
   h.e_shentsize = sizeof(Elf64_Shdr);
   h.e_shnum     = N_SECTIONS;
   h.e_shstrndx  = SecNames;
   DCFG_(put_bytes)(out, &h, sizeof(h));
}

/* Put zeros from *AT up to the next multiple of ALIGN. */
static void put_padding(Put* out, ULong* at, UInt align)
{
   while (align > 1 && *at % align != 0) {
      DCFG_(put_char)(out, 0);
      ++*at;
   }
}

static void put_sections(Put* out, Bytes* const* bytes, Elf64_Shdr* headers)
{
   ULong at = sizeof(Elf64_Ehdr);

   for (UInt i = 1; i < N_SECTIONS; i++) {
      Word n = VG_(sizeXA)(bytes[i]);
      put_padding(out, &at, kinds[i].align);
      headers[i].sh_offset = at;
      if (kinds[i].type == SHT_NOBITS)
         continue;
      headers[i].sh_size = n;
      if (n > 0)
         DCFG_(put_bytes)(out, VG_(indexXA)(bytes[i], 0), n);
      at += n;
   }
   put_padding(out, &at, 8);
}

/* Return the offset of the section headers, behind all sections. */
static ULong end_of_sections(Bytes* const* bytes)
{
   ULong at = sizeof(Elf64_Ehdr);

   for (UInt i = 1; i < N_SECTIONS; i++) {
      at = VG_ROUNDUP(at, kinds[i].align);
      if (kinds[i].type != SHT_NOBITS)
         at += VG_(sizeXA)(bytes[i]);
   }
   return VG_ROUNDUP(at, 8);
}

void DCFG_(put_elf_map)(Put* out)
{
   Bytes*     bytes[N_SECTIONS];
   Elf64_Shdr headers[N_SECTIONS];

   VG_(memset)(headers, 0, sizeof(headers));
   for (UInt i = 0; i < N_SECTIONS; i++)
      bytes[i] = new_bytes();
   make_symbols(bytes[SecSymbols], bytes[SecStrings]);
   make_sleds(bytes[SecSleds]);
   make_info(bytes[SecAbbrev], bytes[SecInfo]);
   make_lines(bytes[SecLine]);
   make_functions(bytes[SecFunctions]);
   for (UInt i = 0; i < N_SECTIONS; i++) {
      headers[i].sh_name      = VG_(sizeXA)(bytes[SecNames]);
      headers[i].sh_type      = kinds[i].type;
      headers[i].sh_flags     = kinds[i].flags;
      headers[i].sh_link      = kinds[i].link;
      headers[i].sh_addralign = kinds[i].align;
      headers[i].sh_entsize   = kinds[i].entry;
      add_string(bytes[SecNames], kinds[i].name);
   }
   headers[SecText].sh_addr    = MAP_FIRST_ADDR;
   headers[SecText].sh_size    = (ULong)MAP_FUNCTION_SIZE * DCFG_(n_ids)();
   headers[SecSymbols].sh_info = VG_(sizeXA)(bytes[SecSymbols])
                                 / sizeof(Elf64_Sym);

   put_header(out, end_of_sections(bytes));
   put_sections(out, bytes, headers);
   DCFG_(put_bytes)(out, headers, sizeof(headers));
   for (UInt i = 0; i < N_SECTIONS; i++)
      VG_(deleteXA)(bytes[i]);
}

/*--- An earlier map                                       ---*/

/* Read file NAME and return its contents, which the caller frees; or NULL, with
   the reason in *WHY. */
static UChar* read_file(const HChar* name, SizeT* size, const HChar** why)
{
   SysRes sres = VG_(open)(name, VKI_O_RDONLY, 0);
   UChar* data;
   SizeT  got = 0;

   if (sr_isError(sres)) {
      *why = DCFG_(error_text)(sr_Err(sres));
      return NULL;
   }
   Int  fd = sr_Res(sres);
   Long n  = VG_(fsize)(fd);
   data  = VG_(malloc)("dcfg.elf_map.file", n > 0 ? n : 1);
   while (n > 0 && got < (SizeT)n) {
      Int some = VG_(read)(fd, data + got, n - got);
      if (some <= 0)
         break;
      got += some;
   }
   VG_(close)(fd);
   *size = got;
   return data;
}

/* Find the section .dcfg.functions.  Return False if DATA is not such a
   file. */
static Bool find_functions(const UChar* data, SizeT size, const UChar** from,
                           SizeT* n)
{
   const Elf64_Ehdr* h = (const Elf64_Ehdr*)data;

   if (size < sizeof(*h) || VG_(memcmp)(h->e_ident, ELFMAG, SELFMAG) != 0
       || h->e_ident[EI_CLASS] != ELFCLASS64
       || h->e_shnum != N_SECTIONS || h->e_shentsize != sizeof(Elf64_Shdr)
       || h->e_shoff % 8 != 0 || h->e_shoff > size
       || size - h->e_shoff < N_SECTIONS * sizeof(Elf64_Shdr))
      return False;
   const Elf64_Shdr* all = (const Elf64_Shdr*)(data + h->e_shoff);
   const Elf64_Shdr* s   = &all[SecFunctions];
   const Elf64_Shdr* names = &all[SecNames];
   if (s->sh_offset > size || s->sh_size > size - s->sh_offset
       || names->sh_offset > size
       || names->sh_size > size - names->sh_offset
       || s->sh_name > names->sh_size
       || names->sh_size - s->sh_name < sizeof(".dcfg.functions")
       || VG_(memcmp)(data + names->sh_offset + s->sh_name,
                      ".dcfg.functions", sizeof(".dcfg.functions")) != 0)
      return False;
   *from = data + s->sh_offset;
   *n    = s->sh_size;
   return True;
}

/* Return the next string, or NULL. */
static const HChar* next_string(const UChar** from, const UChar* end)
{
   const UChar* start = *from;

   while (*from < end && **from != 0)
      ++*from;
   if (*from == end)
      return NULL;
   ++*from;
   return DCFG_(name)((const HChar*)start);
}

static Bool read_functions(const UChar* from, SizeT n)
{
   const UChar* end = from + n;

   while (from < end) {
      Function f = { .unnamed = False };
      f.object = next_string(&from, end);
      f.file   = next_string(&from, end);
      f.name   = next_string(&from, end);
      if (f.name == NULL || end - from < 4)
         return False;
      f.line = from[0] | from[1] << 8 | from[2] << 16 | (UInt)from[3] << 24;
      from += 4;
      DCFG_(reserve_id)(&f);
   }
   return True;
}

const HChar* DCFG_(read_elf_map)(const HChar* name)
{
   const HChar* why  = NULL;
   SizeT        size = 0;
   const UChar* from = NULL;
   SizeT        n    = 0;
   UChar*       data = read_file(name, &size, &why);

   if (data == NULL)
      return why;
   if (!find_functions(data, size, &from, &n) || !read_functions(from, n))
      why = "that is no map that this tool has written";
   VG_(free)(data);
   return why;
}
