/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Callgrind's format. */

/* Private to profile/. */

#ifndef __DCFG_NOTATION_H
#define __DCFG_NOTATION_H

#include "format/put.h"
#include "tool/graph/image_info.h"
#include "tool/profile/costs.h"
#include "tool/run/gather.h"

/* ProfileFormat: Callgrind's options of these names.  .dump_line or .dump_instr
   is set. */
typedef
   struct {
      Bool dump_line;
      Bool dump_instr;
      Bool compress_strings;
      Bool compress_pos;
   }
   ProfileFormat;

/* Write to OUT the costs C of the run P with IMAGES.  TRIGGER is the reason for
   the dump.  THREAD is counted from 1; 0: all threads. */
void DCFG_(write_profile)(Put* out, const ProfileFormat* format,
                          const Gathered* p, const ImageInfo* images,
                          Costs* c, const HChar* trigger, UInt thread);

#endif /* __DCFG_NOTATION_H */
