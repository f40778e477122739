/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Catching JSON and reading it back. */

#ifndef __UNIT_JSON_H
#define __UNIT_JSON_H

#include <jansson.h>

#include "unit_common.h"
#include "dcfg_json.h"

/* Text put to .out is appended to .text, which has .text_len bytes and a 0. */
extern Put     out;
extern HChar*  text;
extern UInt    text_len;

/* Empty the text. */
void start_text(void);

/* Return the text, read by Jansson, which refuses whatever RFC 8259 does not
   allow, and bytes that are not UTF-8. */
json_t* read_back(void);

/* Return JSON without spaces and with ' in place of ", which is easy to read in
   a test.  Valid until the next call. */
const HChar* compact(json_t* value);

#endif /* __UNIT_JSON_H */
