/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg why, line by line. */

/* Owns: lines and their inputs as text and JSON, the text of each line, and
   the conversation with the user.  Handed: a slice, in cards. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/table.h"
#include "cmd/machine/processor.h"
#include "cmd/program/lines.h"
#include "cmd/slice/why.h"
#include "cmd/slice/why_unseen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED_WIDTH 40        // bytes of a printed text

/* Return the text of the line of IN, from its first letter; "" if it cannot
   be read. */
static const char* why_line_text(SourceReader* r, const DcfgWetInstr* in)
{
   char* text;

   if (in->line == 0 || in->source == NULL)
      return "";
   text = source_reader_code(r, in->source, in->line);
   for (char* c = text; (c = strchr(c, '\t')) != NULL; )
      *c = ' ';
   return text_clean(text);
}

/* Return the byte at ADDR that system call NODE used; '?' if it is not
   known. */
static char used_byte(const DcfgSlice* s, uint32_t node, uint64_t addr)
{
   const DcfgSliceNode* n = &s->nodes[node];
   uint32_t             last = DCFG_SLICE_NOT;

   /* Nodes with smaller numbers ran later. */
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      if (in->port == DCFG_WET_MEMORY && in->node < last
          && addr - s->nodes[in->node].addr < s->nodes[in->node].value_size)
         last = in->node;
   }
   return last == DCFG_SLICE_NOT ? '?'
          : (char)s->values[s->nodes[last].value + (addr - s->nodes[last].addr)];
}

/* Return the printed bytes of IN, in quotes. */
static const char* why_printed(const Sliced* f, const WhyInput* in)
{
   char     text[PRINTED_WIDTH + 1];
   uint64_t size = in->high - in->low;
   size_t   n = size < PRINTED_WIDTH ? (size_t)size : PRINTED_WIDTH;

   for (size_t i = 0; i < n; i++)
      text[i] = used_byte(f->s, in->user, in->low + i);
   text[n] = 0;
   return text_format("`%s'%s", text_clean(text), n < size ? "..." : "");
}

/* Return whether IN is code of the dynamic linker, which only leads on to
   another library. */
static bool why_is_loader(const DcfgWetInstr* in)
{
   return in->image_name != NULL
          && strncmp(text_base(in->image_name), "ld-", 3) == 0;
}

/*--- Lines                                                ---*/

static bool is_same(const CodeLine* a, const CodeLine* b)
{
   return a->line == b->line && strcmp(a->source, b->source) == 0;
}

/* Return whether L is a line of INSTR, or of a call through which INSTR was
   inlined. */
static bool is_around(const Sliced* f, uint32_t instr, const CodeLine* l)
{
   const CodeLine* lines;
   unsigned        n = code_lines(f->code, instr, &lines);

   for (unsigned i = 0; i < n; i++)
      if (!lines[i].merged && is_same(&lines[i], l))
         return true;
   return false;
}

/* Set *L to line K, from 0, of the lines that call the inlined function
   which computed IN, the innermost first.  Its .line is 0 if C was inlined
   there, too.  Return false if there are not so many. */
static bool why_call_line(const Sliced* f, const WhyCard* c, const WhyInput* in,
                   uint32_t k, CodeLine* l)
{
   const CodeLine* lines;
   unsigned        n;

   if (in->node >= DCFG_SLICE_NOT || why_is_library(f, in->node))
      return false;
   n = code_lines(f->code, f->s->nodes[in->node].instr, &lines);
   if (k + 1 >= n || lines[k + 1].merged)
      return false;
   *l = lines[k + 1];
   if (is_around(f, f->s->nodes[c->head].instr, l))
      l->line = 0;
   return true;
}

/* Set *L to line K, from 0, of the lines that were merged with those of C.
   Return false if there are not so many. */
static bool why_merged_line(const Sliced* f, const WhyCard* c, unsigned k, CodeLine* l)
{
   CodeLine found[8];
   unsigned n = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      const CodeLine* lines;
      unsigned        all = code_lines(f->code,
                                       f->s->nodes[c->members[i]].instr, &lines);
      for (unsigned j = 0; j < all && n < 8; j++) {
         unsigned m = 0;
         if (!lines[j].merged)
            continue;
         while (m < n && !is_same(&found[m], &lines[j]))
            m++;
         if (m == n)
            found[n++] = lines[j];
      }
   }
   if (k >= n)
      return false;
   *l = found[k];
   return true;
}

