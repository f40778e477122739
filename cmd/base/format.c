/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers and names as people read them. */

/* Owns: how numbers and names look.  Handed: numbers, strings.  Taken by:
   everything that prints.

   Names are demangled by libiberty, which knows C++ and both of Rust's
   schemes, needs no C++ library and is what GDB and the binutils use. */

#include "cmd/base/format.h"

#include "cmd/base/clean.h"
#include "cmd/base/cmd.h"

#include <inttypes.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*--- Strings that are forgotten together                  ---*/

static char** kept;
static size_t n_kept, kept_room;

static char* keep(char* s)
{
   GROW(kept, n_kept, kept_room);
   kept[n_kept++] = need(s);
   return s;
}

void text_forget(void)
{
   while (n_kept > 0)
      free(kept[--n_kept]);
}

char* text_format(const char* format, ...)
{
   va_list args;
   char*   s;
   int     n;

   va_start(args, format);
   n = vsnprintf(NULL, 0, format, args);
   va_end(args);
   if (n < 0)
      die("text that cannot be printed");
   s = need(malloc((size_t)n + 1));
   va_start(args, format);
   vsnprintf(s, (size_t)n + 1, format, args);
   va_end(args);
   return keep(s);
}

/*--- Numbers                                              ---*/

const char* text_count(uint64_t n)
{
   char  digits[32];
   int   len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
   char* s = keep(need(malloc(48)));
   char* to = s;

   for (int i = 0; i < len; i++) {
      if (i > 0 && (len - i) % 3 == 0)
         *to++ = ',';
      *to++ = digits[i];
   }
   *to = 0;
   return s;
}

const char* text_share(uint64_t part, uint64_t whole)
{
   double share;

   if (whole == 0)
      return "";
   share = 100.0 * (double)part / (double)whole;
   return share < 0.05 ? part == 0 ? "0" : "<0.1%"
          : text_format("%.1f%%", share);
}

const char* text_rounded(uint64_t n)
{
   static const char unit[] = "kMGTPE";
   double            x = (double)n;
   int               i = -1;

   if (n < 10000)
      return text_count(n);
   while (x >= 999.5 && i < 5) {
      x /= 1000;
      i++;
   }
   return text_format(x < 99.95 ? "%.1f%c" : "%.0f%c", x, unit[i]);
}

/*--- Strings                                              ---*/

static bool is_continuation(char c)
{
   return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_width(const char* s)
{
   size_t n = 0;

   for (; *s != 0; s++)
      n += !is_continuation(*s);
   return n;
}

/* Where column N of S begins. */
static const char* at_column(const char* s, size_t n)
{
   for (; *s != 0; s++)
      if (!is_continuation(*s) && n-- == 0)
         break;
   return s;
}

const char* text_shorten(const char* s, size_t width)
{
   size_t      n = text_width(s), tail;
   const char* cut;

   if (n <= width || width < 8)
      return s;
   tail = (width - 2) / 3;
   cut = at_column(s, width - 2 - tail);
   return text_format("%.*s..%s", (int)(cut - s), s, at_column(s, n - tail));
}

const char* text_clean(const char* s)
{
   char* copy = need(strdup(s));

   clean_text(copy, strlen(copy), false);
   if (strcmp(copy, s) != 0)
      return keep(copy);
   free(copy);
   return s;
}

const char* text_clean_line(const char* line, size_t length)
{
   char* copy = keep(need(malloc(length + 1)));

   memcpy(copy, line, length);
   copy[length] = 0;
   clean_text(copy, length, true);
   return copy;
}

/* A symbol of some hundred characters can stand for a name that fills the
   memory: what stands there already may be named again and again.  So the name
   is taken as it comes, and left for the symbol where it gets too long. */
#define MAX_PLAIN  65536
#define MAX_GROWTH 64

typedef
   struct {
      size_t  n, max;
      jmp_buf enough;
      char    text[MAX_PLAIN];
   }
   Plain;

static void add_plain(const char* s, size_t n, void* arg)
{
   Plain* p = arg;

   if (n > p->max - p->n)
      longjmp(p->enough, 1);
   memcpy(p->text + p->n, s, n);
   p->n += n;
}

/* False if SYMBOL is no mangled name, or none that can be shown. */
static bool demangle(Plain* p, const char* symbol)
{
   p->n = 0;
   if (setjmp(p->enough) != 0)
      return false;
   if (rust_demangle_callback(symbol, DMGL_PARAMS, add_plain, p))
      return true;
   p->n = 0;
   return cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI,
                                     add_plain, p) != 0;
}

