/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The files that a subcommand reads. */

/* Owns: the choice of files, and messages if they cannot be read.  Handed:
   operands of the command line. */

#include "cmd/base/operands.h"

#include "cmd/base/format.h"
#include "cmd/base/progress.h"
#include "cmd/base/sums.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

DcfgOptions read_options(void (*problem)(void* arg, const DcfgProblem* p),
                         void* arg)
{
   DcfgOptions options = { max_memory, problem, arg, max_disk, progress_show,
                           NULL };

   return options;
}

/* --- The newest file                                      --- */

/* The tool's default names of files, up to the process id. */
static const struct {
   const char* prefix;
   FileKind    kind;
} names[] = {
   { "dcfg.out.", KIND_GRAPH },
   { "dcfg-trace.out.", KIND_TRACE },
   { "xray-log.", KIND_XRAY },
   { "wet.out.", KIND_WET },
   { "callgrind.out.", KIND_PROFILE },
   { "uftrace.data", KIND_UFTRACE }
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

static const char* prefix_of(FileKind kind)
{
   size_t i = 0;

   while (names[i].kind != kind)
      i++;
   return names[i].prefix;
}

FileKind default_kind(const char* name, const char** key, size_t* length)
{
   for (size_t i = 0; i < N_NAMES; i++) {
      size_t n = strlen(names[i].prefix);
      if (strncmp(name, names[i].prefix, n) != 0)
         continue;
      *key    = name + n;
      *length = strspn(name + n, "0123456789.-");
      while (*length > 0 && name[n + *length - 1] == '.')
         --*length;
      return names[i].kind;
   }
   *key    = "";
   *length = 0;
   return KIND_OTHER;
}

bool is_temporary(const char* name)
{
   return strstr(name, ".tmp-") != NULL;
}

/* Order by age, the newest first, then by name. */
static int by_age(const void* a, const void* b)
{
   const FoundFile* x = a;
   const FoundFile* y = b;

   if (x->time.tv_sec != y->time.tv_sec)
      return x->time.tv_sec > y->time.tv_sec ? -1 : 1;
   if (x->time.tv_nsec != y->time.tv_nsec)
      return x->time.tv_nsec > y->time.tv_nsec ? -1 : 1;
   return -strcmp(x->name, y->name);
}

FoundFiles list_files(const char* folder, const char* prefix)
{
   FoundFiles              l = { 0 };
   DIR*                 dir = opendir(folder);
   const struct dirent* entry;

   while (dir != NULL && (entry = readdir(dir)) != NULL) {
      struct stat st;
      if (entry->d_name[0] == '.'
          || strncmp(entry->d_name, prefix, strlen(prefix)) != 0
          || fstatat(dirfd(dir), entry->d_name, &st, 0) != 0
          || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
         continue;
      GROW(l.files, l.n, l.room);
      l.files[l.n++] = (FoundFile){ text_copy(entry->d_name), st.st_mtim,
                                    (uint64_t)st.st_size };
   }
   if (dir != NULL)
      closedir(dir);
   if (l.n > 0)
      qsort(l.files, l.n, sizeof(*l.files), by_age);
   return l;
}

void free_found(FoundFiles* l)
{
   for (size_t i = 0; i < l->n; i++)
      free(l->files[i].name);
   free(l->files);
}

static bool has_key(const char* name, const char* key)
{
   const char* own;
   size_t      n;

   default_kind(name, &own, &n);
   return n == strlen(key) && strncmp(own, key, n) == 0;
}

/* Return the newest file of KIND in FOLDER, which is "" or ends with a slash,
   whose name begins with PREFIX and has KEY, if that is not NULL; NULL if there
   is none. */
static char* newest_in(const char* folder, const char* prefix, const char* key,
                       FileKind kind)
{
   FoundFiles l = list_files(folder[0] == 0 ? "." : folder, prefix);
   char*      found = NULL;

   for (size_t i = 0; found == NULL && i < l.n; i++) {
      const char* name = l.files[i].name;
      const char* path = text_format("%s%s", folder, name);
      if ((key == NULL || has_key(name, key)) && !is_temporary(name)
          && file_kind(path) == kind)
         found = text_copy(path);
   }
   free_found(&l);
   return found;
}

/* Return the key of GRAPH, by the file's name, or else the process id in its
   head; "" if it cannot be read. */
static const char* key_of(const char* graph)
{
   const char* key;
   size_t      n;
   Dcfg*       d;

   if (default_kind(text_base(graph), &key, &n) == KIND_GRAPH && n > 0)
      return text_format("%.*s", (int)n, key);
   d = strcmp(graph, "-") == 0 ? NULL : dcfg_load_head(graph, NULL, NULL);
   key = d == NULL || d->n_processes == 0 ? ""
         : text_format("%" PRIu64, dcfg_process(d, 0)->id);
   dcfg_free(d);
   return key;
}

char* file_beside(const char* graph, FileKind kind)
{
   const char* key = key_of(graph);
   int         n = (int)(text_base(graph) - graph);

   return key[0] == 0 ? NULL
          : newest_in(text_format("%.*s", n, graph),
                      text_format("%s%s", prefix_of(kind), key), key, kind);
}

/* Return the trace of the process that wrote GRAPH. */
static char* trace_of(const Command* c, const char* graph)
{
   char* trace = file_beside(graph, KIND_TRACE);

   if (trace == NULL)
      die("there is no trace %s%s.* of the newest DCFG here, %s: record it with "
          "--trace=yes; usage: dcfg %s %s", prefix_of(KIND_TRACE),
          key_of(graph), graph, c->name, c->args);
   return trace;
}

void default_files(const Command* c, const char** files, bool trace)
{
   static char* found[2];       // valid until the command ends

   for (int i = 0; i < 2; i++) {
      free(found[i]);
      found[i] = NULL;
   }
   files[0] = found[0] = newest_in("", "", NULL, KIND_GRAPH);
   if (files[0] == NULL)
      die("name a file, for there is no DCFG in this directory; usage: dcfg %s "
          "%s", c->name, c->args);
   if (trace)
      files[1] = found[1] = trace_of(c, files[0]);
   complain("reading %s%s%s, the newest in this directory", files[0],
            trace ? " and " : "", trace ? files[1] : "");
}

const char* default_file(const Command* c, FileKind kind)
{
   static char* found;          // valid until the command ends

   free(found);
   found = newest_in("", "", NULL, kind);
   if (found == NULL)
      die("name a file, for nothing in this directory is %s; usage: dcfg %s "
          "%s", kind_needed(kind), c->name, c->args);
   complain("reading %s, the newest in this directory", found);
   return found;
}

_Noreturn void one_is_missing(const Command* c, const char* file)
{
   FileKind kind = file_kind(file);

   if (kind != KIND_OTHER && kind != KIND_GRAPH && kind != KIND_TRACE)
      die("%s", wrong_kind(file, kind, KIND_GRAPH));
   if (kind == KIND_OTHER)
      dcfg_free(load_dcfg(file));       // says what is wrong with the file
   die(kind == KIND_TRACE
       ? "the DCFG-trace %s needs the DCFG of the same run beside it; usage: "
         "dcfg %s %s"
       : "the DCFG %s needs its DCFG-trace beside it, which --trace=yes "
         "writes; usage: dcfg %s %s", file, c->name, c->args);
}

/*--- Loading                                              ---*/

/* Return the kind of the file of an error, if that may be the reason. */
static FileKind kind_of_error(const DcfgError* err, FileKind needed)
{
   FileKind kind = KIND_OTHER;

   if (needed == KIND_OTHER)
      return KIND_OTHER;
   if (err->status == DCFG_ERROR_KIND || err->status == DCFG_ERROR_FORMAT
       || err->status == DCFG_ERROR_JSON || err->status == DCFG_ERROR_FILE)
      kind = file_kind(err->file);
   if (kind == KIND_OTHER && err->status == DCFG_ERROR_KIND)
      kind = needed == KIND_GRAPH ? KIND_TRACE : KIND_GRAPH;
   return kind;
}

const char* unreadable(const DcfgError* err, FileKind needed)
{
   char     text[DCFG_ERROR_TEXT_SIZE];
   FileKind kind = kind_of_error(err, needed);

   if (kind != KIND_OTHER && kind != needed)
      return wrong_kind(err->file, kind, needed);
   dcfg_error_text(err, text);
   if (err->status == DCFG_ERROR_LIMIT && max_memory == 0
       && strstr(err->reason, "bytes of memory") != NULL)
      return text_format("%s; --memory=MIB allows more", text);
   if (err->status == DCFG_ERROR_LIMIT
       && strstr(err->reason, "bytes of disk") != NULL)
      return text_format("%s; --disk=MIB allows more", text);
   return text_format("%s", text);
}

_Noreturn void refuse_other_run(const char* path, uint64_t process, bool thread)
{
   die("%s has nothing of process %" PRIu64 "%s: is it the trace of the "
       "same run?", path, process, thread ? " and this thread" : "");
}

void refuse_other_kind(const char* path, FileKind needed)
{
   FileKind kind = file_kind(path);

   if (kind != KIND_OTHER && kind != needed)
      die("%s", wrong_kind(path, kind, needed));
}

/* Return whether a sum of P's counts does not fit 64 bits. */
static bool is_full(const DcfgProcess* p)
{
   uint64_t sum = 0;
   bool     full = false;

   for (uint32_t i = 0; i < p->n_edges; i++)
      full = full || p->edges[i].count == UINT64_MAX;
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint64_t instrs = dcfg_node_instrs(p, i, DCFG_ALL_THREADS);
      full = !add_count(&sum, instrs) || instrs == UINT64_MAX || full;
   }
   sum = 0;
   for (uint32_t i = 0; i < p->n_threads; i++)
      full = !add_count(&sum, dcfg_process_instrs(p, i)) || full;
   return full;
}

void warn_of_full(const char* path, const Dcfg* d)
{
   for (uint32_t i = 0; i < d->n_processes; i++)
      if (is_full(dcfg_process(d, i)))
         complain("%s: the counts of process %" PRIu64 " add up to more than "
                  "18,446,744,073,709,551,615 (2^64 - 1): sums stay there",
                  text_clean(path), dcfg_process(d, i)->id);
}

Dcfg* load_dcfg(const char* path)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   Dcfg*       d = dcfg_load(path, &options, &err);

   if (d == NULL)
      die("%s", unreadable(&err, KIND_GRAPH));
   warn_of_full(path, d);
   return d;
}

