/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg list. */

/* Owns: the subcommand list: which files of a directory are recordings, of
   which runs, and what lies beside a graph.  Handed: a command line.

   A file is a recording if its contents or its name say so: a file with one of
   the tool's names that nothing can read is shown, with the reason.  Of a
   graph, the head is read, which tells its run; and the last byte, which is
   missing if the file was cut off.  Files with the numbers of a graph in their
   names belong to it, and its head tells of their run. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/table.h"

#include "format/wet_sections.h"

#include <errno.h>
#include <sys/stat.h>

/* Recording: a row. */
typedef
   struct {
      const FoundFile* file;
      FileKind         kind;
      char*            problem;         // why it cannot be read; or NULL
      uint64_t         process;         // 0: not known
      char*            key;             // see default_kind(); "": not known
      uint64_t         instrs;          // a graph's
      uint64_t         n_runs;
      DcfgRun          run;             // .start is NULL: not recorded
      bool             window;          // is it a window of a recording?
      size_t           graph;           // index of the graph that it lies
                                        // beside; or ALONE
   }
   Recording;

#define ALONE SIZE_MAX

typedef
   struct {
      const char* folder;               // "", or ends with a slash
      Recording*  all;
      size_t      n, room;
      size_t*     by_key;               // the recordings, by key
   }
   List;

static const char* const kind_names[] = {
   [KIND_GRAPH] = "graph", [KIND_TRACE] = "trace", [KIND_TURNS] = "turns",
   [KIND_XRAY] = "log", [KIND_MAP] = "map", [KIND_WET] = "wet",
   [KIND_REC] = "rec", [KIND_PACK] = "pack",
   [KIND_PROFILE] = "profile", [KIND_UFTRACE] = "uftrace"
};

static const char* kind_name(FileKind kind)
{
   return kind < sizeof(kind_names) / sizeof(kind_names[0])
          && kind_names[kind] != NULL ? kind_names[kind] : "unknown";
}

static const char* path_of(const List* l, const Recording* r)
{
   return text_format("%s%s", l->folder, r->file->name);
}

/*--- Reading heads                                        ---*/

/* Return why a file is not whole, by its last bytes; NULL if it is, or is
   compressed. */
static const char* cut_off(const char* path, FileKind kind, uint64_t size)
{
   unsigned char tail[WET_SECTION_HEAD] = { 0 }, first = 0;
   FILE*         f = fopen(path, "r");
   bool          whole = true;

   if (f == NULL)
      return strerror(errno);
   if (fread(&first, 1, 1, f) == 1 && size > sizeof(tail)
       && fseeko(f, -(off_t)sizeof(tail), SEEK_END) == 0
       && fread(tail, 1, sizeof(tail), f) == sizeof(tail)) {
      if (kind == KIND_WET && first == 0x89)
         whole = tail[0] == SectionEnd && tail[8] == 0;
      if (kind == KIND_GRAPH || kind == KIND_TRACE)
         whole = first != '{' || memchr(tail, '}', sizeof(tail)) != NULL;
   }
   fclose(f);
   return whole ? NULL : "it is cut off";
}

/* Return a copy of RUN, which free_list() frees. */
static DcfgRun copy_of(const DcfgRun* run)
{
   return (DcfgRun){ run->process, run->parent, text_copy(run->command_line),
                     text_copy(run->working_dir), text_copy(run->start),
                     text_copy(run->tool_version), text_copy(run->processor),
                     NULL, NULL };
}

/* Read what the head of the graph at PATH says. */
static void read_graph(Recording* r, const char* path)
{
   DcfgError          err;
   Dcfg*              d = dcfg_load_head(path, plain_options(), &err);
   const DcfgProcess* p = d == NULL ? NULL : dcfg_process(d, 0);

   if (d == NULL)
      r->problem = text_copy(err.reason);
   else if (p == NULL)
      r->problem = text_copy("there is no process in it");
   if (p != NULL) {
      r->process = p->n_runs == 1 ? p->id : 0;
      r->instrs = p->instr_count;
      r->n_runs = p->n_runs;
   }
   if (p != NULL && p->n_recorded > 0)
      r->run = copy_of(&p->runs[0]);
   dcfg_free(d);
}

