/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: between which instances somebody else wrote memory, and what may
   have done it.  Handed: an unseen write by the slice, a cursor of the trace.

   The trace does not tell who wrote.  It tells what may have: the file that is
   mapped there, stores through another mapping of that file, and system calls
   meanwhile. */

#include "cmd/slice/why_unseen.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/table.h"
#include "cmd/machine/processor.h"
#include "cmd/program/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Instances before the unseen write among which the line before a system call is
   looked for. */
#define NEAR 4096u

#define NO_TIME UINT64_MAX

/* UnseenCall: a system call during the time in which somebody else wrote, and the
   last instance of the program's own lines before it. */
typedef
   struct {
      uint64_t time, line;      // times of the instances; NO_TIME: none
      char*    name;            // "?": not known
   }
   UnseenCall;

/* UnseenStory: all that the trace tells of an unseen write.  Instances are named by
   their times. */
#define MOST_UNSEEN_CALLS 3
typedef
   struct {
      DcfgWet*       w;
      DcfgCursor*    r;
      const DcfgSliceUnseen* u;
      const char*    file;      // the file mapped there; NULL: none
      uint64_t       alias;     // stored through another mapping of .file
      UnseenCall     calls[MOST_UNSEEN_CALLS];  // those that may write memory, or
                                // the last ones
      unsigned       n_calls;
      bool           writers;   // .calls may write memory
      uint64_t       n_more;    // system calls that are not among them
   }
   UnseenStory;

/*--- Mappings                                             ---*/

