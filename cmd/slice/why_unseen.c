/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes that the trace does not have. */

/* Owns: between which instances somebody else wrote memory, and what may
   have done it.  Handed: an unseen write by the slice, the trace's events.

   The trace does not tell who wrote.  It tells what may have: the file that is
   mapped there, stores through another mapping of that file, and system calls
   meanwhile. */

#include "cmd/slice/why_unseen.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/table.h"
#include "cmd/machine/processor.h"
#include "cmd/machine/syscall_names.h"
#include "cmd/shared/wet_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Instances before the unseen write whose values may be numbers of system
   calls. */
#define NEAR 4096u

#define NO_INSTANCE (UnseenInstance){ DCFG_NONE, 0 }

/* UnseenInstance: an instance; .instr is DCFG_NONE if there is none. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
   }
   UnseenInstance;

/* UnseenCall: a system call during the time in which somebody else wrote, and the
   last instance of the program's own lines before it. */
typedef
   struct {
      UnseenInstance at, line;
      char*          name;      // "?": not known
   }
   UnseenCall;

/* UnseenStory: all that the trace tells of an unseen write. */
#define MOST_UNSEEN_CALLS 3
typedef
   struct {
      UnseenInstance since;     // told the bytes last
      UnseenInstance load;      // finds other ones
      char*          file;      // the file mapped there; NULL: none
      UnseenInstance alias;     // stored through another mapping of .file
      UnseenCall     calls[MOST_UNSEEN_CALLS];  // those that may write memory, or
                                // the last ones
      unsigned       n_calls;
      bool           writers;   // .calls may write memory
      uint64_t       n_more;    // system calls that are not among them
   }
   UnseenStory;

/* Mapped: a range of memory that is mapped from a file. */
typedef
   struct {
      uint64_t addr, size, offset;
      uint64_t time;            // when it was mapped
      char*    file;
   }
   Mapped;

/* Told: the last value of an instruction. */
typedef
   struct {
      uint64_t instance;        // + 1; 0: none
      uint64_t value;
   }
   Told;

/* Teller: the pass over the events. */
typedef
   struct {
      DcfgWet*               w;
      const DcfgSliceUnseen* u;
      UnseenStory*           to;
      Mapped*                maps;
      size_t                 n_maps, maps_room;
      Told*                  told;      // by instruction
      bool*                  own;       // by instruction: a line of the program
      bool*                  calls;     // by instruction: a system call
      UnseenInstance*        lines;     // by thread: the last one
      uint64_t               time;      // instructions so far
   }
   Teller;

/*--- Mappings                                             ---*/

static void add_mapped(Teller* z, uint64_t addr, uint64_t size,
                       uint64_t offset, uint64_t time, const char* file)
{
   if (size == 0)
      return;
   GROW(z->maps, z->n_maps, z->maps_room);
   z->maps[z->n_maps++] = (Mapped){ addr, size, offset, time,
                                    text_copy(file) };
}

/* Forget what is mapped in the SIZE bytes at ADDR. */
static void unmap(Teller* z, uint64_t addr, uint64_t size)
{
   size_t n = z->n_maps, kept = 0;

   for (size_t i = 0; i < n; i++) {
      Mapped   m = z->maps[i];
      uint64_t low = addr > m.addr ? addr : m.addr;
      uint64_t high = addr + size < m.addr + m.size ? addr + size
                      : m.addr + m.size;
      if (low >= high) {
         z->maps[kept++] = m;
         continue;
      }
      z->maps[i].file = NULL;
      add_mapped(z, m.addr, low - m.addr, m.offset, m.time, m.file);
      add_mapped(z, high, m.addr + m.size - high, m.offset + (high - m.addr),
                 m.time, m.file);
      free(m.file);
   }
   if (z->n_maps > n)
      memmove(z->maps + kept, z->maps + n,
              (z->n_maps - n) * sizeof(*z->maps));
   z->n_maps = kept + (z->n_maps - n);
}