/* Name: an instance.  It stays the same when nodes get other numbers. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
   }
   Name;

typedef
   struct {
      Sliced*        f;
      SliceView      v;
      const WhyForm* form;
      WhyCards       cards;
      SourceReader   source;
      SliceOmissions* omissions;
      OmittedList    omitted;   // inputs of the last card point into it
      Name           first;     // the first card
      bool*          ends;      // by instruction: where the first card ends, if
                                // it is a library's
      bool           bounded;   // the slice is too large to be made deeper
      bool           told_bound;        // the bound of the search was printed
      bool*          met;       // by instruction: it is among .ways
      DcfgWetInstr*  ways;      // different instructions that an input met
      uint32_t*      of;        // their numbers
      size_t         n_ways, ways_room, of_room;
   }
   Lines;

/*--- Words                                                ---*/

static const char* line_text(Lines* y, const DcfgWetInstr* in)
{
   return why_line_text(&y->source, in);
}

/* Return the function and the image of IN, as "printf (libc.so.6)". */
static const char* library_text(const DcfgWetInstr* in)
{
   return text_format("%s (%s)", in->function == NULL ? "?"
                      : why_function(in),
                      in->image_name == NULL ? "?"
                      : text_clean(text_base(in->image_name)));
}

/* Return an instance in words, as "price.c:20 in main   price = price - 2;";
   without a line, its code. */
static const char* instr_place(Lines* y, uint32_t instr, uint64_t instance)
{
   const DcfgWetInstr in = why_instr(y->f, instr);
   char               text[256];

   if (in.line != 0) {
      const char* around = y->v.inlined == NULL ? ""
                           : inlined_trace_text(y->v.inlined, instr);
      return text_format("%s%s%s   %s", slice_place(&in),
                         in.function == NULL && around[0] == 0 ? "" : " in ",
                         around[0] != 0 ? around
                         : in.function == NULL ? ""
                         : why_function(&in),
                         line_text(y, &in));
   }
   instr_text(&in, text, sizeof(text));
   return text_format("0x%" PRIx64 "#%" PRIu64 "  %s   %s", in.addr, instance,
                      text, slice_place(&in));
}

/* The same, for why_unseen.c. */
static const char* unseen_place(void* y, uint32_t instr, uint64_t instance)
{
   return instr_place(y, instr, instance);
}

static const char* place_text(Lines* y, uint32_t node)
{
   const DcfgSliceNode* n = &y->f->s->nodes[node];
   const DcfgWetInstr   in = *dcfg_wet_instr(y->f->w, n->instr);

   return why_is_library(y->f, node) && in.function != NULL ? library_text(&in)
          : instr_place(y, n->instr, n->instance);
}

static const char* code_line_text(Lines* y, const CodeLine* l)
{
   const DcfgWetInstr in = { .source = l->source, .line = l->line,
                             .function = l->function };

   return text_format("%s%s%s   %s", slice_place(&in),
                      l->function == NULL ? "" : " in ",
                      l->function == NULL ? "" : why_function(&in),
                      line_text(y, &in));
}

/* Return the name of input IN, and set *VALUE to its value; "" if that is
   not known. */
static const char* input_name(const Lines* y, const WhyInput* in,
                              const char** value)
{
   VariableType type;
   const char*  name;

   *value = "";
   if (in->input->port == DCFG_WET_CONTROL)
      return "because of";
   if (in->high != 0)
      return why_printed(y->f, in);
   if (slice_asks_place(y->f, in->user)) {
      *value = why_input_value(y->f, in->user, in->input, &y->f->of_type);
      return text_clean(y->f->of);
   }
   name   = why_place_name(y->f->program, y->f->s->nodes[in->user].instr, in->input,
                           &type);
   *value = why_input_value(y->f, in->user, in->input, &type);
   if (name == NULL)
      name = why_returned(y->f, in->user, in->input);
   if (name == NULL && why_is_library(y->f, in->user))
      *value = "";              // the value is bytes of printed text
   return text_clean(name != NULL ? name : slice_port(y->f->w, in->input));
}

