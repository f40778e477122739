/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: whether a file is the build that was recorded, opening its debug
   information, its first address, and the functions that its stubs jump to.
   Handed: paths and ELF files.

   Neither a DCFG nor the file has symbols for stubs of procedure linkage
   tables. Their names are made from the file's relocations, as objdump makes
   them. */

#include "cmd/program/elf_file.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "format/dcfg_tables.h"

#include <dwarf.h>
#include <unistd.h>

/*--- Build ids                                            ---*/

static bool search_notes(Elf_Data* data, char* to)
{
   GElf_Nhdr note;
   size_t    at = 0, next, name, desc;

   if (data == NULL)
      return false;
   for (; (next = gelf_getnote(data, at, &note, &name, &desc)) > 0;
        at = next) {
      const uint8_t* id = (const uint8_t*)data->d_buf + desc;
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4
          || note.n_descsz == 0
          || memcmp((const char*)data->d_buf + name, "GNU", 4) != 0)
         continue;
      for (size_t i = 0; i < note.n_descsz && 2 * i + 2 < BUILD_ID_SIZE; i++)
         sprintf(to + 2 * i, "%02x", id[i]);
      return true;
   }
   return false;
}

bool next_header(Elf* elf, uint32_t type, size_t* i, GElf_Phdr* h)
{
   size_t n;

   if (elf == NULL || elf_getphdrnum(elf, &n) != 0)
      return false;
   while (*i < n)
      if (gelf_getphdr(elf, (int)(*i)++, h) != NULL && h->p_type == type)
         return true;
   return false;
}

void find_build_id(Elf* elf, char id[BUILD_ID_SIZE])
{
   Elf_Scn*  scn = NULL;
   GElf_Shdr s;
   GElf_Phdr p;

   id[0] = 0;
   while ((scn = elf_nextscn(elf, scn)) != NULL)
      if (gelf_getshdr(scn, &s) != NULL && s.sh_type == SHT_NOTE
          && search_notes(elf_getdata(scn, NULL), id))
         return;
   for (size_t i = 0; next_header(elf, PT_NOTE, &i, &p); )
      if (search_notes(elf_getdata_rawchunk(elf, (int64_t)p.p_offset,
                                            p.p_filesz,
                                            p.p_align == 8 ? ELF_T_NHDR8
                                            : ELF_T_NHDR), id))
         return;
}

/*--- Hashes                                               ---*/

/* Return the hash of the code (format/dcfg_tables.h); 0: it has none. */
static uint64_t hash_code(Elf* elf)
{
   size_t         size, n = 0, entry = gelf_fsize(elf, ELF_T_PHDR, 1, EV_CURRENT);
   const uint8_t* bytes = (const uint8_t*)elf_rawfile(elf, &size);
   uint64_t       hash = CODE_HASH_BEGIN;
   GElf_Ehdr      e;
   GElf_Phdr      h;

   if (bytes == NULL || gelf_getehdr(elf, &e) == NULL
       || elf_getphdrnum(elf, &n) != 0)
      return 0;
   for (size_t i = 0; next_header(elf, PT_LOAD, &i, &h); ) {
      uint64_t at = e.e_phoff + n * entry;
      if (!(h.p_flags & PF_X))
         continue;
      if (h.p_offset > size || h.p_filesz > size - h.p_offset)
         return 0;
      if (at < h.p_offset)
         at = h.p_offset;
      for (; at < h.p_offset + h.p_filesz; at++)
         hash = add_to_code_hash(hash, bytes[at]);
   }
   return hash;
}

/*--- Answers                                              ---*/

const char* build_difference(Elf* elf, const char* build_id,
                             const char* code_hash)
{
   char id[BUILD_ID_SIZE];

   find_build_id(elf, id);
   if (build_id != NULL && strcmp(id, build_id) != 0)
      return text_format("its build id is %s, that of the run %s",
                         id[0] == 0 ? "missing" : id,
                         text_clean(text_shorten(build_id, BUILD_ID_SIZE)));
   if (build_id == NULL && code_hash != NULL
       && strcmp(text_format("0x%" PRIx64, hash_code(elf)), code_hash) != 0)
      return "it has other code";
   return NULL;
}