static void take_mapping(Teller* z, const DcfgWetMapping* m)
{
   unmap(z, m->addr, m->size);
   if (m->there && (m->shared || m->from_file))
      add_mapped(z, m->addr, m->size, m->offset, z->time,
                 m->from_file && m->file != NULL && m->file[0] != 0 ? m->file
                 : m->shared ? "shared memory" : "a file without a name");
}

/* A MAPPED event of memory whose contents stay changes its protection alone. */
static void take_mapped(Teller* z, const DcfgWetEvent* e)
{
   if (e->mapping->is_new || !e->mapping->there)
      take_mapping(z, e->mapping);
}

/* Return whether FILE has code of the program: it is mapped privately. */
static bool has_code(DcfgWet* w, const char* file)
{
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const char* image = dcfg_wet_instr(w, i)->image_name;
      if (image != NULL && strcmp(image, file) == 0)
         return true;
   }
   return false;
}

/* Return the mapping that has the byte of the unseen write; NULL if it is of no
   file. */
static const Mapped* mapping_of(const Teller* z)
{
   for (size_t i = 0; i < z->n_maps; i++)
      if (z->u->addr - z->maps[i].addr < z->maps[i].size)
         return &z->maps[i];
   return NULL;
}

/* Return whether the SIZE bytes at ADDR are the unseen write's in another mapping
   of its file. */
static bool is_alias(const Teller* z, uint64_t addr, uint64_t size)
{
   const Mapped* of = mapping_of(z);
   uint64_t      at = of == NULL ? 0 : of->offset + (z->u->addr - of->addr);

   for (size_t i = 0; of != NULL && i < z->n_maps; i++) {
      const Mapped* m = &z->maps[i];
      uint64_t      here = m->addr + (at - m->offset);
      if (m != of && strcmp(m->file, of->file) == 0 && at - m->offset < m->size
          && addr < here + z->u->size && here < addr + size)
         return true;
   }
   return false;
}

/*--- System calls                                         ---*/

/* System calls that write into files, or into memory of which Valgrind is not
   told. */
static bool may_write(const char* name)
{
   static const char* const names[] = {
      "?", "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile",
      "sendfile64", "splice", "copy_file_range", "process_vm_writev", "ptrace",
      "io_uring_enter", "ftruncate", "truncate", "fallocate", "ioctl", "fcntl",
      "fcntl64", "prctl", "arch_prctl", "msgctl", "shmctl", "semctl",
      "process_vm_readv", "vmsplice", "madvise"
   };

   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
      if (strcmp(name, names[i]) == 0)
         return true;
   return false;
}

/* Return the number of the system call of E: its register's value, which its
   writer has told. */
static uint32_t number_of(const Teller* z, const DcfgWetEvent* e)
{
   uint8_t reg = processor_of(z->w)->call_number;

   for (uint32_t i = 0; i < e->n_ports; i++) {
      const DcfgWetDep* d = &e->deps[e->ports[i].first];
      if (e->ports[i].kind != DCFG_WET_GENERAL || e->ports[i].reg != reg
          || e->ports[i].n == 0)
         continue;
      return z->told[d->instr].instance == d->instance + 1
             ? (uint32_t)z->told[d->instr].value
             : constant_number(dcfg_wet_instr(z->w, d->instr));
   }
   return UINT32_MAX;
}

static void forget_call(UnseenStory* s, unsigned i)
{
   free(s->calls[i].name);
   memmove(s->calls + i, s->calls + i + 1,
           (s->n_calls - i - 1) * sizeof(*s->calls));
   s->n_calls--;
   s->n_more++;
}

/* Keep the last calls that may write memory; if none may, the last of all. */
static void take_call(Teller* z, const DcfgWetEvent* e)
{
   UnseenStory* s = z->to;
   char*        name = syscall_name(number_of(z, e),
                                    processor_of(z->w)->seccomp);
   bool         writes = may_write(name);

   if (writes && !s->writers)
      while (s->n_calls > 0)
         forget_call(s, 0);
   if (s->writers && !writes) {
      s->n_more++;
      free(name);
      return;
   }
   s->writers |= writes;
   if (s->n_calls == MOST_UNSEEN_CALLS)
      forget_call(s, 0);
   s->calls[s->n_calls++] = (UnseenCall){ { e->instr, e->instance },
                                          z->lines[e->thread], name };
}

