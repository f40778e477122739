/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The look of drawings. */

/* Owns: colours and widths, and quoting.  Handed: counts. */

#include "cmd/page/dot_style.h"

#include "cmd/base/format.h"

#include <math.h>

void dot_text(FILE* out, const char* s)
{
   for (; *s != 0; s++) {
      if (*s == '"' || *s == '\\')
         fputc('\\', out);
      fputc(*s, out);
   }
}

/* Return the heat, from white over yellow and orange to red.  The square root
   is used because the eye compares areas. */
static double heat(uint64_t part, uint64_t whole)
{
   double x = whole == 0 ? 0 : sqrt((double)part / (double)whole);

   return x < 0 ? 0 : x > 1 ? 1 : x;
}

const char* heat_colour(uint64_t part, uint64_t whole)
{
   static const double stop[][4] = {
      { 0.00, 255, 255, 255 }, { 0.25, 255, 247, 214 },
      { 0.50, 254, 217, 118 }, { 0.75, 253, 141, 60 }, { 1.01, 214, 47, 39 }
   };
   double x = heat(part, whole);
   int    i = 0, rgb[3];

   while (i < 3 && x >= stop[i + 1][0])
      i++;
   for (int k = 0; k < 3; k++) {
      double t = (x - stop[i][0]) / (stop[i + 1][0] - stop[i][0]);
      rgb[k] = (int)(stop[i][k + 1] + t * (stop[i + 1][k + 1]
                                           - stop[i][k + 1]));
   }
   return text_format("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

const char* ink_colour(uint64_t part, uint64_t whole)
{
   return heat(part, whole) > 0.88 ? "#ffffff" : "#222222";
}

double line_width(uint64_t count, uint64_t most)
{
   if (most < 2 || count == 0)
      return 1;
   return 0.7 + 3.3 * pow((double)count / (double)most, 0.4);
}