bool is_part_of_run(const char* path)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   Dcfg*       d = dcfg_load(path, &options, &err);
   bool        part = d != NULL && d->n_processes > 0
                      && dcfg_process(d, 0)->part != NULL;

   dcfg_free(d);
   return part;
}

DcfgWet* load_wet(const char* path)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgWet*    w = dcfg_wet_open(path, &options, &err);

   if (w == NULL)
      die("%s", unreadable(&err, KIND_WET));
   return w;
}

DcfgWetEvents* load_events(DcfgWet* w, const DcfgWetFilter* f)
{
   DcfgError      err;
   DcfgWetEvents* v = dcfg_wet_events_new(w, &err);

   if (v == NULL || (f != NULL && !dcfg_wet_select(v, f, &err)))
      die("%s", unreadable(&err, KIND_WET));
   return v;
}

uint32_t need_thread(const Dcfg* d, uint64_t thread)
{
   uint32_t most = 0;

   if (thread == UINT64_MAX)
      return DCFG_ALL_THREADS;
   for (uint32_t i = 0; i < d->n_processes; i++)
      if (dcfg_process(d, i)->n_threads > most)
         most = dcfg_process(d, i)->n_threads;
   if (thread >= most)
      die("there is no thread %" PRIu64 ": the file has %" PRIu32
          ", counted from 0", thread, most);
   return (uint32_t)thread;
}