/*--- The pass                                             ---*/

static void take_instr(Teller* z, const DcfgWetEvent* e)
{
   const DcfgWetInstr* in = dcfg_wet_instr(z->w, e->instr);
   UnseenInstance      here = { e->instr, e->instance };

   if (e->time + 1 == z->u->since)
      z->to->since = here;
   if (e->time == z->u->time)
      z->to->load = here;
   if (z->own[e->instr])
      z->lines[e->thread] = here;
   if (e->has_value) {
      Told* t = &z->told[e->instr];
      *t = (Told){ e->instance + 1, 0 };
      for (uint32_t i = 0; i < e->value_size && i < 8; i++)
         t->value |= (uint64_t)e->value[i] << 8 * i;
   }
   if (e->time >= z->u->time)
      return;
   for (uint32_t i = 0; i < in->n_accesses && i < e->n_accesses; i++)
      if (in->accesses[i].writes && e->accesses[i] != 0
          && is_alias(z, e->accesses[i], in->accesses[i].size))
         z->to->alias = here;
   if (is_syscall(in) && e->time + 1 >= z->u->since)
      take_call(z, e);
}

/* Go over the events up to the time of .u, and tell the mappings; with TELLS, also
   the instances from .since on. */
static bool pass(Teller* z, bool tells)
{
   const DcfgWetState* state = dcfg_wet_state(z->w);
   DcfgWetFilter       f = { .thread = DCFG_NONE, .to = z->u->time + 1 };
   DcfgWetEvent        e;
   DcfgError           err;
   DcfgWetEvents*      v = dcfg_wet_events_new(z->w, &err);

   if (tells)
      f.from = z->u->since > NEAR ? z->u->since - NEAR : 0;
   else
      f.instrs = z->calls;
   if (v == NULL || !dcfg_wet_select(v, &f, &err)) {
      dcfg_wet_events_free(v);
      return false;
   }
   for (uint32_t i = 0; i < state->n_mappings; i++)
      take_mapping(z, &state->mappings[i]);
   while (z->time <= z->u->time && dcfg_wet_next(v, &e, &err)) {
      if (e.kind == DCFG_WET_MAPPED)
         take_mapped(z, &e);
      if (e.kind != DCFG_WET_INSTR)
         continue;
      z->time = e.time + 1;
      if (tells)
         take_instr(z, &e);
   }
   dcfg_wet_events_free(v);
   return !tells || z->to->load.instr != DCFG_NONE;
}

static Teller* teller_new(DcfgWet* w, const DcfgSliceUnseen* u, UnseenStory* to)
{
   Teller*  z = zalloc(1, sizeof(*z));
   uint32_t n = dcfg_wet_instrs(w), n_threads = dcfg_wet_threads(w);

   *z = (Teller){ .w = w, .u = u, .to = to,
                  .told  = zalloc(n + (size_t)1, sizeof(*z->told)),
                  .own   = zalloc(n + (size_t)1, sizeof(bool)),
                  .calls = zalloc(n + (size_t)1, sizeof(bool)),
                  .lines = zalloc(n_threads + (size_t)1, sizeof(*z->lines)) };
   for (uint32_t t = 0; t < n_threads; t++)
      z->lines[t] = NO_INSTANCE;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      z->calls[i] = is_syscall(in);
      z->own[i] = in->line != 0 && !is_of_system(in->image_name);
   }
   return z;
}

static void teller_free(Teller* z)
{
   for (size_t i = 0; i < z->n_maps; i++)
      free(z->maps[i].file);
   free(z->maps);
   free(z->told);
   free(z->own);
   free(z->calls);
   free(z->lines);
   free(z);
}

/* Set *TO to the story of U, in the trace that FILE has; unseen_story_free() frees
   it.  Return false if the file cannot be read again. */
