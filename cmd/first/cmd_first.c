/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg first: where do two runs part, and why? */

/* Owns: the command line of dcfg first, and what it prints.  Handed: two
   recordings; partings and causes by cmd/parting/. */

#include "cmd/base/operands.h"
#include "cmd/base/table.h"
#include "cmd/commands.h"
#include "cmd/parting/parting.h"

/* FirstView: what is printed. */
typedef
   struct {
      Runs*       runs;
      Causes*     causes;
      const char* after;        // function; NULL: from the begin
      uint64_t    more;
      bool        json;
      bool        first;        // JSON: the first thread
      bool        parted;
   }
   FirstView;

static const char* const side_names[] = { "A", "B" };

/*--- Text                                                 ---*/

/* Return a place without its function if both ends of a transfer are in one
   function. */
static const char* target_words(RunSide* s, const PlaceText* branch, uint32_t to)
{
   PlaceText t = run_place_text(s, to, false);

   if (to == NO_PLACE)
      return "its end";
   if (strcmp(t.function, branch->function) == 0 && t.source != NULL)
      t.function = "";
   return place_words(&t);
}

/* Print where both sides go.  T: the branch. */
static void print_targets(FirstView* v, const Parting* p, const PlaceText* t)
{
   const char* to[2];

   for (int k = 0; k < 2; k++)
      to[k] = target_words(&v->runs->side[k], t, p->side[k].to);
   /* Several instructions of one line are told apart by their places. */
   if (strcmp(to[0], to[1]) == 0)
      for (int k = 0; k < 2; k++) {
         PlaceText x = run_place_text(&v->runs->side[k], p->side[k].to, false);
         to[k] = text_format("%s, %s+0x%" PRIx64, to[k], x.image, x.offset);
      }
   printf("  A goes to  %s        B goes to  %s\n", to[0], to[1]);
}

static void print_branch(FirstView* v, const Parting* p)
{
   int       k = p->side[0].branch != NO_PLACE ? 0 : 1;
   RunSide*  s = &v->runs->side[k];
   PlaceText t = run_place_text(s, p->side[k].branch, true);

   if (p->side[k].branch == NO_PLACE) {
      printf("  branch  the thread's begin\n");
   } else if (s->from[p->side[k].branch] == KEY_GENERATED) {
      printf("  branch  in code that the program made, at 0x%" PRIx64 "\n",
             t.addr);
   } else {
      printf("  branch  %s%s%s\n", place_words(&t),
             t.text[0] != 0 || t.code[0] != 0 ? "  " : "",
             t.text[0] != 0 ? t.text : t.code);
   }
   if (p->kind == PART_END)
      printf("  %s ends here        %s goes on\n", side_names[p->ended],
             side_names[1 - p->ended]);
   else
      print_targets(v, p, &t);
}

static void print_cause(FirstView* v, const PartCause* c)
{
   if (c->caller != NO_PLACE) {
      PlaceText t = run_place_text(&v->runs->side[0], c->caller, true);
      printf("  called  %s%s%s\n", place_words(&t), t.text[0] != 0 ? "  " : "",
             t.text);
   }
   for (size_t i = 0; i < c->n_values; i++)
      printf("  %s  %s = %s in A, %s in B\n", i == 0 ? "values" : "      ",
             c->values[i].name, c->values[i].value[0], c->values[i].value[1]);
   if (c->words == NULL)
      return;
   printf("  cause   %s%s%s", c->words, c->detail != NULL ? ": " : "",
          c->detail != NULL ? c->detail : "");
   for (size_t i = 0; i < c->n_through; i++)
      printf("%s%s", i == 0 ? ", through " : ", ",
             text_shorten(c->through[i], 48));
   putchar('\n');
}

/* Print the branches that only one side took before both went the same way
   again. */
static void print_gap(FirstView* v, const Parting* p)
{
   if (!p->rejoins) {
      if (v->more > 1 && p->kind == PART_BRANCH)
         puts("  they do not go the same way again");
      return;
   }
   printf("  again the same after %s instructions in A, %s in B\n",
          text_count(p->side[0].gap), text_count(p->side[1].gap));
   for (int k = 0; k < 2; k++) {
      if (p->side[k].n_branches == 0)
         continue;
      printf("  taken by %s in between:", side_names[k]);
      for (size_t i = 0; i < p->side[k].n_branches; i++) {
         PlaceText t = run_place_text(&v->runs->side[k],
                                      p->side[k].branches[i], true);
         printf("%s %s", i == 0 ? "" : ",", place_words(&t));
      }
      putchar('\n');
   }
}

static const char* after_words(const Parting* p)
{
   return p->side[0].at == p->side[1].at
          ? text_format("after %s instructions", text_count(p->side[0].at))
          : text_format("after %s instructions in A, %s in B",
                        text_count(p->side[0].at), text_count(p->side[1].at));
}

/* Say how many instructions were in code that is not followed. */
static void print_generated(const PartThread* t)
{
   if (t->generated[0] + t->generated[1] > 0)
      printf("  not followed: code that the program made, %s instructions in A, "
             "%s in B\n", text_count(t->generated[0]),
             text_count(t->generated[1]));
}