/* Return the last value that a card stored, as "price = 52". */
static const char* result_text(const Lines* y, const WhyCard* c)
{
   const DcfgSlice* s = y->f->s;
   uint32_t         at = c->head;
   VariableType     type = { .known = false };
   const char*      name = NULL;
   const char*      value;

   if (why_is_call(y->f, c->head) || why_is_library(y->f, c->head)
       || slice_asks_place(y->f, c->head))
      return "";
   for (size_t i = 0; i < c->n_members; i++)
      if (dcfg_wet_instr(y->f->w, s->nodes[c->members[i]].instr)->stores
          && s->nodes[c->members[i]].value_size > 0
          && !why_is_call(y->f, c->members[i])
          && (name == NULL || c->members[i] < at)) {
         at   = c->members[i];
         name = variables_name_memory(y->f->program, s->nodes[at].instr,
                                      VARIABLES_WRITTEN, s->nodes[at].addr,
                                      s->nodes[at].order, &type);
      }
   value = why_value(y->f, &s->nodes[at], &type);
   return value[0] == 0 ? "" : text_format("%s%s%s",
                                           name == NULL ? "" : text_clean(name),
                                           name == NULL ? "= " : " = ", value);
}

/* Forget the instructions that an input met. */
static void forget_ways(Lines* y)
{
   while (y->n_ways > 0)
      y->met[y->of[--y->n_ways]] = false;
}

/* Return whether an instruction met before has the line of AT, or, if AT is in a
   LIBRARY or has no line, its function. */
static bool is_met(const Lines* y, const DcfgWetInstr* at, bool library)
{
   bool by_line = at->line != 0 && !library;

   for (size_t i = 0; i < y->n_ways; i++) {
      const DcfgWetInstr* o = &y->ways[i];
      if (by_line ? o->line == at->line && o->source != NULL
                    && strcmp(o->source, at->source) == 0
          : o->function != NULL && at->function != NULL
            && strcmp(o->function, at->function) == 0)
         return true;
   }
   return false;
}

/* Note that the input met NODE.  Return whether it met the instruction before, or
   another one of the line or function that is named for it. */
static bool meets(Lines* y, uint32_t node)
{
   uint32_t     instr = y->f->s->nodes[node].instr;
   DcfgWetInstr at = why_instr(y->f, instr);
   bool         library = why_is_library_code(y->f, instr), known;

   if (y->met[instr])
      return (at.line != 0 && !library) || at.function != NULL;
   known = is_met(y, &at, library);
   y->met[instr] = true;
   GROW(y->of, y->n_ways, y->of_room);
   GROW(y->ways, y->n_ways, y->ways_room);
   y->of[y->n_ways]     = instr;
   y->ways[y->n_ways++] = at;
   return known;
}

/* Return the next line or library function that input IN came through, from
   passed node *K on, and set *K behind it.  Each is returned once, but not
   the card's line or the line of IN's origin.  Return NULL at the end. */
static const char* passed_text(Lines* y, const WhyCard* c, const WhyInput* in,
                               uint32_t* k)
{
   const DcfgSlice* s = y->f->s;
   CodeLine         l;

   if (*k == 0) {
      forget_ways(y);
      meets(y, c->head);
      if (in->node < DCFG_SLICE_NOT)
         meets(y, in->node);
   }
   for (; *k < in->n_passed; ++*k) {
      uint32_t           node = c->passed[in->first + *k];
      const DcfgWetInstr at = why_instr(y->f, s->nodes[node].instr);
      bool               library = why_is_library(y->f, node);
      if (meets(y, node) || (library && why_is_loader(&at)))
         continue;
      ++*k;
      return at.line != 0 && !library ? place_text(y, node)
             : at.function == NULL ? instance_text(y->f->w, &s->nodes[node])
             : library_text(&at);
   }
   while (why_call_line(y->f, c, in, (*k)++ - in->n_passed, &l))
      if (l.line != 0)
         return code_line_text(y, &l);
   return NULL;
}