/* Return the name of the file, or the like, that M maps; NULL: none. */
static const char* mapped_file(const DcfgWetMapping* m)
{
   return !m->there || (!m->shared && !m->from_file) ? NULL
          : m->from_file && m->file != NULL && m->file[0] != 0 ? m->file
          : m->shared ? "shared memory" : "a file without a name";
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

/* Return the data file that is mapped at ADDR at time T, and in *SINCE from which
   time on; NULL: none. */
static const char* data_file(DcfgWet* w, DcfgCursor* r, uint64_t addr,
                             uint64_t t, uint64_t* since)
{
   const DcfgCursorMapping* x = dcfg_cursor_mapped(r, addr, t, NULL);
   const char*              file = x == NULL ? NULL : mapped_file(&x->mapping);

   if (file == NULL || has_code(w, file))
      return NULL;
   *since = x->time;
   return file;
}

/* Return whether a mapping of M's file has the byte of M at AT at ADDR, at time
   T. */
static bool is_alias(const UnseenStory* s, const DcfgWetMapping* m, uint64_t at,
                     uint64_t addr, uint64_t t)
{
   const DcfgCursorMapping* x = dcfg_cursor_mapped(s->r, addr, t, NULL);
   const char*              file = x == NULL ? NULL : mapped_file(&x->mapping);

   return file != NULL && strcmp(file, mapped_file(m)) == 0
          && x->mapping.offset + (addr - x->mapping.addr)
             == m->offset + (at - m->addr);
}

/* Return whether an instruction stores to the unseen write's SIZE bytes at ADDR at
   time T: an event there may be the kernel's, too. */
static bool stores_at(const UnseenStory* s, uint64_t addr, uint64_t t)
{
   const DcfgCursorInstr* in = dcfg_cursor_instr(s->r, t);

   for (uint32_t i = 0; in != NULL && i < in->n_accesses; i++)
      if ((in->accesses[i].kind & DCFG_CURSOR_STORE)
          && in->accesses[i].addr < addr + s->u->size
          && addr < in->accesses[i].addr + in->accesses[i].size)
         return true;
   return false;
}

/* Set .alias to the last store through another mapping of the file that M maps at
   the unseen write. */
static void find_alias(UnseenStory* s, const DcfgWetMapping* m)
{
   size_t                   n;
   const DcfgCursorMapping* all = dcfg_cursor_mappings(s->r, &n);

   for (size_t i = 0; i < n && all[i].time <= s->u->time; i++) {
      const DcfgWetMapping* x = &all[i].mapping;
      uint64_t at = m->offset + (s->u->addr - m->addr) - x->offset;
      uint64_t addr = x->addr + at, t = s->u->time;
      bool     found = addr == s->u->addr || at >= x->size;
      while (!found && dcfg_cursor_find_access(s->r, addr, s->u->size,
                                               DCFG_CURSOR_STORE, t, true, &t)
                       == DCFG_CURSOR_FOUND
             && t >= s->u->since && (s->alias == NO_TIME || t > s->alias)) {
         found = stores_at(s, addr, t)
                 && is_alias(s, m, s->u->addr, addr, t);
         if (found)
            s->alias = t;
      }
   }
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

   return IS_AMONG(name, names);
}

/* Return the number of the system call at time T of THREAD: its register's value,
   which its writer has told. */
static uint32_t number_at(const UnseenStory* s, uint32_t thread, uint64_t t)
{
   DcfgCursorWriter       by;
   const DcfgCursorInstr* in = NULL;
   uint64_t               value = 0;

   if (dcfg_cursor_writer(s->r, thread, t, DCFG_CURSOR_GENERAL,
                          processor_of(s->w)->call_number, 0xFF, &by)
          == DCFG_CURSOR_FOUND
       && by.by == DCFG_CURSOR_BY_INSTR)
      in = dcfg_cursor_instr(s->r, by.time);
   if (in == NULL)
      return UINT32_MAX;
   for (uint32_t i = 0; i < in->value_size && i < 8; i++)
      value |= (uint64_t)in->value[i] << 8 * i;
   return in->value_size > 0 ? (uint32_t)value
          : constant_number(dcfg_wet_instr(s->w, in->instr));
}

static void forget_first_call(UnseenStory* s)
{
   free(s->calls[0].name);
   s->n_calls--;
   memmove(s->calls, s->calls + 1, s->n_calls * sizeof(*s->calls));
   s->n_more++;
}

/* Keep the call at time T of THREAD: the last ones that may write memory; if none
   may, the last of all. */
static void take_call(UnseenStory* s, uint32_t thread, uint64_t t)
{
   char* name = syscall_name(number_at(s, thread, t),
                             processor_of(s->w)->seccomp);
   bool  writes = may_write(name);

   if (writes && !s->writers)
      while (s->n_calls > 0)
         forget_first_call(s);
   if (s->writers && !writes) {
      s->n_more++;
      free(name);
      return;
   }
   s->writers |= writes;
   if (s->n_calls == MOST_UNSEEN_CALLS)
      forget_first_call(s);
   s->calls[s->n_calls++] = (UnseenCall){ t, NO_TIME, name };
}

/* Return the set of the instructions that are system calls; of the program's own
   lines if OWN. */
static DcfgCursorSet* set_of(const UnseenStory* s, bool own)
{
   uint32_t       n = dcfg_wet_instrs(s->w), k = 0;
   uint32_t*      all = zalloc(n + (size_t)1, sizeof(*all));
   DcfgCursorSet* set;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(s->w, i);
      if (own ? in->line != 0 && !is_of_system(in->image_name)
              : in->transfer == DCFG_WET_SYSCALL)
         all[k++] = i;
   }
   set = dcfg_cursor_set_new(s->r, all, k);
   free(all);
   return set;
}

static void find_calls(UnseenStory* s)
{
   DcfgCursorSet*         calls = set_of(s, false);
   DcfgCursorSet*         own = set_of(s, true);
   const DcfgCursorInstr* in;
   uint64_t               first = s->u->since > NEAR ? s->u->since - NEAR : 0;
   uint64_t               t = s->u->since > 0 ? s->u->since - 1 : 0;

   for (; calls != NULL
          && dcfg_cursor_find_instr(s->r, calls, DCFG_NONE, t, false, &t)
             == DCFG_CURSOR_FOUND
          && t < s->u->time && (in = dcfg_cursor_instr(s->r, t)) != NULL; t++)
      take_call(s, in->thread, t);
   for (unsigned i = 0; i < s->n_calls; i++) {
      UnseenCall* c = &s->calls[i];
      in = dcfg_cursor_instr(s->r, c->time);
      if (own != NULL && in != NULL
          && dcfg_cursor_find_instr(s->r, own, in->thread, c->time, true, &t)
             == DCFG_CURSOR_FOUND
          && t >= first)
         c->line = t;
   }
   dcfg_cursor_set_free(s->r, calls);
   dcfg_cursor_set_free(s->r, own);
}

