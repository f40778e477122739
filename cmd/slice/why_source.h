/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines and printed bytes of dcfg why. */

#ifndef DCFG_CMD_WHY_SOURCE_H
#define DCFG_CMD_WHY_SOURCE_H

#include "cmd/machine/source_file.h"
#include "cmd/slice/why.h"

/* All texts here last until text_forget(). */

/* WhySource: the file of source that was read last, and its path. */
typedef
   struct {
      SourceFile* file;
      char*       path;
   }
   WhySource;

/* The text of the line of IN; "" if there is none. */
const char* why_line_text(WhySource* y, const DcfgWetInstr* in);
void        why_source_close(WhySource* y);

/* The bytes that IN brought of what was printed, in quotes. */
const char* why_printed(const Sliced* f, const WhyInput* in);

/* Is IN the dynamic linker's?  That only hands on what is on its way to another
   library. */
bool why_is_loader(const DcfgWetInstr* in);

/* Set *L to line K, from 0, of those that call the inlined function which
   computed IN, the innermost first; its .line is 0 if C was inlined there, too.
   False if there are not so many. */
bool why_call_line(const Sliced* f, const WhyCard* c, const WhyInput* in,
                   uint32_t k, CodeLine* l);

/* Likewise of lines that were merged with C's. */
bool why_merged_line(const Sliced* f, const WhyCard* c, unsigned k,
                     CodeLine* l);

#endif /* DCFG_CMD_WHY_SOURCE_H */
