/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The partings of two runs in JSON. */

/* Owns: the form in which programs and pages get partings.  Handed: partings
   and causes.

   Of a thread there are .thread, .only if one run alone has it, .same,
   .compared and .not_followed, instructions by side, .from and .skipped, and
   .partings.  Of a parting there are .kind, .after by side, .branch,
   .goes_to by side, .called, .cause, .detail, .through, .values, and with
   several partings .gap and .gap_branches by side.  A place has .function,
   .source, .line, .image, .offset, .code and .text. */

#include "cmd/parting/parting.h"

#include "cmd/base/table.h"

/* Json: where it goes. */
typedef
   struct {
      FILE*       out;
      Runs*       runs;
      Causes*     causes;
      const char* after;
   }
   Json;

static const char* const side_names[] = { "A", "B" };

/* Write a member; null if TEXT is NULL. */
static void put_text_member(Json* j, const char* before, const char* key,
                            const char* text)
{
   if (text != NULL)
      put_json_member(before, key, text, j->out);
   else
      fprintf(j->out, "%s\"%s\": null", before, key);
}

static void put_place(Json* j, RunSide* s, uint32_t place, bool last)
{
   PlaceText t = run_place_text(s, place, last);

   if (place == NO_PLACE) {
      fputs("null", j->out);
      return;
   }
   put_json_member("{", "function", t.function, j->out);
   put_text_member(j, ", ", "source", t.source);
   fprintf(j->out, ", \"line\": %" PRIu32, t.line);
   put_json_member(", ", "image", t.image, j->out);
   fprintf(j->out, ", \"offset\": \"0x%" PRIx64 "\"", t.offset);
   put_json_member(", ", "code", t.code, j->out);
   put_json_member(", ", "text", t.text, j->out);
   putc('}', j->out);
}

static void put_pair(Json* j, const char* key, uint64_t a, uint64_t b)
{
   fprintf(j->out, ", \"%s\": [%" PRIu64 ", %" PRIu64 "]", key, a, b);
}

static void put_cause(Json* j, const PartCause* c)
{
   fputs(",\n      \"called\": ", j->out);
   put_place(j, &j->runs->side[0], c->caller, true);
   put_text_member(j, ",\n      ", "cause", c->words);
   put_text_member(j, ", ", "detail", c->detail);
   fputs(", \"through\": [", j->out);
   for (size_t i = 0; i < c->n_through; i++) {
      fputs(i == 0 ? "" : ", ", j->out);
      put_json_string(c->through[i], j->out);
   }
   fputs("], \"values\": [", j->out);
   for (size_t i = 0; i < c->n_values; i++) {
      put_json_member(i == 0 ? "{" : ", {", "name", c->values[i].name, j->out);
      put_json_member(", ", "a", c->values[i].value[0], j->out);
      put_json_member(", ", "b", c->values[i].value[1], j->out);
      putc('}', j->out);
   }
   putc(']', j->out);
}

static void put_part(Json* j, const PartThread* t, const Parting* p)
{
   int k = p->side[0].branch != NO_PLACE ? 0 : 1;

   fprintf(j->out, "{\"kind\": \"%s\"", p->kind == PART_END ? "end" : "branch");
   if (p->kind == PART_END)
      fprintf(j->out, ", \"ends\": \"%s\"", side_names[p->ended]);
   put_pair(j, "after", p->side[0].at, p->side[1].at);
   fputs(",\n      \"branch\": ", j->out);
   put_place(j, &j->runs->side[k], p->side[k].branch, true);
   fputs(",\n      \"goes_to\": [", j->out);
   put_place(j, &j->runs->side[0], p->side[0].to, false);
   fputs(", ", j->out);
   put_place(j, &j->runs->side[1], p->side[1].to, false);
   putc(']', j->out);
   PartCause c = part_cause(j->causes, t, p);
   put_cause(j, &c);
   part_cause_free(&c);
   if (p->rejoins) {
      put_pair(j, "gap", p->side[0].gap, p->side[1].gap);
      fputs(", \"gap_branches\": [", j->out);
      for (int s = 0; s < 2; s++) {
         fputs(s == 0 ? "[" : ", [", j->out);
         for (size_t i = 0; i < p->side[s].n_branches; i++) {
            fputs(i == 0 ? "" : ", ", j->out);
            put_place(j, &j->runs->side[s], p->side[s].branches[i], true);
         }
         putc(']', j->out);
      }
      putc(']', j->out);
   }
   putc('}', j->out);
}

static void put_thread(Json* j, const PartThread* t)
{
   fprintf(j->out, "\n  {\"thread\": %" PRIu32, t->thread);
   if (!t->there[0] || !t->there[1]) {
      fprintf(j->out, ", \"only\": \"%s\"}", t->there[0] ? "A" : "B");
      return;
   }
   fprintf(j->out, ", \"same\": %s", t->n_parts == 0 ? "true" : "false");
   put_pair(j, "compared", t->instrs[0], t->instrs[1]);
   put_pair(j, "not_followed", t->generated[0], t->generated[1]);
   if (t->reached)
      put_json_member(", ", "from", j->after, j->out);
   if (t->skipped) {
      fputs(",\n    \"skipped\": ", j->out);
      put_place(j, &j->runs->side[0], t->earlier.side[0].branch, true);
   }
   fputs(",\n    \"partings\": [", j->out);
   for (size_t i = 0; i < t->n_parts; i++) {
      fputs(i == 0 ? "" : ",\n     ", j->out);
      put_part(j, t, &t->parts[i]);
      text_forget();
   }
   fputs("]}", j->out);
}

void parting_put_json(FILE* out, Runs* r, Causes* c, const char* after,
                      const PartThread* t)
{
   Json j = { out, r, c, after };

   put_thread(&j, t);
}
