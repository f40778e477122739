/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of files. */

/* Owns: opening a file with elfutils' libdwfl.  Handed: paths. */

#include "cmd/program/debug_file.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/same_build.h"

#include <unistd.h>

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

Dwfl* debug_file_open(const char* path, const uint64_t* load,
                      const char* build_id, Dwfl_Module** module,
                      const char** why)
{
   Dwfl*       dwfl = debug_file_begin(path, load, module, why);
   const char* refused = dwfl == NULL ? NULL
                         : debug_difference(*module, build_id);

   if (refused == NULL)
      return dwfl;
   if (why != NULL)
      *why = refused;
   dwfl_end(dwfl);
   return NULL;
}
