/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines and printed bytes of dcfg why. */

#ifndef DCFG_CMD_WHY_SOURCE_H
#define DCFG_CMD_WHY_SOURCE_H

#include "cmd/program/lines.h"
#include "cmd/slice/why.h"

/* All texts here last until text_forget(). */

/* WhySource: the file of source that was read last, and its path. */
typedef
   struct {
      SourceFile* file;
      char*       path;
   }
   WhySource;

/* Return the text of the line of IN, from its first letter; "" if it cannot
   be read. */
const char* why_line_text(WhySource* y, const DcfgWetInstr* in);
void        why_source_close(WhySource* y);

/* Return the printed bytes of IN, in quotes. */
const char* why_printed(const Sliced* f, const WhyInput* in);

/* Return whether IN is code of the dynamic linker, which only leads on to
   another library. */
bool why_is_loader(const DcfgWetInstr* in);

/* Set *L to line K, from 0, of the lines that call the inlined function
   which computed IN, the innermost first.  Its .line is 0 if C was inlined
   there, too.  Return false if there are not so many. */
bool why_call_line(const Sliced* f, const WhyCard* c, const WhyInput* in,
                   uint32_t k, CodeLine* l);

/* Set *L to line K, from 0, of the lines that were merged with those of C.
   Return false if there are not so many. */
bool why_merged_line(const Sliced* f, const WhyCard* c, unsigned k,
                     CodeLine* l);

#endif /* DCFG_CMD_WHY_SOURCE_H */