/* Read what the recording for replays at PATH says. */
static void read_rec(Recording* r, const char* path)
{
   DcfgError   err;
   DcfgRec*    rec = dcfg_rec_load(path, plain_options(), &err);

   if (rec == NULL) {
      r->problem = text_copy(err.reason);
      return;
   }
   r->process = rec->run.process;
   r->run = copy_of(&rec->run);
   if (rec->end == DCFG_REC_KILLED)
      r->problem = text_copy("the process was killed: the last part is missing");
   dcfg_rec_free(rec);
}

/* Return whether NAME is a directory of runs that wait for a file. */
static bool is_runs(const char* name)
{
   size_t n = strlen(name);

   return n > 5 && strcmp(name + n - 5, ".runs") == 0;
}

/* Add F, if it is a recording. */
static void add_file(List* l, const FoundFile* f)
{
   const char* key;
   size_t      n;
   FileKind    named = default_kind(f->name, &key, &n);
   Recording   r = { .file = f, .graph = ALONE, .n_runs = 1,
                     .window = is_window(l->folder, f->name) };
   const char* path = path_of(l, &r);
   const char* problem = NULL;

   r.kind = file_kind(path);
   if (kind_names[r.kind < sizeof(kind_names) / sizeof(kind_names[0])
                  ? r.kind : KIND_OTHER] == NULL) {
      if (named == KIND_OTHER || strstr(f->name, ".idx") != NULL
          || is_runs(f->name))
         return;
      problem = r.kind == KIND_EMPTY ? "it is empty"
                : is_temporary(f->name) ? "it is not finished"
                : "nothing can be read in it";
      r.kind = named;
   } else if (is_temporary(f->name)) {
      problem = "it is not finished";
   } else {
      problem = cut_off(path, r.kind, f->size);
   }
   if (problem != NULL)
      r.problem = text_copy(problem);
   if (n > 0 && !r.window)
      r.process = strtoull(key, NULL, 10);
   if (r.kind == KIND_GRAPH && r.problem == NULL)
      read_graph(&r, path);
   if (r.kind == KIND_REC && r.problem == NULL)
      read_rec(&r, path);
   r.key = text_copy(r.window ? "" : n > 0 ? text_format("%.*s", (int)n, key)
                     : r.process > 0 ? text_format("%" PRIu64, r.process) : "");
   GROW(l->all, l->n, l->room);
   l->all[l->n++] = r;
   text_forget();
}

/*--- What belongs together                                ---*/

static const Recording* sorting;        // for by_key()

static int by_key(const void* a, const void* b)
{
   size_t           x = *(const size_t*)a, y = *(const size_t*)b;
   const Recording* r = &sorting[x];
   const Recording* s = &sorting[y];

   return strcmp(r->key, s->key)
          ?: ORDER(r->kind != KIND_GRAPH, s->kind != KIND_GRAPH)
          ?: ORDER(r->kind, s->kind) ?: ORDER(x, y);
}

/* Give each file the graph of its key: of several, the newest. */
static void find_graphs(List* l)
{
   size_t graph = ALONE;

   l->by_key = zalloc(l->n, sizeof(*l->by_key));
   for (size_t i = 0; i < l->n; i++)
      l->by_key[i] = i;
   sorting = l->all;
   SORT(l->by_key, l->n, by_key);
   for (size_t i = 0; i < l->n; i++) {
      size_t     k = l->by_key[i];
      Recording* r = &l->all[k];
      if (r->key[0] == 0)
         continue;
      if (graph == ALONE || strcmp(l->all[graph].key, r->key) != 0)
         graph = r->kind == KIND_GRAPH ? k : ALONE;
      if (graph == ALONE || r->kind == KIND_GRAPH)
         continue;
      r->graph = graph;
      if (r->kind != KIND_REC)
         r->run = l->all[graph].run;
   }
}

static bool has_index(const List* l, const Recording* r)
{
   struct stat st;

   return r->kind == KIND_WET
          && stat(text_format("%s.idx", path_of(l, r)), &st) == 0;
}

/* Return "window" if a recording for replays has windows, "" if it has none. */
static const char* windows(const List* l, const Recording* rec)
{
   size_t n = strlen(rec->file->name);

   for (size_t i = 0; i < l->n; i++)
      if (l->all[i].window
          && strncmp(l->all[i].file->name, rec->file->name, n) == 0
          && l->all[i].file->name[n] == '.')
         return "window";
   return "";
}