static bool unseen_story(const DcfgSliceUnseen* u, const char* file,
                         UnseenStory* to)
{
   DcfgError     err;
   DcfgWet*      w = dcfg_wet_open(file, NULL, &err);
   Teller*       z;
   const Mapped* m;
   bool          ok;

   *to = (UnseenStory){ .since = NO_INSTANCE, .load = NO_INSTANCE,
                        .alias = NO_INSTANCE };
   if (w == NULL)
      return false;
   z  = teller_new(w, u, to);
   ok = pass(z, true);
   m  = mapping_of(z);
   if (m != NULL && !has_code(w, m->file))
      to->file = text_copy(m->file);
   teller_free(z);
   dcfg_wet_close(w);
   return ok;
}

static void unseen_story_free(UnseenStory* s)
{
   for (unsigned i = 0; i < s->n_calls; i++)
      free(s->calls[i].name);
   free(s->file);
}

/*--- Which one                                            ---*/

/* Return the size of the first operand that instance N loads. */
static uint32_t loaded_size(const Sliced* f, const DcfgSliceNode* n)
{
   const DcfgWetInstr* in = dcfg_wet_instr(f->w, n->instr);

   for (uint32_t i = 0; i < in->n_accesses; i++)
      if (in->accesses[i].reads)
         return in->accesses[i].size;
   return 0;
}

/* Return the unseen write that instance USER of F's slice loads; NULL if it is not
   known which. */
static const DcfgSliceUnseen* unseen_of(const Sliced* f, uint32_t user)
{
   const DcfgSlice*       s = f->s;
   const DcfgSliceNode*   n = &s->nodes[user];
   const DcfgSliceUnseen* found = NULL;
   uint32_t               size = loaded_size(f, n);

   for (uint32_t i = 0; i < s->n_unseen; i++) {
      const DcfgSliceUnseen* u = &s->unseen[i];
      if (u->time <= n->order && u->addr < n->from + size
          && n->from < u->addr + u->size
          && (found == NULL || u->time > found->time))
         found = u;
   }
   return found;
}

/* Set *U to the time between the mapping of a data file and its load by instance
   USER, which nobody has written meanwhile.  Return false if it is none. */
static bool is_mapped_data(const Sliced* f, const char* file, uint32_t user,
                           DcfgSliceUnseen* u)
{
   const DcfgSliceNode* n = &f->s->nodes[user];
   DcfgError            err;
   DcfgWet*             w = dcfg_wet_open(file, NULL, &err);
   Teller*              z;
   const Mapped*        m;
   UnseenStory          none;
   bool                 is;

   *u = (DcfgSliceUnseen){ n->from, loaded_size(f, n), 0, n->order };
   if (w == NULL)
      return false;
   z  = teller_new(w, u, &none);
   is = u->addr != 0 && u->size > 0 && pass(z, false)
        && (m = mapping_of(z)) != NULL && !has_code(w, m->file);
   if (is)
      u->since = m->time;
   teller_free(z);
   dcfg_wet_close(w);
   return is;
}

UnseenKind why_unseen(const Sliced* f, const char* file, uint32_t user,
                      bool unseen, DcfgSliceUnseen* u)
{
   const DcfgSliceUnseen* of = unseen ? unseen_of(f, user) : NULL;

   if (of != NULL)
      *u = *of;
   return of != NULL ? UNSEEN_TOLD
          : unseen && initial_unseen(f->initial, f->s, user, u) ? UNSEEN_INITIAL
          : unseen ? UNSEEN_NO_PLACE
          : is_mapped_data(f, file, user, u) ? UNSEEN_MAPPED : UNSEEN_NOT;
}

/*--- Words                                                ---*/

static const char* place_of(const UnseenPlace* place, UnseenInstance i)
{
   return place->text(place->arg, i.instr, i.instance);
}

static void tell_call(const UnseenCall* c, const char* indent,
                      const UnseenPlace* place)
{
   printf("%sperhaps system call %s%s%s\n", indent,
          strcmp(c->name, "?") == 0 ? "with an unknown number" : c->name,
          c->line.instr == DCFG_NONE ? "" : ", after ",
          c->line.instr == DCFG_NONE ? "" : place_of(place, c->line));
}