/* Set *TO to the story of U in F's trace; unseen_story_free() frees it.  Return
   false if the trace cannot be read. */
static bool unseen_story(const Sliced* f, const DcfgSliceUnseen* u,
                         UnseenStory* to)
{
   const DcfgCursorMapping* x;
   DcfgError                err;
   uint64_t                 since;

   *to = (UnseenStory){ .w = f->w, .r = initial_cursor(f->initial), .u = u,
                        .alias = NO_TIME };
   if (to->r == NULL)
      return false;
   to->file = data_file(to->w, to->r, u->addr, u->time, &since);
   x        = dcfg_cursor_mapped(to->r, u->addr, u->time, NULL);
   if (x != NULL && mapped_file(&x->mapping) != NULL)
      find_alias(to, &x->mapping);
   find_calls(to);
   dcfg_cursor_error(to->r, &err);
   return err.status == DCFG_OK;
}

static void unseen_story_free(UnseenStory* s)
{
   for (unsigned i = 0; i < s->n_calls; i++)
      free(s->calls[i].name);
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
   const bool             asked = slice_asks_place(f, user);
   const uint64_t         from = asked ? slice_asked_address(f) : n->from;
   const uint64_t         size = asked ? f->q.size : loaded_size(f, n);

   for (uint32_t i = 0; i < s->n_unseen; i++) {
      const DcfgSliceUnseen* u = &s->unseen[i];
      if (u->time <= n->order && u->addr < from + size
          && from < u->addr + u->size
          && (found == NULL || u->time > found->time))
         found = u;
   }
   return found;
}

/* Set *U to the time between the mapping of a data file and its load by instance
   USER, which nobody has written meanwhile.  Return false if it is none. */
static bool is_mapped_data(const Sliced* f, uint32_t user, DcfgSliceUnseen* u)
{
   const DcfgSliceNode* n = &f->s->nodes[user];
   DcfgCursor*          r = initial_cursor(f->initial);

   *u = (DcfgSliceUnseen){ n->from, loaded_size(f, n), 0, n->order };
   return r != NULL && u->addr != 0 && u->size > 0 && !slice_asks_place(f, user)
          && data_file(f->w, r, u->addr, u->time, &u->since) != NULL;
}

UnseenKind why_unseen(const Sliced* f, uint32_t user, bool unseen,
                      DcfgSliceUnseen* u)
{
   const DcfgSliceUnseen* of = unseen ? unseen_of(f, user) : NULL;

   if (of != NULL)
      *u = *of;
   return of != NULL ? UNSEEN_TOLD
          : unseen && initial_unseen(f->initial, f->s, user, u) ? UNSEEN_INITIAL
          : unseen ? UNSEEN_NO_PLACE
          : is_mapped_data(f, user, u) ? UNSEEN_MAPPED : UNSEEN_NOT;
}

/*--- Words                                                ---*/

/* Return the words for the instance at time T. */
static const char* place_of(const UnseenStory* s, const UnseenPlace* place,
                            uint64_t t)
{
   const DcfgCursorInstr* in = dcfg_cursor_instr(s->r, t);
   uint32_t               instr = in == NULL ? 0 : in->instr;
   uint64_t               instance = 0;

   return in == NULL || !dcfg_cursor_number(s->r, t, &instance) ? "?"
          : place->text(place->arg, instr, instance);
}