const char* debug_difference(Dwfl_Module* module, const char* build_id)
{
   const char* file = NULL;
   const char* debug = NULL;
   Dwarf_Addr  bias;
   Dwarf*      dwarf = dwfl_module_getdwarf(module, &bias);
   const char* how = NULL;
   char        id[BUILD_ID_SIZE] = "";

   if (dwarf != NULL)
      find_build_id(dwarf_getelf(dwarf), id);
   if (id[0] != 0)
      how = build_difference(dwarf_getelf(dwarf), build_id, NULL);
   if (how == NULL)
      return NULL;
   dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, &debug);
   return not_executed(debug != NULL ? debug : file != NULL ? file : "?", how);
}

const char* not_executed(const char* path, const char* difference)
{
   return text_format("%s is not the file that was executed: %s; put that file "
                      "back, or record this one", text_clean(path), difference);
}

Dwfl* debug_file_begin(const char* path, const uint64_t* load,
                       Dwfl_Module** module, const char** why)
{
   static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = dwfl_offline_section_address
   };
   int   fd = open_regular(path);
   Dwfl* dwfl;

   if (fd < 0) {
      if (why != NULL)
         *why = "it cannot be read";
      return NULL;
   }
   dwfl = need(dwfl_begin(&callbacks));
   dwfl_report_begin(dwfl);
   *module = load == NULL ? dwfl_report_offline(dwfl, "", path, fd)
             : dwfl_report_elf(dwfl, "", path, fd, *load, false);
   if (*module != NULL) {
      dwfl_report_end(dwfl, NULL, NULL);
      return dwfl;
   }
   if (why != NULL)
      *why = dwfl_errmsg(-1);
   close(fd);
   dwfl_end(dwfl);
   return NULL;
}

Dwfl* debug_file_open(const char* path, const char* build_id,
                      Dwfl_Module** module, const char** why)
{
   Dwfl*       dwfl = debug_file_begin(path, NULL, module, why);
   const char* refused = dwfl == NULL ? NULL
                         : debug_difference(*module, build_id);

   if (refused == NULL)
      return dwfl;
   if (why != NULL)
      *why = refused;
   dwfl_end(dwfl);
   return NULL;
}

/* Open the ELF file PATH; NULL: it cannot be read.  The caller closes *FD, if
   that is not -1. */
static Elf* open_elf(const char* path, int* fd)
{
   *fd = open_regular(path);
   if (*fd < 0)
      return NULL;
   elf_version(EV_CURRENT);
   return elf_begin(*fd, ELF_C_READ_MMAP, NULL);
}

static void close_elf(Elf* elf, int fd)
{
   elf_end(elf);
   if (fd >= 0)
      close(fd);
}

Dwarf_Die whole_unit(const Dwarf_Die* unit)
{
   Dwarf_Die split;
   uint8_t   type;

   return dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL)
             == 0 && type == DW_UT_skeleton && split.addr != NULL ? split : *unit;
}

const char* declaring_file(Dwarf_Die* die)
{
   Dwarf_Attribute attr;
   Dwarf_Die       unit;
   Dwarf_Files*    files;
   size_t          n;

   return dwarf_attr_integrate(die, DW_AT_decl_file, &attr) != NULL
          && dwarf_cu_die(attr.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL)
             != NULL
          && dwarf_getsrcfiles(&unit, &files, &n) == 0
          ? dwarf_decl_file(die) : NULL;
}

uint64_t link_base(const char* path)
{
   int       fd;
   Elf*      elf = open_elf(path, &fd);
   size_t    i = 0;
   GElf_Phdr h;
   uint64_t  base = next_header(elf, PT_LOAD, &i, &h)
                    ? h.p_vaddr - h.p_offset : 0;

   close_elf(elf, fd);
   return base;
}