/* Return the kinds of the files beside recording I, which is a graph, for
   example "trace, wet, index"; of another file, its index or windows. */
static const char* beside(const List* l, size_t i)
{
   const char* text = "";
   size_t      at = 0;

   if (l->all[i].kind == KIND_REC)
      return windows(l, &l->all[i]);
   if (l->all[i].kind != KIND_GRAPH || l->all[i].key[0] == 0)
      return has_index(l, &l->all[i]) ? "index" : "";
   BISECT(at, l->n, middle,
          strcmp(l->all[l->by_key[middle]].key, l->all[i].key) < 0);
   for (; at < l->n; at++) {
      const Recording* r = &l->all[l->by_key[at]];
      if (strcmp(r->key, l->all[i].key) != 0)
         break;
      if (r->graph != i)
         continue;
      text = text_format("%s%s%s%s", text, text[0] == 0 ? "" : ", ",
                         kind_name(r->kind), has_index(l, r) ? ", index" : "");
   }
   return text;
}

/*--- Output                                               ---*/

static const char* written(const Recording* r)
{
   char      text[32];
   struct tm tm;

   gmtime_r(&r->file->time.tv_sec, &tm);
   strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
   return text_format("%s", text);
}

static const char* command_of(const Recording* r)
{
   return r->run.start == NULL ? "" : text_clean(r->run.command_line);
}

/* Print the recordings for programs: a row for each file. */
static void print_table(const List* l, Form form)
{
   static const char* const texts[] = {
      "file", "kind", "command", "start", "written"
   };
   static const char* const counts[] = {
      "process_id", "parent_id", "runs", "instructions", "bytes"
   };
   Table* t = tab_new("recordings");

   for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
      tab_column(t, COL_TEXT, texts[i], texts[i], 0);
   for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
      tab_column(t, COL_COUNT, counts[i], counts[i], 0);
   tab_column(t, COL_TEXT, "beside", "beside", 0);
   tab_column(t, COL_TEXT, "problem", "problem", 0);
   for (size_t i = 0; i < l->n; i++) {
      const Recording* r = &l->all[i];
      bool             told = r->run.start != NULL;
      bool             graph = r->kind == KIND_GRAPH && r->problem == NULL;
      put_text(t, path_of(l, r));
      put_text(t, kind_name(r->kind));
      put_text(t, command_of(r));
      put_text(t, told ? text_clean(r->run.start) : "");
      put_text(t, written(r));
      r->process != 0 ? put_count(t, r->process) : put_nothing(t);
      told ? put_count(t, r->run.parent) : put_nothing(t);
      graph ? put_count(t, r->n_runs) : put_nothing(t);
      graph ? put_count(t, r->instrs) : put_nothing(t);
      put_count(t, r->file->size);
      put_text(t, beside(l, i));
      put_text(t, r->problem == NULL ? "" : r->problem);
   }
   tab_print(t, form, 0);
   tab_free(t);
}

/* Return which process wrote R, for people. */
static const char* process_text(const Recording* r)
{
   if (r->n_runs != 1)
      return text_format("sum of %s runs", text_count(r->n_runs));
   if (r->process == 0)
      return "";
   return r->run.start == NULL || r->run.parent == 0
          ? text_format("process %" PRIu64, r->process)
          : text_format("process %" PRIu64 " of %" PRIu64, r->process,
                        r->run.parent);
}

/* Print R, recording I, and below it what it is of. */
static void print_recording(const List* l, size_t i, bool wide)
{
   const Recording* r = &l->all[i];
   const char*      when = r->run.start != NULL ? text_clean(r->run.start)
                           : written(r);
   const char*      files = beside(l, i);
   const char*      what = kind_name(r->kind);

   printf("%-28s %.10s %.8s  %s\n", text_clean(path_of(l, r)), when,
          strlen(when) > 11 ? when + 11 : "", process_text(r));
   if (r->problem != NULL)
      what = text_format("%s, broken: %s", what, text_clean(r->problem));
   else if (r->kind == KIND_GRAPH)
      what = text_format("%s, %s instructions", what, text_count(r->instrs));
   if (files[0] != 0)
      what = text_format("%s; beside it: %s", what, files);
   printf("   %s\n", what);
   if (command_of(r)[0] != 0)
      printf("   %s\n", wide ? command_of(r) : text_fit(command_of(r), 77));
   text_forget();
}

