/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --pprof: stacks of calls for pprof. */

/* Owns: the tree of the stacks of all threads, and the few messages of
   profile.proto that it becomes.  Handed: calls and inlined instances along a
   trace, by the room calls/.

   A message is a sequence of fields: a number for field and kind, then a number or
   bytes.  See <https://github.com/google/pprof/blob/main/proto/profile.proto>.

   A place of pprof (Location) is a function with all that was inlined there: a
   line for each, the innermost first.  So the stack "main, inlined work, area" has
   the places of area and of work in main.  A stack belongs to a thread, which is a
   label. */

#include "cmd/export/export.h"

#include "cmd/base/result.h"
#include "cmd/calls/inline_walk.h"

/*--- Messages                                             ---*/

static void put_number(ByteList* m, uint64_t n)
{
   do {
      uint8_t byte = (uint8_t)((n & 0x7F) | (n > 0x7F ? 0x80 : 0));
      bytes_add(m, &byte, 1);
      n >>= 7;
   } while (n > 0);
}

/* Add field NUMBER of M: a number; 0 is the default.  Or bytes. */
static void put_field(ByteList* m, unsigned number, uint64_t n)
{
   if (n == 0)
      return;
   put_number(m, number << 3);
   put_number(m, n);
}

static void put_bytes_field(ByteList* m, unsigned number, const void* bytes,
                            size_t n)
{
   put_number(m, number << 3 | 2);
   put_number(m, n);
   bytes_add(m, bytes, n);
}

/* Add PART as field NUMBER of M, and empty it. */
static void put_message(ByteList* m, unsigned number, ByteList* part)
{
   put_bytes_field(m, number, part->bytes, part->n);
   part->n = 0;
}

/*--- The tree                                             ---*/

#define NO_FRAME  UINT32_MAX
#define NO_PLACE  UINT32_MAX

/* Frame: a function, or an instance in it, above a stack. */
typedef
   struct {
      uint32_t parent;          // or NO_FRAME
      uint32_t place;           // from 0; NO_PLACE: a thread's empty stack
      uint64_t self;
   }
   Frame;

/* Place: a function, or an instance in another place. */
typedef
   struct {
      uint32_t around;          // the place that has it; NO_PLACE: a function
      uint32_t of;              // number of the function, or scope
   }
   Place;

typedef
   struct {
      const Export*    x;
      const Functions* f;
      Inlined*         in;
      Frame*           frames;
      size_t           n_frames, frame_room;
      Place*           places;
      size_t           n_places, place_room;
      KeyMap*          frame_keys;   // parent and place
      KeyMap*          place_keys;   // place around and function or scope
      uint32_t         now;          // the frame of the innermost call
      uint64_t         at;           // instructions that were counted
      uint32_t*        threads;      // by thread that was walked: its number
      size_t           n_threads, thread_room;
      uint32_t*        roots;        // by thread: its empty stack
      size_t           n_roots, root_room;
      KeyMap*          texts;        // interned texts: their numbers, from 1
      Interned*        names;
      KeyMap*          functions;    // interned names: their numbers
      ByteList          all, part, line;
   }
   Pprof;

static uint32_t place_of(Pprof* p, uint32_t around, uint32_t of)
{
   uint32_t n = keymap_number(p->place_keys, (uint64_t)around << 32 | of);

   if (n == p->n_places) {
      GROW(p->places, p->n_places, p->place_room);
      p->places[p->n_places++] = (Place){ around, of };
   }
   return n;
}

static void spend(Pprof* p, uint64_t at)
{
   add_count(&p->frames[p->now].self, at - p->at);
   p->at = at;
}

static uint32_t new_frame(Pprof* p, uint32_t parent, uint32_t place)
{
   GROW(p->frames, p->n_frames, p->frame_room);
   p->frames[p->n_frames] = (Frame){ parent, place, 0 };
   return (uint32_t)p->n_frames++;
}

static void begin(void* arg, uint32_t thread)
{
   Pprof* p = arg;

   p->now = new_frame(p, NO_FRAME, NO_PLACE);
   keymap_number(p->frame_keys, (uint64_t)p->now << 32 | NO_PLACE);
   p->at = 0;
   GROW(p->threads, p->n_threads, p->thread_room);
   p->threads[p->n_threads++] = thread;
   GROW(p->roots, p->n_roots, p->root_room);
   p->roots[p->n_roots++] = p->now;
}

static void go_into(Pprof* p, uint32_t place, uint64_t at)
{
   uint32_t n;

   spend(p, at);
   n = keymap_number(p->frame_keys, (uint64_t)p->now << 32 | place);
   p->now = n == p->n_frames ? new_frame(p, p->now, place) : n;
}