const char* text_demangle(const char* symbol)
{
   Plain  p;
   size_t len = strlen(symbol);

   p.max = len < MAX_PLAIN / MAX_GROWTH ? len * MAX_GROWTH : MAX_PLAIN;
   /* Versions of symbols (name@VERSION) are none that it expects. */
   return symbol[0] == '_' && len < 10000 && demangle(&p, symbol)
          ? text_format("%.*s", (int)p.n, p.text) : symbol;
}

#define ANONYMOUS "(anonymous namespace)"

/* Leave out what is inside of brackets. */
static char* without_arguments(const char* s)
{
   size_t n = strlen(s);
   char*  copy = keep(need(malloc(2 * n + 8)));
   char*  to = copy;
   int    depth = 0;

   for (const char* c = s; *c != 0; c++) {
      bool open, close;
      if (strncmp(c, "operator", 8) == 0 && depth == 0) {
         /* Its sign, which may be a bracket, belongs to the name. */
         size_t len = 8 + strspn(c + 8, "<>=-!");
         if (strncmp(c + 8, "()", 2) == 0)
            len = 10;
         memcpy(to, c, len);
         to += len;
         c += len - 1;
         continue;
      }
      if (strncmp(c, ANONYMOUS, strlen(ANONYMOUS)) == 0 && depth == 0) {
         memcpy(to, c, strlen(ANONYMOUS));
         to += strlen(ANONYMOUS);
         c += strlen(ANONYMOUS) - 1;
         continue;
      }
      open = *c == '<' || *c == '(';
      close = (*c == '>' && (c == s || c[-1] != '-')) || *c == ')';
      if (open && depth++ == 0) {
         *to++ = *c;
         if (c[1] != ')' && c[1] != '>') {
            *to++ = '.';
            *to++ = '.';
         }
      }
      if (close && depth > 0)
         depth--;
      if (depth == 0)
         *to++ = *c;
   }
   *to = 0;
   return copy;
}

const char* text_brief(const char* s)
{
   char*       copy;
   char*       name;
   char*       end;
   const char* limit;

   /* Rust begins a name with '<': <T as Trait>::method. */
   if (s[0] == '<' || (strchr(s, '<') == NULL && strchr(s, '(') == NULL))
      return s;
   copy = name = without_arguments(s);
   /* A template's name has the type of its value in front. */
   end = strstr(copy, ANONYMOUS);
   end = end != NULL ? end + strlen(ANONYMOUS) : copy;
   limit = strstr(end, "operator");
   if (limit != NULL)
      end += (limit - end) + (strncmp(limit, "operator()", 10) == 0 ? 10 : 8);
   end = strchr(end, '(');
   if (limit == NULL || (end != NULL && end < limit))
      limit = end;
   if (limit != NULL && strstr(copy, " for ") == NULL
       && strstr(copy, " to ") == NULL)
      for (char* c = copy; c < limit; c++)
         if (*c == ' ' && strncmp(c, " namespace)", 11) != 0)
            name = c + 1;
   if (end != NULL && strncmp(end, "(..)", 4) == 0)
      memmove(end, end + 4, strlen(end + 4) + 1);
   else if (end != NULL && strncmp(end, "()", 2) == 0)
      memmove(end, end + 2, strlen(end + 2) + 1);
   /* "(below main)" is a name, too. */
   return name[0] != 0 ? name : s;
}

const char* text_base(const char* path)
{
   const char* slash = strrchr(path, '/');

   return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}
