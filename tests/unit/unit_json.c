/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Catching JSON and reading it back. */

#include "unit_json.h"

Put     out;
HChar*  text = NULL;
UInt    text_len = 0;
static UInt text_room = 0;

static void catch(void* arg, const HChar* s, UInt n)
{
   ck_assert_ptr_eq(arg, &text_len);
   ck_assert_uint_gt(n, 0);
   ck_assert_uint_le(n, sizeof(out.buf));
   if (text_len + n + 1 > text_room) {
      text_room = 2 * (text_len + n + 1);
      text      = realloc(text, text_room);
   }
   memcpy(text + text_len, s, n);
   text_len += n;
   text[text_len] = 0;
}

void start_text(void)
{
   DCFG_(start_put)(&out, catch, &text_len);
   text_len = 0;
}

json_t* read_back(void)
{
   json_error_t error;
   json_t*      root = json_loadb(text, text_len, JSON_REJECT_DUPLICATES
                                                  | JSON_DECODE_ANY,
                                  &error);
   require(root != NULL, "no JSON: %s at %d: %.60s", error.text,
           error.position, text);
   return root;
}

const HChar* compact(json_t* value)
{
   static HChar* s = NULL;
   free(s);
   s = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
   for (HChar* c = s; *c; c++)
      if (*c == '"')
         *c = '\'';
   return s;
}