static void enter(void* arg, uint32_t function, uint64_t at)
{
   go_into(arg, place_of(arg, NO_PLACE, function), at);
}

static void enter_inlined(void* arg, uint32_t scope, uint64_t at)
{
   Pprof* p = arg;

   go_into(p, place_of(p, p->frames[p->now].place, scope), at);
}

static void leave(void* arg, uint64_t at)
{
   Pprof* p = arg;

   spend(p, at);
   p->now = p->frames[p->now].parent;
}

static void end(void* arg, uint64_t at)
{
   spend(arg, at);
}

/*--- Texts, images, functions                             ---*/

/* Return the number of TEXT in the table of texts: 0 is "". */
static uint32_t text_number(Pprof* p, const char* text)
{
   if (text == NULL || *text == 0)
      return 0;
   return 1 + keymap_number(p->texts, (uint64_t)(uintptr_t)
                                      intern(p->names, text));
}

static void put_images(Pprof* p)
{
   const DcfgProcess* g = p->f->g.p;

   for (uint32_t i = 0; i < g->n_images; i++) {
      const DcfgImage* im = &g->images[i];
      put_field(&p->part, 1, i + 1);
      put_field(&p->part, 2, im->load_addr);
      put_field(&p->part, 3, im->load_addr + im->size);
      put_field(&p->part, 5, text_number(p, image_path(&p->f->g, i)));
      put_field(&p->part, 6, text_number(p, im->build_id));
      put_field(&p->part, 7, 1);
      put_field(&p->part, 8, 1);
      put_field(&p->part, 9, 1);
      put_field(&p->part, 10, p->in != NULL);
      put_message(&p->all, 3, &p->part);
      text_forget();
   }
}

/* Return the number of the function NAME with SYMBOL in FILE.  It is written when
   it is new.  Functions with one name in one file are one. */
static uint32_t function_number(Pprof* p, const char* name, const char* symbol,
                                const char* file)
{
   uint32_t text = text_number(p, name), path = text_number(p, file);
   uint32_t before = keymap_size(p->functions);
   uint32_t n = keymap_number(p->functions, (uint64_t)text << 32 | path);

   if (n == before) {
      put_field(&p->part, 1, n + 1);
      put_field(&p->part, 2, text);
      put_field(&p->part, 3, symbol == NULL ? text : text_number(p, symbol));
      put_field(&p->part, 4, path);
      put_message(&p->all, 5, &p->part);
   }
   return n + 1;
}

/* Return the source row of function F's first block, or NULL. */
static const DcfgSource* source_of(const Pprof* p, uint32_t f)
{
   const Program*  g = &p->f->g;
   const DcfgNode* n = &g->p->nodes[p->f->nodes[f]];
   uint32_t        s = dcfg_source_at(g->p, n->image, n->addr);

   return s == DCFG_NONE || g->p->sources[s].file >= g->d->n_files
          ? NULL : &g->p->sources[s];
}

/* Add the line of PLACE to the location: its own line, or LINE, where another
   function was inlined. */
static void add_line(Pprof* p, uint32_t place, uint32_t line)
{
   const Place* at = &p->places[place];
   uint32_t     function, first;
   ByteList      m = { 0 };

   if (at->around != NO_PLACE) {
      uint32_t of = inlined_function(p->in, at->of);
      const InlinedFunction* info = inlined_function_info(p->in, of);
      function = function_number(p, inlined_name(p->in, of), NULL, info->file);
      first = info->line;
   } else {
      const DcfgSource* s = source_of(p, at->of);
      function = function_number(p, function_name(p->f, at->of),
                                 function_symbol_name(p->f, at->of),
                                 s == NULL ? NULL
                                 : p->f->g.d->files[s->file].name);
      first = s == NULL ? 0 : s->line;
   }
   put_field(&m, 1, function);
   put_field(&m, 2, line != 0 ? line : first);
   put_message(&p->line, 4, &m);
   free(m.bytes);
   text_forget();
}

static void put_places(Pprof* p)
{
   for (uint32_t i = 0; i < p->n_places; i++) {
      const DcfgNode* n;
      uint32_t        outer = i, line = 0;
      for (;; outer = p->places[outer].around) {
         add_line(p, outer, line);
         if (p->places[outer].around == NO_PLACE)
            break;
         line = inlined_call_line(p->in, p->places[outer].of);
      }
      n = &p->f->g.p->nodes[p->f->nodes[p->places[outer].of]];
      put_field(&p->part, 1, i + 1);
      put_field(&p->part, 2,
                n->image < p->f->g.p->n_images ? n->image + 1 : 0);
      put_field(&p->part, 3, n->addr);
      bytes_add(&p->part, p->line.bytes, p->line.n);
      p->line.n = 0;
      put_message(&p->all, 4, &p->part);
   }
}