/* Return whether IN, which nothing wrote, has a value from before the trace. */
static bool is_before(const Lines* y, const WhyInput* in)
{
   return in->library ? in->before
          : in->input->node != DCFG_SLICE_NOBODY
          ? wet_begins_late(y->f->w)
          : slice_is_before(y->f, in->loader, in->input);
}

static const char* end_text(const Lines* y, const WhyInput* in)
{
   if (in->node == DCFG_SLICE_NOBODY && !in->unseen && is_before(y, in)) {
      if (in->use != USE_BRANCH)
         slice_note_before();
      return "nothing that was kept: before the window, or nobody";
   }
   return in->node == DCFG_SLICE_NOT ? "not followed"
          : in->unseen ? "somebody else wrote it"
          : in->library ? "a library: of nothing that the program computed"
          : in->use == USE_BRANCH ? "nothing: it runs in any case"
          : "nothing that was executed wrote it: initial data";
}

/* Return whether somebody else may have written IN, and set *U. */
static UnseenKind unseen_kind(const Lines* y, const WhyInput* in,
                              DcfgSliceUnseen* u)
{
   return in->node != DCFG_SLICE_NOBODY || in->use != USE_VALUE
          || in->input->port != DCFG_WET_MEMORY
          || (in->library && !in->unseen) ? UNSEEN_NOT
          : why_unseen(y->f, in->loader, in->unseen, u);
}

static size_t shown(const Lines* y, const WhyCard* c)
{
   return c->n_inputs - (y->form->all ? 0 : c->n_frame);
}

/* Return the words for the store of IN that did not run, and for its branch. */
static const char* omitted_text(const Lines* y, const WhyInput* in)
{
   OmittedWords w = slice_omitted_words(y->omissions, y->f->s, in->omitted);

   return slice_omitted_text(&w, in->omitted);
}

/*--- Text                                                 ---*/

#define MOST_PASSED 6           // passed lines and functions that are named

static void tell(Lines* y, const WhyCard* c)
{
   const char* result = result_text(y, c);
   CodeLine    l;

   puts(place_text(y, c->head));
   for (unsigned k = 0; why_merged_line(y->f, c, k, &l); k++)
      printf("merged with %s\n", code_line_text(y, &l));
   if (result[0] != 0)
      printf("    %s\n", result);
   for (size_t i = 0; i < shown(y, c); i++) {
      const WhyInput* in = &c->inputs[i];
      const char*     value;
      const char*     name;
      const char*     through;
      DcfgSliceUnseen u;
      UnseenKind      kind;
      unsigned        n = 0;
      if (in->omitted != NULL) {
         printf("%3zu %s\n      %s\n", i + 1, omitted_text(y, in),
                instr_place(y, in->omitted->branch.instr,
                            in->omitted->branch.instance));
         text_forget();
         continue;
      }
      name = input_name(y, in, &value);
      printf("%3zu %s%s%s\n", i + 1, name, value[0] == 0 ? "" : " = ", value);
      fputs("      ", stdout);
      kind = unseen_kind(y, in, &u);
      if (kind != UNSEEN_NOT)
         why_tell_unseen(y->f, kind, &u, "      ",
                         &(UnseenPlace){ unseen_place, y });
      else
         printf("%s\n", in->node >= DCFG_SLICE_NOT ? end_text(y, in)
                             : place_text(y, in->node));
      for (uint32_t k = 0; (through = passed_text(y, c, in, &k)) != NULL; n++)
         if (n < MOST_PASSED)
            printf("      through %s\n", through);
      if (in->n_more > 0)
         printf("      and %u more execution%s of it\n", in->n_more,
                in->n_more == 1 ? "" : "s");
      if (n > MOST_PASSED)
         printf("      through %u more\n", n - MOST_PASSED);
      text_forget();
   }
   if (shown(y, c) < c->n_inputs)
      printf("  %zu more: --all\n", c->n_inputs - shown(y, c));
   if (y->omitted.bounded != NULL && !y->told_bound) {
      printf("  what did not run was looked for in a part only: %s\n",
             y->omitted.bounded);
      y->told_bound = true;
   }
}