/* Print the recordings for people: those beside a graph are in its lines. */
static void print_list(const List* l, uint64_t top, bool wide)
{
   size_t shown = 0, n = 0;

   for (size_t i = 0; i < l->n; i++) {
      const Recording* r = &l->all[i];
      if ((r->graph != ALONE || r->window) && r->problem == NULL)
         continue;
      if (top != 0 && n++ >= top)
         continue;
      print_recording(l, i, wide);
      shown++;
   }
   if (l->n == 0)
      puts("no recordings");
   else if (n > shown)
      printf("... and %s more: --top=0 shows all\n", text_count(n - shown));
}

/*--- The command line                                     ---*/

/* Return the files of DIR, newest first; runs that wait in a directory beside
   their file are in it now. */
static FoundFiles files_of(const List* l, const char* dir)
{
   FoundFiles files = list_files(dir, "");
   bool       any = false;

   for (size_t i = 0; i < files.n; i++) {
      char* graph = text_copy(path_of(l, &(Recording){
                                            .file = &files.files[i] }));
      if (is_runs(graph)) {
         graph[strlen(graph) - strlen(".runs")] = 0;
         any = runs_wait(graph) || any;
         take_waiting_runs(graph);
      }
      free(graph);
   }
   if (!any)
      return files;
   free_found(&files);
   return list_files(dir, "");
}

static void free_list(List* l)
{
   for (size_t i = 0; i < l->n; i++) {
      const DcfgRun* r = &l->all[i].run;
      FREE_ALL(l->all[i].key, l->all[i].problem);
      if ((l->all[i].kind != KIND_GRAPH && l->all[i].kind != KIND_REC)
          || r->start == NULL)
         continue;
      FREE_ALL(r->command_line, r->working_dir, r->start, r->tool_version,
               r->processor);
   }
   FREE_ALL(l->all, l->by_key);
}

static int run(int argc, char** argv)
{
   uint64_t    top = 0;
   bool        wide = false, csv = false, json = false;
   const Opt   opts[] = {
      { "top", OPT_COUNT, &top, "N", "the newest N in text; 0: all [0]" },
      { "wide", OPT_FLAG, &wide, NULL, "long command lines in full" },
      OPT_CSV_JSON(&csv, &json,
                   "output for programs: a row for each file, paths in full")
   };
   const char* dir = ".";
   FoundFiles     files;
   List        l = { .folder = "" };
   struct stat st;
   Form        form;

   parse_args(&list_command, OPTS(opts), argc, argv, &dir, 0, 1);
   form = table_form(csv, json);
   if (stat(dir, &st) != 0)
      die("%s: %s", dir, strerror(errno));
   if (!S_ISDIR(st.st_mode))
      die("%s is no directory: list needs one; dcfg report reads a DCFG", dir);
   if (strcmp(dir, ".") != 0)
      l.folder = need(strdup(text_format("%s%s", dir,
                                         dir[strlen(dir) - 1] == '/' ? "" : "/")));
   files = files_of(&l, dir);
   for (size_t i = 0; i < files.n; i++)
      add_file(&l, &files.files[i]);
   find_graphs(&l);
   if (form != FORM_TEXT)
      print_table(&l, form);
   else
      print_list(&l, top, wide);
   if (l.folder[0] != 0)
      free((char*)l.folder);
   free_list(&l);
   free_found(&files);
   return STATUS_OK;
}

const Command list_command = {
   "list", "[DIR]", "the recordings of a directory, the newest first",
   "Lists the recordings in DIR, or in the current directory: which program\n"
   "ran with which arguments, when, in which process, and what else was\n"
   "recorded of it.  Commands without a FILE read the first one here that is\n"
   "of their kind.\n"
   "\n"
   "Of a graph, list reads the head, so it is fast for thousands of files.\n"
   "Files that end too early are shown as broken.\n",
   "\n"
   "examples:\n"
   "  dcfg list\n"
   "  dcfg list --json results | jq -r '.[] | select(.command != \"\") | .file'\n",
   run
};
