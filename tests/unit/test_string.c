/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of strings and numbers in JSON. */

/* A symbol's name or a path may have any bytes.  Their text must be valid JSON
   in valid UTF-8, and mean what dcfg_json.h says. */

#include "unit_json.h"

static UInt put_utf8(HChar* to, UInt c)
{
   if (c < 0x80) {
      to[0] = (HChar)c;
      return 1;
   }
   to[0] = (HChar)(0xC0 | c >> 6);     // only for c < 0x800
   to[1] = (HChar)(0x80 | (c & 63));
   return 2;
}

/* Return whether the N bytes at S are one code point in UTF-8, by encoding
   every possibility of the RFC's table anew. */
static Bool is_utf8(const UChar* s, UInt n)
{
   ULong c = n == 1 ? s[0] & 0x7F : s[0] & (0xFF >> (n + 1));
   UInt  least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
   UChar again[4];

   for (UInt i = 1; i < n; i++)
      c = c << 6 | (s[i] & 0x3F);
   again[0] = (UChar)(n == 1 ? c : ((0xF00 >> n) & 0xFF)
                                   | c >> (6 * (n - 1)));
   for (UInt i = 1; i < n; i++)
      again[i] = (UChar)(0x80 | ((c >> (6 * (n - 1 - i))) & 0x3F));
   return memcmp(s, again, n) == 0 && c >= least[n] && c <= 0x10FFFF
          && (c < 0xD800 || c > 0xDFFF);
}

/* Write to TO what a reader should find for the bytes S: UTF-8 as it is, and
   characters with their numbers for other bytes. */
static void should_become(const HChar* s, HChar* to)
{
   UInt left = (UInt)strlen(s);

   while (left > 0) {
      UInt n = 4;
      while (n > 0 && (n > left || !is_utf8((const UChar*)s, n)))
         n--;
      if (n > 0)
         memcpy(to, s, n);
      to += n > 0 ? n : put_utf8(to, (UChar)*s);
      n = n > 0 ? n : 1;
      s += n;
      left -= n;
   }
   *to = 0;
}

static void check_string(const HChar* s)
{
   SizeT  n    = strlen(s);
   HChar* copy = malloc(n + 1);         // for the address sanitizer
   HChar* goal = malloc(2 * n + 1);

   memcpy(copy, s, n + 1);
   should_become(s, goal);
   start_text();
   DCFG_(put_string)(&out, copy);
   DCFG_(put_flush)(&out);
   for (UInt i = 0; i < text_len; i++)
      require(((UChar)text[i] & 0xC0) == 0x80
              || !DCFG_(hidden)((const UChar*)text + i),
              "a raw hidden character");
   json_t* root = read_back();
   require(json_is_string(root), "not a string: %.60s", text);
   require(strcmp(json_string_value(root), goal) == 0,
           "%.80s is not %.80s", text, goal);
   json_decref(root);
   DCFG_(make_plain)(copy, strlen(copy), False);
   for (const HChar* c = copy; *c != 0; c += DCFG_(utf8_length)((UChar*)c))
      require(!DCFG_(hidden)((const UChar*)c), "a hidden character: %.80s",
              copy);
   free(copy);
   free(goal);
}

START_TEST(test_short_strings)
{
   HChar s[3] = "";
   check_string(s);
   for (UInt a = 1; a < 256; a++) {
      s[0] = (HChar)a;
      for (UInt b = 0; b < 256; b++) {  // with 0: one byte
         s[1] = (HChar)b;
         check_string(s);
      }
   }
}
END_TEST

/* The borders of UTF-8: each followed by each, alone, and cut short. */
START_TEST(test_utf8_borders)
{
   static const HChar* const pieces[] = {
      "\xC0\x80", "\xC1\xBF", "\xC2\x80", "\xDF\xBF",
      "\xE0\x80\x80", "\xE0\x9F\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
      "\xED\xA0\x80", "\xED\xBF\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
      "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80\x80",
      "\xF4\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
      "\xF8\x88\x80\x80\x80", "\xFC\x84\x80\x80\x80\x80", "\xFE", "\xFF",
      "\xED\xA0\xBD\xED\xB8\x80",       // a surrogate pair, as in CESU-8
      "\x80", "\xBF", "a", "\"", "\\", "/", "\x7F", "\x01", "\n",
      "\xC2\x9B", "\xC2\xA0", "\xD8\x9B", "\xD8\x9C", "\xE2\x80\x8D",
      "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA7", "\xE2\x80\xA8",
      "\xE2\x80\xAE", "\xE2\x80\xAF", "\xE2\x81\xA6", "\xE2\x81\xA9"
   };
   UInt n = sizeof(pieces) / sizeof(pieces[0]);

   for (UInt a = 0; a < n; a++)
      for (UInt b = 0; b < n; b++)
         for (SizeT cut = 0; cut < strlen(pieces[b]); cut++) {
            HChar s[20];
            strcpy(s, pieces[a]);
            strcat(s, pieces[b]);
            s[strlen(s) - cut] = 0;
            check_string(s);
         }
}
END_TEST

START_TEST(test_random_strings)
{
   for (ULong seed = 1; seed <= 10000; seed++) {
      HChar s[40];
      UInt  n = 0;
      start_chance(seed);
      for (UInt len = below(sizeof(s)); n < len; n++)
         /* Mostly bytes that start or continue UTF-8. */
         s[n] = (HChar)(chance(40) ? 0x80 + below(0x40)
                        : chance(60) ? 0xC0 + below(0x40)
                        : 1 + below(255));
      s[n] = 0;
      check_string(s);
   }
}
END_TEST

/* Strings that end on either side of the end of the buffer, or have their
   escapes there. */
START_TEST(test_buffer_border)
{
   static const HChar* const ends[] = { "x", "\"", "\x01", "\xC3\xA9",
                                        "\xF0\x9F\x98\x80", "\xFF" };
   UInt   size = sizeof(out.buf);
   HChar* s    = malloc(2 * size + 20);

   for (UInt around = size; around <= 2 * size; around += size)
      for (UInt len = around - 10; len <= around + 4; len++)
         for (UInt e = 0; e < sizeof(ends) / sizeof(ends[0]); e++) {
            memset(s, 'y', len);
            strcpy(s + len, ends[e]);
            check_string(s);
         }
   free(s);
}
END_TEST

/* Numbers of all lengths, and texts behind them, on both sides of the end of
   the buffer. */
START_TEST(test_numbers)
{
   UInt   size = sizeof(out.buf);
   HChar* fill = malloc(size);

   memset(fill, 'y', size);
   for (ULong power = 1; ; power *= 10) {
      for (ULong k = 0; k < 30; k++) {
         ULong n = k < 10 ? power * k : k < 20 ? power - 20 + k : power + k;
         HChar want[60];
         UInt  room = (UInt)(k % 25);
         sprintf(want, "%llu and %llu", n, n);
         start_text();
         DCFG_(put_bytes)(&out, fill, size - room);
         DCFG_(put_number)(&out, n);
         DCFG_(put_text)(&out, " and ");
         DCFG_(put_number)(&out, n);
         DCFG_(put_flush)(&out);
         require(text_len == size - room + strlen(want)
                 && strcmp(text + size - room, want) == 0,
                 "%.60s is not %s", text + size - room, want);
      }
      if (power > ~0ULL / 10)
         break;
   }
   free(fill);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("string");

   add_case(s, test_short_strings, test_numbers, test_utf8_borders,
            test_random_strings, test_buffer_border);
   return run_suite(s);
}