/*--- JSON                                                 ---*/

static void json_text(const char* key, const char* s)
{
   if (s != NULL && s[0] != 0)
      put_json_member(", ", key, s, stdout);
}

static void json_instr(Lines* y, uint32_t instr, uint64_t instance)
{
   const DcfgWetInstr in = why_instr(y->f, instr);
   char               text[256];

   printf("\"address\": \"0x%" PRIx64 "\", \"instance\": %" PRIu64, in.addr,
          instance);
   json_text("function", in.function);
   json_text("image", in.image_name);
   slice_put_inlined(&y->v, instr, stdout);
   if (in.line != 0) {
      json_text("source", in.source);
      printf(", \"line\": %" PRIu32, in.line);
      json_text("text", line_text(y, &in));
   } else {
      instr_text(&in, text, sizeof(text));
      json_text("instruction", text);
   }
}

static void json_place(Lines* y, uint32_t node)
{
   const DcfgSliceNode* n = &y->f->s->nodes[node];

   json_instr(y, n->instr, n->instance);
   printf(", \"thread\": %" PRIu32, n->thread);
}

static void json_omitted(Lines* y, const WhyInput* in)
{
   const Omitted* o = in->omitted;
   OmittedWords   w = slice_omitted_words(y->omissions, y->f->s, o);

   fputs("{\"use\": \"omitted\"", stdout);
   json_text("name", w.place);
   printf(", \"maybe\": %s, ", o->maybe ? "true" : "false");
   slice_json_code(stdout, y->omissions, o, "store", o->store);
   fputs("}, \"from\": {", stdout);
   json_instr(y, o->branch.instr, o->branch.instance);
   fputs("}", stdout);
   json_text("text", slice_omitted_text(&w, o));
   fputs(", \"through\": []}", stdout);
}

static void json_input(Lines* y, const WhyCard* c, const WhyInput* in)
{
   static const char* const uses[] = { "value", "address", "branch", "omitted",
                                       "frame" };
   const char* value;
   const char* name;
   const char* through;
   bool        any = false;

   if (in->omitted != NULL) {
      json_omitted(y, in);
      return;
   }
   name = input_name(y, in, &value);

   printf("{\"use\": \"%s\"", uses[in->use]);
   if (in->use != USE_BRANCH)
      json_text("name", name);
   json_text("value", value);
   if (in->node < DCFG_SLICE_NOT) {
      fputs(", \"from\": {", stdout);
      json_place(y, in->node);
      putchar('}');
   } else {
      DcfgSliceUnseen u;
      UnseenKind      kind = unseen_kind(y, in, &u);
      json_text("ends", kind != UNSEEN_MAPPED ? end_text(y, in)
                : "nothing that was executed wrote it: a mapped file");
      if (kind != UNSEEN_NOT)
         why_json_unseen(y->f, kind, &u,
                         &(UnseenPlace){ unseen_place, y });
   }
   fputs(", \"through\": [", stdout);
   for (uint32_t k = 0; (through = passed_text(y, c, in, &k)) != NULL; any = true) {
      fputs(any ? ", " : "", stdout);
      put_json_string(through, stdout);
   }
   fputs("]}", stdout);
}

static void json_card(Lines* y, const WhyCard* c)
{
   CodeLine l;

   fputs("    {", stdout);
   json_place(y, c->head);
   for (unsigned k = 0; why_merged_line(y->f, c, k, &l); k++) {
      fputs(k == 0 ? ", \"merged\": [" : ", ", stdout);
      put_json_string(code_line_text(y, &l), stdout);
   }
   if (why_merged_line(y->f, c, 0, &l))
      putchar(']');
   json_text("result", result_text(y, c));
   fputs(", \"inputs\": [", stdout);
   for (size_t i = 0; i < shown(y, c); i++) {
      fputs(i == 0 ? "\n      " : ",\n      ", stdout);
      json_input(y, c, &c->inputs[i]);
      text_forget();
   }
   printf("], \"more\": %zu}", c->n_inputs - shown(y, c));
}

/*--- Steps                                                ---*/

