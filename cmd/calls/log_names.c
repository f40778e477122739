/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of functions in XRay logs. */

/* Owns: the path of a log's map, and names for functions without a symbol.
   Handed: a log's path, functions of a map. */

#include "cmd/calls/log_names.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/link_base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char* map_beside(const char* log)
{
   const char* path = text_format("%s.map", log);
   struct stat st;

   return strcmp(log, "-") != 0 && stat(path, &st) == 0 ? text_copy(path)
          : NULL;
}

const char* log_symbol(const DcfgXrayFunction* f)
{
   char*    end;
   uint64_t addr;

   if (strncmp(f->name, "0x", 2) != 0)
      return f->name;
   addr = strtoull(f->name, &end, 16);
   if (strcmp(f->image, "???") == 0)
      return text_format("0x%" PRIx64 "%s", addr, end);
   return text_format("%s+0x%" PRIx64 "%s", text_base(f->image),
                      addr - link_base(f->image), end);
}
