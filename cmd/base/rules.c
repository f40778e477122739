/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the list of violations.  Handed: violations. */

#include "cmd/base/format.h"
#include "cmd/base/rules.h"
#include "cmd/base/terminal.h"

#include <stdarg.h>

typedef
   struct {
      const char* name;
      uint64_t    n;
   }
   Rule;

struct Rules {
   Rule*    rules;
   size_t   n, room;
   uint64_t limit;
   FILE*    out;
};

Rules* rules_new(uint64_t limit, FILE* out)
{
   Rules* r = zalloc(1, sizeof(*r));

   r->limit = limit == 0 ? UINT64_MAX : limit;
   r->out = out;
   return r;
}

void rules_free(Rules* r)
{
   for (size_t i = 0; i < r->n; i++)
      free((char*)r->rules[i].name);
   FREE_ALL(r->rules, r);
}

static Rule* find_rule(const Rules* r, const char* name)
{
   for (size_t i = 0; i < r->n; i++)
      if (strcmp(r->rules[i].name, name) == 0)
         return &r->rules[i];
   return NULL;
}

bool rules_open(const Rules* r, const char* name)
{
   const Rule* rule = find_rule(r, name);

   return rule == NULL || rule->n < r->limit;
}

void broken(Rules* r, const char* name, const char* format, ...)
{
   Rule*   rule = find_rule(r, name);
   va_list args;

   if (rule == NULL) {
      GROW(r->rules, r->n, r->room);
      rule = &r->rules[r->n++];
      rule->name = text_copy(name);
      rule->n = 0;
   }
   if (rule->n++ < r->limit) {
      progress_hide();
      fprintf(r->out, "%s: ", name);
      va_start(args, format);
      vfprintf(r->out, format, args);
      va_end(args);
      fputc('\n', r->out);
   }
   /* Texts are made even if they are not printed, and there may be any
      number. */
   text_forget();
}

void broken_in_file(void* arg, const DcfgProblem* problem)
{
   broken(arg, problem->rule, "%s: %s", text_clean(problem->place),
          text_clean(problem->what));
}

uint64_t rules_count(const Rules* r, const char* name)
{
   uint64_t n = 0;

   for (size_t i = 0; i < r->n; i++)
      if (name == NULL || strcmp(r->rules[i].name, name) == 0)
         n += r->rules[i].n;
   return n;
}

void rules_finish(const Rules* r)
{
   for (size_t i = 0; i < r->n; i++)
      if (r->rules[i].n > r->limit)
         fprintf(r->out, "%s: and %s more\n", r->rules[i].name,
                 text_count(r->rules[i].n - r->limit));
}