/* Return whether the trace has nothing that may have written mapped memory. */
static bool is_quiet(const UnseenStory* s)
{
   return s->alias.instr == DCFG_NONE && !s->writers;
}

static void tell_story(const UnseenStory* s, const DcfgSliceUnseen* u,
                       UnseenKind kind, const char* indent,
                       const UnseenPlace* place)
{
   printf("%sbetween time %s: %s\n", indent, text_count(u->since),
          kind == UNSEEN_MAPPED || (kind == UNSEEN_INITIAL && u->since > 0)
          ? "its memory was mapped"
          : s->since.instr != DCFG_NONE ? place_of(place, s->since)
          : u->since == 0 ? "the begin of the trace"
          : "the kernel wrote it for a system call");
   printf("%sand time %s: %s\n", indent, text_count(u->time),
          place_of(place, s->load));
   if (s->file != NULL)
      printf("%sits memory is %s, which others may write\n", indent,
             text_clean(s->file));
   if (s->alias.instr != DCFG_NONE)
      printf("%sperhaps the program itself, through another mapping of it: %s\n",
             indent, place_of(place, s->alias));
   /* Calls that hardly write say something only where nothing else does. */
   if (s->alias.instr != DCFG_NONE && !s->writers)
      return;
   for (unsigned i = 0; i < s->n_calls; i++)
      tell_call(&s->calls[i], indent, place);
   if (s->n_more > 0)
      printf("%s%s more system call%s meanwhile\n", indent,
             text_count(s->n_more), s->n_more == 1 ? "" : "s");
   if (s->file == NULL && (!s->writers || kind == UNSEEN_INITIAL))
      printf("%sperhaps another process: with the same memory, or by "
             "process_vm_writev()\n", indent);
}

void why_tell_unseen(const char* file, UnseenKind kind,
                     const DcfgSliceUnseen* u, const char* indent,
                     const UnseenPlace* place)
{
   UnseenStory s;
   bool        told = kind != UNSEEN_NO_PLACE && unseen_story(u, file, &s);

   if (told && kind == UNSEEN_MAPPED && is_quiet(&s)) {
      printf("nothing that was executed wrote it: its memory is %s\n",
             s.file == NULL ? "?" : text_clean(s.file));
   } else {
      puts("somebody else wrote it");
      if (told)
         tell_story(&s, u, kind, indent, place);
   }
   if (kind != UNSEEN_NO_PLACE)
      unseen_story_free(&s);
}

static void json_member(const char* before, const char* key, const char* text)
{
   printf("%s\"%s\": ", before, key);
   print_json_string(text);
}

static void json_story(const UnseenStory* s, const UnseenPlace* place)
{
   json_member(", ", "loaded", place_of(place, s->load));
   if (s->since.instr != DCFG_NONE)
      json_member(", ", "told", place_of(place, s->since));
   if (s->file != NULL)
      json_member(", ", "file", s->file);
   if (s->alias.instr != DCFG_NONE)
      json_member(", ", "alias", place_of(place, s->alias));
   fputs(", \"calls\": [", stdout);
   for (unsigned i = 0; i < s->n_calls; i++) {
      json_member(i == 0 ? "{" : ", {", "name", s->calls[i].name);
      if (s->calls[i].line.instr != DCFG_NONE)
         json_member(", ", "after", place_of(place, s->calls[i].line));
      putchar('}');
   }
   putchar(']');
}

void why_json_unseen(const char* file, UnseenKind kind,
                     const DcfgSliceUnseen* u, const UnseenPlace* place)
{
   UnseenStory s;

   if (kind == UNSEEN_NO_PLACE)
      return;
   printf(", \"unseen\": {\"since\": %" PRIu64 ", \"time\": %" PRIu64,
          u->since, u->time);
   if (unseen_story(u, file, &s))
      json_story(&s, place);
   unseen_story_free(&s);
   putchar('}');
}
