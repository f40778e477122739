/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of blocks. */

#ifndef DCFG_CMD_BLOCK_ROWS_H
#define DCFG_CMD_BLOCK_ROWS_H

#include "cmd/base/cmd.h"

#include "lib/dcfg_blocks.h"

typedef enum { ROWS_TEXT, ROWS_CSV, ROWS_JSON, ROWS_DOT } RowForm;

/* Percent: exactly as written: NUMBER / SCALE. */
typedef
   struct {
      uint64_t number, scale;
   }
   Percent;

/* Read the value of --NAME. */
Percent percent_value(const char* name, const char* value);

/* Return whether PART is less than P of WHOLE. */
bool    is_less(uint64_t part, uint64_t whole, Percent p);

/* RowStyle: how to print a table. */
typedef
   struct {
      FILE*   out;
      RowForm form;
      bool    all;              // all edges, or those of THRESHOLD and more
      Percent threshold;
      const bool* wanted;       // for each block: is it selected?  NULL: all
   }
   RowStyle;

static inline bool is_wanted_block(const RowStyle* style, uint32_t block)
{
   return style->wanted == NULL || style->wanted[block];
}

/* Return the extension of files in a form: "" for text. */
const char* form_extension(RowForm form);

/* Print a table; NAME is "sbb" or "dbb".  CSV is without the header; JSON is a
   member of an object. */
void print_blocks(const RowStyle* style, const DcfgBlockTable* t,
                  const char* name);
void print_blocks_header(const RowStyle* style);

#endif /* DCFG_CMD_BLOCK_ROWS_H */