/*--- The profile                                          ---*/

static void put_samples(Pprof* p)
{
   size_t thread = 0;

   for (uint32_t i = 0; i < p->n_frames; i++) {
      const Frame* f = &p->frames[i];
      ByteList      places = { 0 };
      while (thread + 1 < p->n_roots && p->roots[thread + 1] <= i)
         thread++;
      if (f->self == 0)
         continue;
      for (; f->place != NO_PLACE; f = &p->frames[f->parent]) {
         put_number(&places, f->place + 1);
         while (p->places[f->place].around != NO_PLACE)
            f = &p->frames[f->parent];  // the place has this frame's line
      }
      put_message(&p->part, 1, &places);
      put_number(&places, p->frames[i].self);
      put_message(&p->part, 2, &places);
      put_field(&places, 1, text_number(p, "thread"));
      put_field(&places, 2,
                text_number(p, text_format("thread %" PRIu32,
                                           p->threads[thread])));
      put_message(&p->part, 3, &places);
      put_message(&p->all, 2, &p->part);
      free(places.bytes);
      text_forget();
   }
}

/* Write what one value means: a number of instructions. */
static void put_type(Pprof* p, unsigned number)
{
   put_field(&p->part, 1, text_number(p, "instructions"));
   put_field(&p->part, 2, text_number(p, "count"));
   put_message(&p->all, number, &p->part);
}

static void put_profile(Pprof* p)
{
   const DcfgProcess* g = p->f->g.p;

   put_type(p, 1);
   put_images(p);
   put_places(p);
   put_samples(p);
   put_type(p, 11);
   put_field(&p->all, 12, 1);
   if (g->n_recorded > 0 && g->runs[0].command_line != NULL)
      put_field(&p->all, 13,
                text_number(p, text_clean(g->runs[0].command_line)));
   put_field(&p->all, 14, text_number(p, "instructions"));
   put_bytes_field(&p->all, 6, "", 0);
   for (uint32_t i = 0; i < keymap_size(p->texts); i++) {
      const char* text = (const char*)(uintptr_t)keymap_key(p->texts, i);
      put_bytes_field(&p->all, 6, text, strlen(text));
   }
}

static void walk(Pprof* p, const char* trace)
{
   const Export* x = p->x;
   Select        all = SELECT_ALL;
   Selection*    blocks;
   InlineView*   v;

   all.inlined = true;
   all.thread = x->thread;
   blocks = selection_new(&x->g, &all);
   v = inline_view_new(&p->f->g, &all, blocks, x->root);
   p->in = v->in;
   walk_inlined(p->f, v, trace, x->thread,
                &(InlineWatcher){ .begin = begin, .enter = enter,
                                  .enter_inlined = enter_inlined,
                                  .leave = leave, .end = end,
                                  .only = v->selected, .arg = p });
   put_profile(p);
   inline_view_free(v);
   selection_free(blocks);
}

static void write_pprof(const Export* x)
{
   Functions* f = functions_new(&x->g);
   Pprof      p = { .x = x, .f = f, .frame_keys = keymap_new(),
                    .place_keys = keymap_new(), .texts = keymap_new(),
                    .functions = keymap_new(), .names = interned_new() };
   FILE*      packed;
   char*      trace;

   trace = x->what[0] != 0 ? NULL : file_beside(x->file, KIND_TRACE);
   if (x->what[0] == 0 && trace == NULL)
      die("--pprof needs the DCFG-trace of %s, which --trace=yes writes: give it as "
          "--pprof=TRACE", text_clean(x->file));
   if (trace == NULL && file_kind(x->what) != KIND_TRACE)
      die("--pprof=TRACE needs the DCFG-trace of the graph, which --trace=yes "
          "writes: %s is none", text_clean(x->what));
   walk(&p, trace != NULL ? trace : x->what);
   free(trace);
   packed = gzip_open(x->out, 6, NULL);
   fwrite(p.all.bytes, 1, p.all.n, packed);
   fclose(packed);
   FREE_EACH(keymap_free, p.frame_keys, p.place_keys, p.texts, p.functions);
   interned_free(p.names);
   FREE_ALL(p.frames, p.places, p.threads, p.roots, p.all.bytes, p.part.bytes,
            p.line.bytes);
   functions_free(f);
   say_next("next:\n  go tool pprof -top %s\n", shell_word(x->out_name, ""));
}

const ExportForm export_form_pprof = {
   .choice = { "pprof",
               "for pprof: stacks of calls with inlined functions, of the "
               "graph's trace", "TRACE" },
   .packed = true,
   .write = write_pprof
};
