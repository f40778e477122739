/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: sentences about conditions that differ, and which of them change
   counts.  Handed: two processes with the rows of RUN and images.

   A condition is a value that the tool records of what surrounds a run, such as
   the environment or the processor.  Conditions of sums are not compared. */

#include "cmd/builds/conditions.h"

/*--- Conditions                                           ---*/

static void add_difference(Differences* to, bool counts, const char* text)
{
   GROW(to->all, to->n, to->room);
   to->all[to->n++] = (Difference){ text_copy(text), counts };
}

void differences_free(Differences* d)
{
   for (size_t i = 0; i < d->n; i++)
      free(d->all[i].text);
   free(d->all);
}

/* Return the value of KEY in CONDITIONS, which are KEY=VALUE with "; " between
   them; NULL if it is not there. */
static char* condition(const char* conditions, const char* key)
{
   size_t      n = strlen(key);
   const char* at = conditions;

   while (strncmp(at, key, n) != 0 || at[n] != '=') {
      at = strstr(at, "; ");
      if (at == NULL)
         return NULL;
      at += 2;
   }
   at += n + 1;
   const char* end = strstr(at, "; ");
   char*       value = text_copy(at);
   if (end != NULL)
      value[end - at] = 0;
   return value;
}

/* Return the place behind NAME of N bytes and a colon in VARIABLES, which are
   NAME:BYTES with blanks between them; NULL if it is not there. */
static const char* bytes_of(const char* variables, const char* name, size_t n)
{
   for (const char* at = variables; at != NULL;
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
      if (strncmp(at, name, n) == 0 && at[n] == ':')
         return at + n + 1;
   return NULL;
}

/* Tell about the variables of MINE: those that OTHER lacks; if BOTH, those that
   have another size there, too. */
static void compare_variables(Differences* to, const char* mine,
                              const char* other, char run, bool both)
{
   for (const char* at = mine; at != NULL && *at != 0;
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
      int         n = (int)strcspn(at, ":");
      const char* bytes = bytes_of(other, at, (size_t)n);
      if (bytes == NULL)
         add_difference(to, true, text_format(
                           "variable %s is in %c only",
                           text_clean(text_format("%.*s", n, at)), run));
      else if (both && atoi(bytes) != atoi(at + n + 1))
         add_difference(to, true, text_format(
                           "variable %s has %d bytes in A, %d in B",
                           text_clean(text_format("%.*s", n, at)),
                           atoi(at + n + 1), atoi(bytes)));
   }
}

/* Tell about KEY, if both runs have it; "environment" is a hash.  COUNTS: as in
   Difference. */
static void compare_condition(Differences* to, const DcfgRun* a,
                              const DcfgRun* b, const char* key, bool counts)
{
   char* x = condition(a->conditions, key);
   char* y = condition(b->conditions, key);

   if (x != NULL && y != NULL && strcmp(x, y) != 0)
      add_difference(to, counts, strcmp(key, "environment") == 0
                     ? "the value of a variable differs, or the order of "
                       "variables"
                     : text_format("%s is %s in A, %s in B", key, text_clean(x),
                                   text_clean(y)));
   FREE_ALL(x, y);
}

static void compare_environments(Differences* to, const DcfgRun* a,
                                 const DcfgRun* b)
{
   char*  x = condition(a->conditions, "variables");
   char*  y = condition(b->conditions, "variables");
   size_t before = to->n;

   if (x != NULL && y != NULL) {
      compare_variables(to, x, y, 'A', true);
      compare_variables(to, y, x, 'B', false);
   }
   if (to->n == before)
      compare_condition(to, a, b, "environment", true);
   FREE_ALL(x, y);
}

/* Tell if the dynamic linker or libc is another build. */
static void compare_libraries(Differences* to, const Program* a,
                              const Program* b)
{
   static const char* const names[] = { "ld-linux", "libc.so" };

   for (uint32_t i = 0; i < a->p->n_images; i++)
      for (uint32_t k = 0; k < b->p->n_images; k++)
         for (int n = 0; n < 2; n++) {
            const char* x = text_base(image_name(a, i));
            const char* p = a->p->images[i].build_id;
            const char* q = b->p->images[k].build_id;
            if (begins(x, names[n])
                && strcmp(x, text_base(image_name(b, k))) == 0
                && p != NULL && q != NULL && strcmp(p, q) != 0)
               add_difference(to, true, text_format("%s is another build",
                                                    text_clean(x)));
         }
}

/* Tell what the program was told falsely, if that differs. */
static void compare_answers(Differences* to, const DcfgRun* a, const DcfgRun* b)
{
   if (a->deterministic[0] != 0 && b->deterministic[0] != 0
       && strcmp(a->deterministic, b->deterministic) != 0)
      add_difference(to, true, text_format(
                        "--deterministic is %s in A, %s in B: the counts do "
                        "not compare", text_clean(a->deterministic),
                        text_clean(b->deterministic)));
}

static void compare_places(Differences* to, const DcfgRun* a, const DcfgRun* b)
{
   if (strcmp(a->working_dir, b->working_dir) != 0)
      add_difference(to, false, text_format(
                        "the working directory is %s in A, %s in B",
                        text_clean(a->working_dir),
                        text_clean(b->working_dir)));
   if (strcmp(a->deterministic, "no") != 0
       && strcmp(b->deterministic, "no") != 0
       && digits_of(a->process) != digits_of(b->process))
      add_difference(to, false, text_format(
                        "the process id has %u digits in A, %u in B",
                        digits_of(a->process), digits_of(b->process)));
}

Differences compare_conditions(const Program* a, const Program* b)
{
   static const struct { const char* key; bool counts; } keys[] = {
      { "processor", true }, { "kernel", false }, { "valgrind", true },
      { "user", false }, { "terminal", true }, { "locale", true }
   };
   Differences    d = { NULL, 0, 0 };
   const DcfgRun *x = a->p->runs, *y = b->p->runs;

   if (a->p->n_recorded != 1 || b->p->n_recorded != 1)
      return d;
   compare_answers(&d, x, y);
   for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
      compare_condition(&d, x, y, keys[i].key, keys[i].counts);
   if (x->conditions[0] == 0 || y->conditions[0] == 0)
      return d;
   compare_places(&d, x, y);
   compare_environments(&d, x, y);
   compare_libraries(&d, a, b);
   return d;
}

/* Return the rest of a command line behind its first word, which may have
   quotes: '..'. */
static const char* arguments_of(const char* command)
{
   bool quoted = false;

   for (; *command != 0 && (quoted || *command != ' '); command++)
      if (!quoted && *command == '\\' && command[1] != 0)
         command++;
      else
         quoted ^= *command == '\'';
   return command;
}

void compare_arguments(Differences* to, const Program* a, const Program* b)
{
   const char *x, *y;

   if (a->p->n_recorded != 1 || b->p->n_recorded != 1)
      return;
   x = arguments_of(a->p->runs->command_line);
   y = arguments_of(b->p->runs->command_line);
   if (strcmp(x, y) != 0)
      add_difference(to, true, text_format("the arguments are%s in A,%s in B",
                                           *x == 0 ? " none" : text_clean(x),
                                           *y == 0 ? " none" : text_clean(y)));
}
