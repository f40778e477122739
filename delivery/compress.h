/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Compressing files. */


#ifndef __DCFG_COMPRESS_H
#define __DCFG_COMPRESS_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* A program that compresses a file.  No suffix is longer than
   DCFG_MAX_SUFFIX. */
#define DCFG_MAX_SUFFIX 4
typedef
   struct {
      const HChar* suffix;
      const HChar* program;
      const HChar* command;     // replaces file $0 by $0 with the suffix
   }
   Compressor;

/* The one for NAME's suffix, or NULL. */
const Compressor* DCFG_(find_compressor)(const HChar* name);

/* The length of NAME without that suffix. */
SizeT DCFG_(plain_length)(const HChar* name);

/* Before the program runs: compressors are found in the PATH that there is
   now.  The program may overwrite it. */
void DCFG_(keep_environment)(void);

/* Replace FILE by a compressed one.  Returns False if that failed. */
Bool DCFG_(compress)(const Compressor* c, const HChar* file);

#endif /* __DCFG_COMPRESS_H */
