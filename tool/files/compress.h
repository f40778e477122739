/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Compression of files. */


#ifndef __DCFG_COMPRESS_H
#define __DCFG_COMPRESS_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Compressor: a program that compresses a file.  No suffix is longer than
   DCFG_MAX_SUFFIX. */
#define DCFG_MAX_SUFFIX 4
typedef
   struct {
      const HChar* suffix;
      const HChar* program;
      const HChar* command;     // replaces file $0 by one with the suffix
   }
   Compressor;

/* Return the compressor for NAME's suffix, or NULL. */
const Compressor* DCFG_(find_compressor)(const HChar* name);

/* Return the length of NAME without that suffix. */
SizeT DCFG_(plain_length)(const HChar* name);

/* Keep the environment of this moment, before the program runs and can
   overwrite it: compressors are found in its PATH. */
void DCFG_(keep_environment)(void);

/* Replace FILE by a compressed file.  Return False if that failed. */
Bool DCFG_(compress)(const Compressor* c, const HChar* file);

#endif /* __DCFG_COMPRESS_H */