static void tell_call(const UnseenStory* s, const UnseenCall* c,
                      const char* indent, const UnseenPlace* place)
{
   printf("%sperhaps system call %s%s%s\n", indent,
          strcmp(c->name, "?") == 0 ? "with an unknown number" : c->name,
          c->line == NO_TIME ? "" : ", after ",
          c->line == NO_TIME ? "" : place_of(s, place, c->line));
}

/* Return whether the trace has nothing that may have written mapped memory. */
static bool is_quiet(const UnseenStory* s)
{
   return s->alias == NO_TIME && !s->writers;
}

static void tell_story(const UnseenStory* s, UnseenKind kind,
                       const char* indent, const UnseenPlace* place)
{
   const DcfgSliceUnseen* u = s->u;

   printf("%sbetween time %s: %s\n", indent, text_count(u->since),
          kind == UNSEEN_MAPPED || (kind == UNSEEN_INITIAL && u->since > 0)
          ? "its memory was mapped"
          : u->since == 0 ? "the begin of the trace"
          : place_of(s, place, u->since - 1));
   printf("%sand time %s: %s\n", indent, text_count(u->time),
          place_of(s, place, u->time));
   if (s->file != NULL)
      printf("%sits memory is %s, which others may write\n", indent,
             text_clean(s->file));
   if (s->alias != NO_TIME)
      printf("%sperhaps the program itself, through another mapping of it: %s\n",
             indent, place_of(s, place, s->alias));
   /* Calls that hardly write say something only where nothing else does. */
   if (s->alias != NO_TIME && !s->writers)
      return;
   for (unsigned i = 0; i < s->n_calls; i++)
      tell_call(s, &s->calls[i], indent, place);
   if (s->n_more > 0)
      printf("%s%s more system call%s meanwhile\n", indent,
             text_count(s->n_more), s->n_more == 1 ? "" : "s");
   if (s->file == NULL && (!s->writers || kind == UNSEEN_INITIAL))
      printf("%sperhaps another process: with the same memory, or by "
             "process_vm_writev()\n", indent);
}

void why_tell_unseen(const Sliced* f, UnseenKind kind,
                     const DcfgSliceUnseen* u, const char* indent,
                     const UnseenPlace* place)
{
   UnseenStory s;
   bool        told = kind != UNSEEN_NO_PLACE && unseen_story(f, u, &s);

   if (told && kind == UNSEEN_MAPPED && is_quiet(&s)) {
      printf("nothing that was executed wrote it: its memory is %s\n",
             s.file == NULL ? "?" : text_clean(s.file));
   } else {
      puts("somebody else wrote it");
      if (told)
         tell_story(&s, kind, indent, place);
   }
   if (kind != UNSEEN_NO_PLACE)
      unseen_story_free(&s);
}

static void json_story(const UnseenStory* s, const UnseenPlace* place)
{
   put_json_member(", ", "loaded", place_of(s, place, s->u->time), stdout);
   if (s->u->since > 0)
      put_json_member(", ", "told", place_of(s, place, s->u->since - 1), stdout);
   if (s->file != NULL)
      put_json_member(", ", "file", s->file, stdout);
   if (s->alias != NO_TIME)
      put_json_member(", ", "alias", place_of(s, place, s->alias), stdout);
   fputs(", \"calls\": [", stdout);
   for (unsigned i = 0; i < s->n_calls; i++) {
      put_json_member(i == 0 ? "{" : ", {", "name", s->calls[i].name, stdout);
      if (s->calls[i].line != NO_TIME)
         put_json_member(", ", "after", place_of(s, place, s->calls[i].line), stdout);
      putchar('}');
   }
   putchar(']');
}

void why_json_unseen(const Sliced* f, UnseenKind kind,
                     const DcfgSliceUnseen* u, const UnseenPlace* place)
{
   UnseenStory s;

   if (kind == UNSEEN_NO_PLACE)
      return;
   printf(", \"unseen\": {\"since\": %" PRIu64 ", \"time\": %" PRIu64,
          u->since, u->time);
   if (unseen_story(f, u, &s))
      json_story(&s, place);
   unseen_story_free(&s);
   putchar('}');
}