static void print_skipped(FirstView* v, const PartThread* t)
{
   if (t->missed != 0)
      printf("  only %s comes to %s: compared from the begin\n",
             side_names[2 - t->missed], v->after);
   if (!t->skipped)
      return;
   int       k = t->earlier.side[0].branch != NO_PLACE ? 0 : 1;
   PlaceText e = run_place_text(&v->runs->side[k], t->earlier.side[k].branch,
                                true);
   printf("  skipped differences before %s, the first in %s: --after= begins "
          "with them\n", v->after, place_words(&e));
}

static void print_thread(FirstView* v, const PartThread* t)
{
   if (!t->there[0] || !t->there[1]) {
      printf("thread %" PRIu32 ": only in %s\n", t->thread,
             t->there[0] ? "A" : "B");
      return;
   }
   if (t->n_parts == 0) {
      printf("thread %" PRIu32 ": the same, %s instructions%s\n", t->thread,
             text_count(t->instrs[0] - (t->skipped ? t->base[0] : 0)),
             t->skipped ? text_format(" from %s on", v->after) : "");
      print_skipped(v, t);
      print_generated(t);
   }
   for (size_t i = 0; i < t->n_parts; i++) {
      const Parting* p = &t->parts[i];
      PartCause     c = part_cause(v->causes, t, p);
      printf("thread %" PRIu32 ": %s\n", t->thread, after_words(p));
      if (i == 0)
         print_skipped(v, t);
      print_branch(v, p);
      print_cause(v, &c);
      part_cause_free(&c);
      print_gap(v, p);
      if (i == 0)
         print_generated(t);
      text_forget();
   }
}

/*--- The command                                          ---*/

/* Tell of thread THREAD. */
static void tell_thread(FirstView* v, uint32_t thread, uint64_t after)
{
   PartThread* t = part_thread(v->runs, thread, after, v->more);

   v->parted |= t->n_parts > 0 || !t->there[0] || !t->there[1];
   if (v->json) {
      fputs(v->first ? "" : ",", stdout);
      v->first = false;
      parting_put_json(stdout, v->runs, v->causes, v->after, t);
   } else {
      print_thread(v, t);
   }
   part_thread_free(t);
   text_forget();
}

static void compare_threads(FirstView* v, const char* after, uint64_t only)
{
   uint32_t n[2] = { v->runs->side[0].n_threads, v->runs->side[1].n_threads };
   uint32_t most = n[0] > n[1] ? n[0] : n[1];
   uint64_t key = runs_after(v->runs, after);

   v->after = after == NULL ? "main" : after;

   if (only != NOT_GIVEN && only >= most)
      die("--thread=%" PRIu64 ": there is no such thread; the last one is %"
          PRIu32, only, most - 1);
   for (uint32_t i = 0; i < most; i++)
      if (only == NOT_GIVEN || only == i)
         tell_thread(v, i, i == 0 || after != NULL ? key : 0);
}

static void begin_json(const FirstView* v)
{
   put_json_member("{", "a", v->runs->side[0].file, stdout);
   put_json_member(", ", "b", v->runs->side[1].file, stdout);
   printf(", \"rebuilt\": %s, \"threads\": [",
          v->runs->rebuilt ? "true" : "false");
}

static int run(int argc, char** argv)
{
   const char* after = NULL;
   const char* root = NULL;
   uint64_t    thread = NOT_GIVEN;
   FirstView   v = { .more = 1, .first = true };
   const Opt   opts[] = {
      { "after", OPT_TEXT, &after, "FUNCTION",
        "begin where both runs come to FUNCTION; nothing: with the first "
        "instruction [main]" },
      { "more", OPT_COUNT, &v.more, "N",
        "go on where both go the same way again, up to N partings [1]" },
      { "thread", OPT_COUNT, &thread, "N", "only thread N [all]" },
      { "json", OPT_FLAG, &v.json, NULL, "for programs" },
      OPT_ROOT(&root)
   };
   const char* files[4];
   int         n = parse_args(&first_command, OPTS(opts), argc, argv, files, 2, 4);

   if (n == 3 || (n == 2 && (file_kind(files[0]) == KIND_GRAPH
                             || file_kind(files[1]) == KIND_GRAPH)))
      die("two whole execution traces are needed, or two DCFGs each with its "
          "trace; usage: dcfg %s %s", first_command.name, first_command.args);
   if (v.more == 0)
      die("--more=0: give a number from 1 on");
   v.runs   = runs_new(files, n, root);
   v.causes = causes_new(v.runs, root);
   if (v.json)
      begin_json(&v);
   compare_threads(&v, after, thread);
   if (v.json)
      printf("],\n \"same\": %s}\n", v.parted ? "false" : "true");
   else if (!v.parted)
      puts("the runs are the same");
   causes_free(v.causes);
   runs_free(v.runs);
   return v.parted ? STATUS_FOUND : STATUS_OK;
}

const Command first_command = {
   "first", "A [TRACE-A] B [TRACE-B]", "where two runs part, and why",
   "Finds the first branch at which run B goes another way than run A, with\n"
   "the values that it looked at, and the cause: what was different before.\n"
   "A and B are whole execution traces, which --wet=yes writes.  DCFGs with\n"
   "their traces tell the branch, but no values and no cause.\n",
   "\n"
   "The exit status is 0 if the runs are the same, 1 if they part, 2 if they\n"
   "cannot be compared.\n"
   "\n"
   "examples:\n"
   "  dcfg first good.wet bad.wet\n"
   "  dcfg first --more=5 --after=parse good.wet bad.wet\n"
   "  dcfg first a.json a-trace.json b.json b-trace.json\n",
   run
};