static Name name_of(const Lines* y, uint32_t node)
{
   const DcfgSliceNode* n = &y->f->s->nodes[node];

   return (Name){ n->instr, n->instance };
}

/* Set *NAME to the instance that computed IN, or for a store that did not
   run to its branch.  Return false if there is none. */
static bool origin_of(const Lines* y, const WhyInput* in, Name* name)
{
   if (in->omitted != NULL)
      *name = (Name){ in->omitted->branch.instr, in->omitted->branch.instance };
   else if (in->node < DCFG_SLICE_NOT)
      *name = name_of(y, in->node);
   return in->omitted != NULL || in->node < DCFG_SLICE_NOT;
}

/* Return the node of NAME, or DCFG_SLICE_NOBODY. */
static uint32_t node_of(const Lines* y, Name name)
{
   const DcfgSlice* s = y->f->s;

   for (uint32_t i = 0; i < s->n_nodes; i++)
      if (s->nodes[i].instr == name.instr
          && s->nodes[i].instance == name.instance)
         return i;
   return DCFG_SLICE_NOBODY;
}

/* Return how many steps the slice goes on from the instances of a card, behind ROUND
   slices that were not enough.  In the program a line has few instances that are not
   told at once, and they lead to many others.  Ways through a LIBRARY are long, and
   where slices end at the program's values, they are few. */
static uint32_t steps_on(const Lines* y, unsigned round, bool library)
{
   bool     printed = y->f->q.no_address_near != NULL;
   unsigned n = round < 9 ? round : 9;

   if (!library)
      return 1u << (n < 4 ? 0 : n - 4);
   return y->f->q.ends == NULL ? 1u << 2 * (n + printed)
          : 1u << 6 * ((n < 2 ? n : 2) + printed);
}

/* Let the slice go on from where it has cut C, behind ROUND slices.  Return false if
   it is too large for that. */
static bool go_on(Lines* y, WhyCard* c, unsigned round)
{
   bool on;

   why_cards_end(&y->cards);
   for (size_t i = 0; i < c->n_cut; i++)
      c->cut[i].distance = steps_on(y, round, c->cut[i].distance != 0);
   on = slice_start(y->f, c->cut, c->n_cut);
   y->v.s = y->f->s;
   why_cards_start(&y->cards, y->f);
   return on;
}

/* Make the slice of NAME, an instance that the present slice lacks. */
static void move(Lines* y, Name name)
{
   why_cards_end(&y->cards);
   slice_move(y->f, name.instr, name.instance);
   y->v.s = y->f->s;
   why_cards_start(&y->cards, y->f);
}

static void make_card(Lines* y, WhyCard* c, Name name);

/* Let slices go on behind the program's values: make that of the first card anew,
   with which all others begin. */
static void forget_ends(Lines* y)
{
   WhyCard c;

   y->f->q.ends = NULL;
   why_cards_end(&y->cards);
   slice_restart(y->f);
   y->v.s = y->f->s;
   why_cards_start(&y->cards, y->f);
   make_card(y, &c, y->first);
   why_card_free(&c);
}

/* Make the card of NAME.  The slice goes on from where that needs more. */
static void make_card(Lines* y, WhyCard* c, Name name)
{
   if (y->f->q.ends != NULL
       && (name.instr != y->first.instr || name.instance != y->first.instance))
      forget_ends(y);
   if (node_of(y, name) == DCFG_SLICE_NOBODY)
      move(y, name);
   for (unsigned round = 0; ; round++) {
      uint32_t node = node_of(y, name);
      y->cards.round = round;
      why_card(&y->cards, c, node, node == y->f->s->criteria[0]);
      if (c->n_cut == 0 || y->bounded)
         break;
      y->bounded = !go_on(y, c, round);
      why_card_free(c);
      if (y->bounded)
         complain("some inputs are missing: to go back to them takes too much "
                  "memory or time");
   }
   omitted_list_free(&y->omitted);
   why_card_add_omitted(&y->cards, c, y->omissions, &y->omitted);
}