FileType file_type(const char* path)
{
   int       fd;
   Elf*      elf = open_elf(path, &fd);
   GElf_Ehdr h;
   FileType  type = FILE_UNKNOWN;

   if (elf != NULL && gelf_getehdr(elf, &h) != NULL)
      type = h.e_type == ET_DYN ? FILE_MOVES : FILE_STAYS;
   close_elf(elf, fd);
   return type;
}

typedef
   struct {
      uint64_t    addr;         // address of the file
      const char* name;         // owned by the ELF file
   }
   Slot;

struct Stubs {
   const Processor* processor;
   uint64_t table;              // address of the global offset table, if stubs
                                // have it in a register
   Slot*    slots;              // sorted by address
   size_t   n, room;
};

COMPARE(by_addr, Slot, UP(addr))

static bool is_of_slot(const Stubs* s, uint64_t type)
{
   return type == s->processor->slot_types[0]
          || type == s->processor->slot_types[1];
}

/* Read relocation number I, with an addend or without. */
static bool get_relocation(Elf_Data* data, const GElf_Shdr* header, int i,
                           GElf_Rela* r)
{
   GElf_Rel without;

   if (header->sh_type == SHT_RELA)
      return gelf_getrela(data, i, r) != NULL;
   if (gelf_getrel(data, i, &without) == NULL)
      return false;
   *r = (GElf_Rela){ without.r_offset, without.r_info, 0 };
   return true;
}

static void add_slots(Stubs* s, Elf* elf, Elf_Scn* section,
                      const GElf_Shdr* header)
{
   Elf_Data* data = elf_getdata(section, NULL);
   Elf_Scn*  symbols = elf_getscn(elf, header->sh_link);
   Elf_Data* symbol_data = symbols == NULL ? NULL
                           : elf_getdata(symbols, NULL);
   GElf_Shdr symbol_header;
   GElf_Rela r;

   if (data == NULL || symbol_data == NULL
       || gelf_getshdr(symbols, &symbol_header) == NULL)
      return;
   for (int i = 0; get_relocation(data, header, i, &r); i++) {
      GElf_Sym    symbol;
      const char* name;
      if (!is_of_slot(s, GELF_R_TYPE(r.r_info)))
         continue;
      if (gelf_getsym(symbol_data, (int)GELF_R_SYM(r.r_info), &symbol) == NULL)
         continue;
      name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name);
      if (name == NULL || name[0] == 0)
         continue;
      GROW(s->slots, s->n, s->room);
      s->slots[s->n++] = (Slot){ r.r_offset, name };
   }
}

static void find_table(Stubs* s, Elf_Scn* section)
{
   Elf_Data* data = elf_getdata(section, NULL);
   GElf_Dyn  d;

   for (int i = 0; data != NULL && gelf_getdyn(data, i, &d) != NULL; i++)
      if (d.d_tag == DT_PLTGOT)
         s->table = d.d_un.d_ptr;
}

Stubs* stubs_new(Elf* elf)
{
   Stubs*    s = zalloc(1, sizeof(*s));
   Elf_Scn*  section = NULL;
   int       mode;

   s->processor = processor_of_file(elf, &mode);
   if (s->processor == NULL || s->processor->find_slot == NULL)
      return s;
   while ((section = elf_nextscn(elf, section)) != NULL) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == NULL)
         continue;
      if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
         add_slots(s, elf, section, &header);
      else if (header.sh_type == SHT_DYNAMIC)
         find_table(s, section);
   }
   SORT(s->slots, s->n, by_addr);
   return s;
}

void stubs_free(Stubs* s)
{
   if (s == NULL)
      return;
   FREE_ALL(s->slots, s);
}

const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr)
{
   Slot        key;
   const Slot* slot;

   if (s->n == 0
       || !s->processor->find_slot(code, size, addr, s->table, &key.addr))
      return NULL;
   slot = bsearch(&key, s->slots, s->n, sizeof(key), by_addr);
   return slot == NULL ? NULL : slot->name;
}
