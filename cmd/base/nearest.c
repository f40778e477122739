/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   "Did you mean ...?" */

/* Owns: the search for names that are similar to a user's word.  Handed: the
   word and all names. */

#include "cmd/base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Longer words are not compared: their number of edits means little. */
#define MOST_LENGTH 64

static size_t least(size_t a, size_t b)
{
   return a < b ? a : b;
}

/* Return how many letters must be added, removed, replaced, or swapped with the
   next one to make B of A, at most MOST_LENGTH letters each.  Case does not
   matter. */
static size_t edit_distance(const char* a, const char* b)
{
   size_t rows[3][MOST_LENGTH + 1];
   size_t n = strlen(a), m = strlen(b);

   for (size_t k = 0; k <= m; k++)
      rows[0][k] = k;
   for (size_t i = 1; i <= n; i++) {
      size_t*       row = rows[i % 3];
      const size_t* above = rows[(i + 2) % 3];
      row[0] = i;
      for (size_t k = 1; k <= m; k++) {
         int    x = tolower((unsigned char)a[i - 1]);
         int    y = tolower((unsigned char)b[k - 1]);
         row[k] = least(least(row[k - 1], above[k]) + 1,
                        above[k - 1] + (x != y));
         if (i > 1 && k > 1 && x == tolower((unsigned char)b[k - 2])
             && y == tolower((unsigned char)a[i - 2]))
            row[k] = least(row[k], rows[(i + 1) % 3][k - 2] + 1);
      }
   }
   return rows[n % 3][m];
}

/* Return whether BRIEF abbreviates WHOLE, as "cnts" does "counts": it has the
   same first letter, and others in their order, at least half of them. */
static bool abbreviates(const char* brief, const char* whole)
{
   size_t n = strlen(brief);

   if (n < 3 || strlen(whole) > 2 * n
       || tolower((unsigned char)*brief) != tolower((unsigned char)*whole))
      return false;
   for (; *brief != 0 && *whole != 0; whole++)
      brief += tolower((unsigned char)*brief)
               == tolower((unsigned char)*whole);
   return *brief == 0;
}

/* Return whether CANDIDATE is near: at most a third of the letters differ, it
   begins with the word, or one abbreviates the other. */
static bool is_near(const char* word, const char* candidate, size_t* distance)
{
   size_t n = strlen(word), m = strlen(candidate);
   size_t most = (n + 1) / 3;

   if (n >= 3 && strncasecmp(word, candidate, n) == 0) {
      *distance = 1;
      return true;
   }
   if (n <= MOST_LENGTH && m <= MOST_LENGTH && n <= m + most && m <= n + most) {
      *distance = edit_distance(word, candidate);
      if (*distance <= most && *distance < least(n, m))
         return true;
   }
   *distance = most + 1;
   return abbreviates(word, candidate) || abbreviates(candidate, word);
}

Nearest nearest_to(const char* word)
{
   return (Nearest){ .word = word };
}

void nearest_offer_as(Nearest* n, const char* candidate, const char* shown)
{
   size_t distance, at;

   if (strlen(shown) >= sizeof(n->found[0].name)
       || !is_near(n->word, candidate, &distance))
      return;
   for (size_t i = 0; i < n->n; i++)
      if (strcmp(n->found[i].name, shown) == 0)
         return;
   for (at = n->n; at > 0 && n->found[at - 1].distance > distance; at--)
      ;
   if (at == MOST_NEAREST)
      return;
   if (n->n == MOST_NEAREST)
      n->n--;
   memmove(&n->found[at + 1], &n->found[at], (n->n - at) * sizeof(n->found[0]));
   strcpy(n->found[at].name, shown);
   n->found[at].distance = distance;
   n->n++;
}

void nearest_offer(Nearest* n, const char* candidate)
{
   nearest_offer_as(n, candidate, candidate);
}

const char* nearest_text(Nearest* n)
{
   size_t used = 0;

   n->text[0] = 0;
   for (size_t i = 0; i < n->n; i++)
      if (used < sizeof(n->text))
         used += (size_t)snprintf(n->text + used, sizeof(n->text) - used,
                                  "%s`%s'%s", i == 0 ? "; did you mean "
                                  : i + 1 < n->n ? ", " : " or ",
                                  n->found[i].name, i + 1 < n->n ? "" : "?");
   return n->text;
}
