/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Short names that stay different. */

#ifndef DCFG_CMD_APART_H
#define DCFG_CMD_APART_H

#include <stddef.h>

/* LongName: a name for a column.  .hash tells apart two functions that have one
   name, such as instances of a generic function; NULL: there is none. */
typedef
   struct {
      const char* text;
      const char* hash;
   }
   LongName;

/* Return the begin of the hash in SYMBOL, a legacy symbol of Rust: "h81d3f0a2";
   NULL if it has none.  Valid until text_forget(). */
const char*  rust_hash(const char* symbol);

/* Return N NAMES in short: without parameters, and in WIDTH columns, 0: any.
   Names that would be equal then have more columns, parameters, or their hashes.
   The caller frees the array; its strings are valid until text_forget(). */
const char** short_names(const LongName* names, size_t n, size_t width);

/* Return N short names, fitted to WIDTH columns of a terminal, likewise.  Of
   names that would be equal, the parts that differ are shown. */
const char** fitted_names(const char* const* names, size_t n, size_t width);

#endif /* DCFG_CMD_APART_H */