/* Print .steps cards, from FIRST on, the nearest to it first. */
static void tell_steps(Lines* y, Name first)
{
   Name*  queue = NULL;
   size_t n = 0, room = 0;

   GROW(queue, n, room);
   queue[n++] = first;
   if (y->form->json) {
      fputs("{\n  \"file\": ", stdout);
      put_json_string(y->v.file, stdout);
      json_text("criterion", y->v.criterion);
      fputs(",\n  \"steps\": [\n", stdout);
   }
   for (size_t head = 0; head < n && head < y->form->steps; head++) {
      WhyCard c;
      make_card(y, &c, queue[head]);
      if (head > 0)
         fputs(y->form->json ? ",\n" : "\n", stdout);
      if (y->form->json)
         json_card(y, &c);
      else
         tell(y, &c);
      for (size_t i = 0; i < shown(y, &c); i++) {
         Name on;
         bool known = false;
         if (!origin_of(y, &c.inputs[i], &on))
            continue;
         for (size_t k = 0; k < n; k++)
            known |= queue[k].instr == on.instr
                     && queue[k].instance == on.instance;
         if (known)
            continue;
         GROW(queue, n, room);
         queue[n++] = on;
      }
      why_card_free(&c);
      text_forget();
   }
   if (y->form->json)
      fputs("\n  ]\n}\n", stdout);
   free(queue);
}

/* Print a card, and ask the user for the next one, until the user quits. */
static void converse(Lines* y, Name first)
{
   Name*   way = NULL;
   size_t  n = 0, room = 0, size = 0;
   char*   line = NULL;
   WhyCard c;

   GROW(way, n, room);
   way[n++] = first;
   make_card(y, &c, first);
   tell(y, &c);
   for (;;) {
      size_t before = n, k;
      Name   on;
      fputs("why (number, b: back, l: list, q: quit)? ", stdout);
      fflush(stdout);
      if (getline(&line, &size, stdin) < 0 || why_says(line, "quit"))
         break;
      k = why_choice(line);
      if (why_says(line, "list")) {
         for (size_t i = 0; i < n; i++)
            printf("%3zu %s\n", i, instr_place(y, way[i].instr,
                                               way[i].instance));
      } else if (why_says(line, "back") && n > 1) {
         n--;
      } else if (k >= 1 && k <= shown(y, &c)
                 && origin_of(y, &c.inputs[k - 1], &on)) {
         GROW(way, n, room);
         way[n++] = on;
      } else {
         why_no_answer(line, shown(y, &c), true);
      }
      if (n != before) {
         why_card_free(&c);
         make_card(y, &c, way[n - 1]);
         tell(y, &c);
      }
      text_forget();
   }
   why_card_free(&c);
   FREE_ALL(way, line);
}

/* Let the first card's slices end at instances that compute a value in the program,
   if it is a library's: it does not look behind them. */
static void choose_ends(Lines* y)
{
   Sliced*  f = y->f;
   uint32_t n = dcfg_wet_instrs(f->w);

   if (!why_is_library_code(f, y->first.instr))
      return;
   y->ends = zalloc(n + (size_t)1, sizeof(bool));
   for (uint32_t i = 0; i < n; i++)
      y->ends[i] = !f->roles.copies[i] && f->roles.joins[i] == 0
                   && f->roles.bytes[i].shuffle == NULL
                   && !why_is_library_code(f, i);
   f->q.ends = y->ends;
}

void why_lines(Sliced* f, const SliceView* v, const WhyForm* form)
{
   Lines y = { .f = f, .v = *v, .form = form, .source.relative = true };

   y.met   = zalloc(dcfg_wet_instrs(f->w) + (size_t)1, sizeof(bool));
   y.omissions = slice_omissions_new(f, form->options, NULL,
                                     OMITTED_ALWAYS);
   why_cards_start(&y.cards, f);
   y.first = name_of(&y, f->s->criteria[0]);
   choose_ends(&y);
   if (form->asks)
      converse(&y, y.first);
   else
      tell_steps(&y, y.first);
   f->q.ends = NULL;
   why_cards_end(&y.cards);
   omitted_list_free(&y.omitted);
   slice_omissions_free(y.omissions);
   source_reader_close(&y.source);
   FREE_ALL(y.ends, y.met, y.ways, y.of);
}
