/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Comparison of builds. */

/* Owns: comparing a file with a recording's build id or hash of code, and
   the message about a file of another build.  Handed: ELF files. */

#include "cmd/program/same_build.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "format/code_hash.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

void find_build_id(Elf* elf, char id[BUILD_ID_SIZE])
{
   Elf_Scn*  scn = NULL;
   size_t    n;
   GElf_Shdr s;
   GElf_Phdr p;

   id[0] = 0;
   while ((scn = elf_nextscn(elf, scn)) != NULL)
      if (gelf_getshdr(scn, &s) != NULL && s.sh_type == SHT_NOTE
          && search_notes(elf_getdata(scn, NULL), id))
         return;
   if (elf_getphdrnum(elf, &n) != 0)
      return;
   for (size_t i = 0; i < n; i++)
      if (gelf_getphdr(elf, (int)i, &p) != NULL && p.p_type == PT_NOTE
          && search_notes(elf_getdata_rawchunk(elf, (int64_t)p.p_offset,
                                               p.p_filesz,
                                               p.p_align == 8 ? ELF_T_NHDR8
                                               : ELF_T_NHDR), id))
         return;
}

/*--- Hashes                                               ---*/

/* Return the hash of the code (format/code_hash.h); 0: it has none. */
static uint64_t hash_code(Elf* elf)
{
   size_t         n, size, entry = gelf_fsize(elf, ELF_T_PHDR, 1, EV_CURRENT);
   const uint8_t* bytes = (const uint8_t*)elf_rawfile(elf, &size);
   uint64_t       hash = CODE_HASH_BEGIN;
   GElf_Ehdr      e;

   if (bytes == NULL || gelf_getehdr(elf, &e) == NULL
       || elf_getphdrnum(elf, &n) != 0)
      return 0;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr h;
      uint64_t  at = e.e_phoff + n * entry;
      if (gelf_getphdr(elf, (int)i, &h) == NULL || h.p_type != PT_LOAD
          || !(h.p_flags & PF_X))
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
