/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the choice of files; messages if they cannot be read; the kinds of files
   that users may confuse, with the command that reads each; lists of many
   files.  Handed: operands of the command line. */

#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/terminal.h"

#include "format/rec_file.h"
#include "format/wet_sections.h"
#include "lib/dcfg_xray.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* KindSign: a kind's name, the tool's option that writes it, the command that
   reads it, with %s for the path, and the tool's default name, up to the process
   id. */
typedef
   struct {
      const char* name;
      const char* option;       // "": no option is needed; NULL: not written by
                                // the tool
      const char* reader;
      const char* prefix;
   }
   KindSign;

static const KindSign kinds[] = {
   [KIND_GRAPH]   = { "a DCFG", "", "dcfg report %s", "dcfg.out." },
   [KIND_TRACE]   = { "a DCFG-trace", " --trace=yes", "dcfg trace DCFG %s",
                      "dcfg-trace.out." },
   [KIND_TURNS]   = { "a file of threads' turns",
                      " --trace=yes --trace-turns=yes",
                      "dcfg bbv --turns=%s DCFG TRACE", NULL },
   [KIND_XRAY]    = { "an XRay log", " --xray=yes", "dcfg xray %s",
                      "xray-log." },
   [KIND_MAP]     = { "the map of an XRay log", " --xray=yes",
                      "dcfg xray LOG %s", NULL },
   [KIND_WET]     = { "a whole execution trace", " --wet=yes", "dcfg wet %s",
                      "wet.out." },
   [KIND_REC]     = { "a recording for replays", " --record=yes",
                      "dcfg replay %s", "run.out." },
   [KIND_PACK]    = { "a packed recording for replays", NULL,
                      "dcfg replay %s", NULL },
   [KIND_PROFILE] = { "a Callgrind profile", " --callgrind=yes",
                      "callgrind_annotate %s", "callgrind.out." },
   [KIND_UFTRACE] = { "a directory of uftrace", " --uftrace=yes",
                      "uftrace report -d %s", "uftrace.data" },
   [KIND_VECTORS] = { "a file of basic-block vectors", NULL,
                      "dcfg regions %s SIMPOINTS WEIGHTS", NULL },
   [KIND_BASELINE] = { "a baseline of dcfg gate --save", NULL,
                       "dcfg gate %s DCFG", NULL },
   [KIND_PROGRAM] = { "a program", NULL, "valgrind --tool=dcfg %s", NULL },
   [KIND_EMPTY]   = { .name = "an empty file" },
   [KIND_UNFINISHED] = { .name = "a temporary file of a whole execution trace" },
   [KIND_CHOICE]  = { .name = "a file of SimPoint's" },
   [KIND_LACKEY]  = { .name = "a trace of Lackey's" }
};

/* Bytes at a file's begin that tell most kinds. */
#define HEAD_SIZE 4096

/* Read the first bytes of PATH, unpacked, to HEAD.  Return how many. */
static size_t read_head(const char* path, char* head)
{
   DcfgError err;
   DcfgText* text = dcfg_text_open(path, NULL, &err);
   size_t    got, n = 0;

   while (text != NULL && n < HEAD_SIZE
          && (got = dcfg_text_read(text, head + n, HEAD_SIZE - n, &err)) > 0)
      n += got;
   dcfg_text_close(text);
   head[n] = 0;
   return n;
}

/* Return whether PATH is a DCFG or a trace, which look alike up to the first
   process.  Reading a DCFG as a trace fails after a few lines, however large it
   is. */
static FileKind graph_or_trace(const char* path)
{
   DcfgError  err;
   DcfgTrace* t = dcfg_trace_open(path, NULL, &err);
   DcfgChunk* chunk = t != NULL ? dcfg_trace_next_chunk(t, &err) : NULL;
   FileKind   kind = chunk != NULL || err.status == DCFG_OK ? KIND_TRACE
                     : err.status == DCFG_ERROR_KIND ? KIND_GRAPH : KIND_OTHER;

   dcfg_chunk_free(chunk);
   dcfg_trace_close(t);
   return kind;
}

/* A file that ends too early can be either: its reader's error says more. */
static FileKind map_or_program(const char* path)
{
   DcfgError    err;
   DcfgXrayMap* map = dcfg_xray_map_load(path, NULL, &err);

   dcfg_xray_map_free(map);
   return map != NULL ? KIND_MAP
          : strstr(err.reason, "the file ends") != NULL ? KIND_OTHER
          : KIND_PROGRAM;
}

static FileKind log_or_other(const char* path)
{
   DcfgXray* log = dcfg_xray_open(path, NULL, NULL);

   dcfg_xray_close(log);
   return log != NULL ? KIND_XRAY : KIND_OTHER;
}

static FileKind directory_kind(const char* path)
{
   struct stat st;

   return stat(text_format("%s/info", path), &st) == 0
          && stat(text_format("%s/task.txt", path), &st) == 0
          ? KIND_UFTRACE : KIND_OTHER;
}

/* Return the kind of a file that begins with these N bytes, if it has binary
   data.  A pack is a tar file: the first file's name, and at 257 the format's. */
static FileKind binary_kind(const char* head, size_t n)
{
   static const char wet[WET_MAGIC_SIZE] = WET_MAGIC;
   static const char rec[WET_MAGIC_SIZE] = REC_MAGIC;

   return n < WET_MAGIC_SIZE ? KIND_OTHER
          : memcmp(head, wet, WET_MAGIC_SIZE) == 0 ? KIND_WET
          : memcmp(head, rec, WET_MAGIC_SIZE) == 0 ? KIND_REC
          : strcmp(head, PACK_FIRST) == 0 && memcmp(head + 257, "ustar", 5) == 0
          ? KIND_PACK : KIND_OTHER;
}

bool is_wet(const char* path)
{
   char        head[HEAD_SIZE + 1];
   struct stat st;

   return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)
          && binary_kind(head, read_head(path, head)) == KIND_WET;
}

FileKind file_kind(const char* path)
{
   char        head[HEAD_SIZE + 1] = "";
   const char* at = head;
   struct stat st;
   FileKind    kind;
   size_t      n;

   /* A pipe can be read only once. */
   if (strcmp(path, "-") == 0 || stat(path, &st) != 0)
      return KIND_OTHER;
   if (S_ISDIR(st.st_mode))
      return directory_kind(path);
   if (!S_ISREG(st.st_mode))
      return KIND_OTHER;
   if (st.st_size == 0)
      return KIND_EMPTY;
   n = read_head(path, head);
   kind = binary_kind(head, n);
   if (kind != KIND_OTHER || n < WET_MAGIC_SIZE)
      return kind;
   if (memcmp(head, "\177ELF", 4) == 0)
      return map_or_program(path);
   while (isspace((unsigned char)*at))
      at++;
   if (strncmp(at, BASELINE_HEAD, sizeof(BASELINE_HEAD) - 1) == 0)
      return KIND_BASELINE;
   if (*at == '{')
      return graph_or_trace(path);
   if (*at == '[' && (at[1] == '[' || strstr(at, "\n[") != NULL))
      return KIND_TURNS;
   if (strncmp(at, "# callgrind format", 18) == 0
       || strncmp(at, "version: 1\n", 11) == 0)
      return KIND_PROFILE;
   if (strncmp(at, "T:", 2) == 0 || strstr(at, "\nT:") != NULL)
      return KIND_VECTORS;
   return log_or_other(path);
}

void only_one_input(const char* const* files, uint32_t n)
{
   uint32_t inputs = 0;

   for (uint32_t i = 0; i < n; i++)
      inputs += strcmp(files[i], "-") == 0;
   if (inputs > 1)
      die("only one of the files can be the standard input");
}

/* Return for example "a DCFG-trace, which valgrind --tool=dcfg --trace=yes
   writes". */
static const char* kind_needed(FileKind needed)
{
   const KindSign* k = &kinds[needed];

   return k->option == NULL ? k->name
          : text_format("%s, which valgrind --tool=dcfg%s writes", k->name,
                        k->option);
}

/* Return "PATH is FOUND, not NEEDED: use `dcfg report PATH'".  FOUND is not
   KIND_OTHER.  Nothing reads an empty file, so no command stands behind
   that. */
static const char* wrong_kind(const char* path, FileKind found, FileKind needed)
{
   const char* wanted = needed == KIND_GRAPH ? kinds[needed].name
                        : kind_needed(needed);
   const char* reader = kinds[found].reader;
   const char* rest;

   if (reader == NULL)
      return text_format("%s is %s, not %s", path, kinds[found].name, wanted);
   rest = strstr(reader, "%s");
   return text_format("%s is %s, not %s: use `%.*s%s%s'", path,
                      kinds[found].name, wanted, (int)(rest - reader), reader,
                      path, rest + 2);
}

void add_file_name(FileNames* names, const char* name)
{
   GROW(names->all, names->n, names->room);
   names->all[names->n++] = name;
}

void free_file_names(FileNames* names)
{
   FREE_ALL(names->all, names->stems, names->text);
   *names = (FileNames){ 0 };
}

/*--- Lists                                                ---*/

/* Return all bytes of F, with a NUL character behind them; *N is their
   number. */
static char* read_all(FILE* f, const char* path, size_t* n)
{
   char*  text = NULL;
   size_t room = 0, got;

   *n = 0;
   do {
      if (room - *n < 2) {
         room = room == 0 ? 4096 : 2 * room;
         text = need(realloc(text, room));
      }
      got = fread(text + *n, 1, room - *n - 1, f);
      *n += got;
   } while (got > 0);
   if (ferror(f))
      die("%s: %s", path, strerror(errno));
   text[*n] = 0;
   return text;
}

void read_file_names(FileNames* names, const char* list, bool nul_ended)
{
   bool   is_input = strcmp(list, "-") == 0;
   FILE*  f = is_input ? stdin : fopen(list, "r");
   char   end = nul_ended ? 0 : '\n';
   size_t n;
   char*  text;

   if (f == NULL)
      die("%s: %s", list, strerror(errno));
   text = names->text = read_all(f, list, &n);
   if (!nul_ended && strlen(text) < n)
      die("%s: there are NUL characters in it; -0 reads names that end with "
          "these", is_input ? "standard input" : list);
   for (size_t i = 0, next; i < n; i = next) {
      const char* behind = memchr(text + i, end, n - i);
      next = behind == NULL ? n + 1 : (size_t)(behind - text) + 1;
      text[next - 1] = 0;
      if (text[i] != 0)
         add_file_name(names, text + i);
   }
   if (!is_input)
      fclose(f);
}

/*--- Files that belong together                           ---*/

size_t plain_length(const char* name)
{
   size_t n = (size_t)(compressed_suffix(name) - name);

   return n > 5 && strncmp(name + n - 5, ".json", 5) == 0 ? n - 5 : n;
}

/* Return the length of NAME, PLAIN bytes long, without a number behind a
   dot. */
static size_t cut_length(const char* name, size_t plain)
{
   size_t n = plain;

   while (n > 0 && isdigit((unsigned char)name[n - 1]))
      n--;
   return n < plain && n > 1 && name[n - 1] == '.' && name[n - 2] != '/'
          ? n - 1 : plain;
}

typedef
   struct {
      const char* name;
      size_t      length;       // the part of the name that counts
      uint64_t    size;         // file size in bytes
      uint32_t    number;
   }
   Stem;

COMPARE(by_text, Stem,
        strncmp(x->name, y->name, x->length < y->length ? x->length : y->length)
        ?: UP(length))
COMPARE(by_stem, Stem, by_text(x, y) ?: UP(number))

static bool has_plain(const Stem* plain, uint32_t n, const Stem* cut)
{
   uint32_t low = 0;

   BISECT(low, n, middle, by_text(&plain[middle], cut) < 0);
   return low < n && by_text(&plain[low], cut) == 0;
}

/* Return the end of the stems with the same text as the one at FIRST. */
static uint32_t family_end(const Stem* all, uint32_t n, uint32_t first)
{
   uint32_t end = first + 1;

   while (end < n && by_text(&all[end], &all[first]) == 0)
      end++;
   return end;
}

void find_stems(FileNames* names, bool (*is_part)(const char* name))
{
   Stem*    plain = zalloc(names->n, sizeof(*plain));
   Stem*    cut = zalloc(names->n, sizeof(*cut));
   uint32_t n = 0;

   names->stems = zalloc(names->n, sizeof(*names->stems));
   for (uint32_t i = 0; i < names->n; i++) {
      const char* name = names->all[i];
      size_t      length = plain_length(name);
      plain[i] = (Stem){ name, length, 0, i };
      names->stems[i] = length;
      if (cut_length(name, length) < length)
         cut[n++] = (Stem){ name, cut_length(name, length), 0, i };
   }
   qsort(plain, names->n, sizeof(*plain), by_stem);
   qsort(cut, n, sizeof(*cut), by_stem);
   for (uint32_t first = 0, end; first < n; first = end) {
      end = family_end(cut, n, first);
      if (!has_plain(plain, names->n, &cut[first])
          && (end - first == 1 || !is_part(cut[first].name)))
         continue;
      for (uint32_t k = first; k < end; k++)
         names->stems[cut[k].number] = cut[k].length;
   }
   FREE_ALL(plain, cut);
}

/*--- Lists of equal sizes                                 ---*/

/* Files of one stem: FIRST to END - 1. */
typedef
   struct {
      uint32_t first, end;
      uint64_t size;
   }
   Family;

COMPARE(by_size, Family, DOWN(size) ?: UP(first))

uint32_t divide_files(const FileNames* names, uint32_t n, FileNames* lists)
{
   Stem*     all = zalloc(names->n, sizeof(*all));
   Family*   families = zalloc(names->n, sizeof(*families));
   uint64_t* sums = zalloc(n, sizeof(*sums));
   uint32_t  n_families = 0, used = 0;

   for (uint32_t i = 0; i < names->n; i++) {
      struct stat st;
      all[i] = (Stem){ names->all[i], names->stems[i], 0, i };
      if (stat(names->all[i], &st) == 0 && S_ISREG(st.st_mode))
         all[i].size = (uint64_t)st.st_size;
   }
   qsort(all, names->n, sizeof(*all), by_stem);
   for (uint32_t i = 0; i < names->n; i = families[n_families++].end) {
      Family* f = &families[n_families];
      *f = (Family){ i, family_end(all, names->n, i), 0 };
      for (uint32_t k = i; k < f->end; k++)
         f->size += all[k].size;
   }
   qsort(families, n_families, sizeof(*families), by_size);
   /* The largest first, always to the list that has least. */
   for (uint32_t i = 0; i < n_families; i++) {
      uint32_t least = 0;
      for (uint32_t k = 1; k < n; k++)
         if (sums[k] < sums[least])
            least = k;
      for (uint32_t k = families[i].first; k < families[i].end; k++)
         add_file_name(&lists[least], all[k].name);
      sums[least] += families[i].size + 1;
   }
   for (uint32_t k = 0; k < n; k++)
      if (lists[k].n > 0)
         lists[used++] = lists[k];
   FREE_ALL(all, families, sums);
   return used;
}

DcfgOptions read_options(void (*problem)(void* arg, const DcfgProblem* p),
                         void* arg)
{
   DcfgOptions options = { max_memory, problem, arg, max_disk, progress_show,
                           NULL };

   return options;
}

const DcfgOptions* plain_options(void)
{
   static DcfgOptions options;

   options = read_options(NULL, NULL);
   return &options;
}

/* --- The newest file                                      --- */

FileKind default_kind(const char* name, const char** key, size_t* length)
{
   for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
      size_t n = kinds[i].prefix == NULL ? 0 : strlen(kinds[i].prefix);
      if (n == 0 || !begins(name, kinds[i].prefix))
         continue;
      *key    = name + n;
      *length = strspn(name + n, "0123456789.-");
      while (*length > 0 && name[n + *length - 1] == '.')
         --*length;
      return (FileKind)i;
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
COMPARE(by_age, FoundFile, DOWN(time.tv_sec) ?: DOWN(time.tv_nsec)
        ?: strcmp(y->name, x->name))

FoundFiles list_files(const char* folder, const char* prefix)
{
   FoundFiles              l = { 0 };
   DIR*                 dir = opendir(folder);
   const struct dirent* entry;

   while (dir != NULL && (entry = readdir(dir)) != NULL) {
      struct stat st;
      if (entry->d_name[0] == '.'
          || !begins(entry->d_name, prefix)
          || fstatat(dirfd(dir), entry->d_name, &st, 0) != 0
          || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
         continue;
      GROW(l.files, l.n, l.room);
      l.files[l.n++] = (FoundFile){ text_copy(entry->d_name), st.st_mtim,
                                    (uint64_t)st.st_size };
   }
   if (dir != NULL)
      closedir(dir);
   SORT(l.files, l.n, by_age);
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

bool is_window(const char* folder, const char* name)
{
   const char* rec = strstr(name, ".rec.");
   size_t      n = strlen(name), k = strlen(WINDOW_SUFFIX);
   struct stat st;

   return rec != NULL && n > k && strcmp(name + n - k, WINDOW_SUFFIX) == 0
          && stat(text_format("%s%.*s", folder,
                              (int)(rec - name + (ptrdiff_t)strlen(".rec")),
                              name), &st) == 0;
}

/* Return the newest file of KIND or of the kind OR in FOLDER; NULL if there is
   none.  FOLDER is "" or ends with a slash.  The file's name begins with PREFIX and
   has KEY, if that is not NULL. */
static char* newest_of(const char* folder, const char* prefix, const char* key,
                       FileKind kind, FileKind or)
{
   FoundFiles l = list_files(folder[0] == 0 ? "." : folder, prefix);
   char*      found = NULL;

   for (size_t i = 0; found == NULL && i < l.n; i++) {
      const char* name = l.files[i].name;
      const char* path = text_format("%s%s", folder, name);
      FileKind    is;
      if ((key != NULL && !has_key(name, key)) || is_temporary(name)
          || is_window(folder, name))
         continue;
      is = file_kind(path);
      if (is == kind || is == or)
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
   struct stat st;

   if (default_kind(text_base(graph), &key, &n) == KIND_GRAPH && n > 0)
      return text_format("%.*s", (int)n, key);
   /* A pipe is read only once. */
   d = stat(graph, &st) == 0 && S_ISREG(st.st_mode)
       ? dcfg_load_head(graph, NULL, NULL) : NULL;
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
          : newest_of(text_format("%.*s", n, graph),
                      text_format("%s%s", kinds[kind].prefix, key), key, kind,
                      kind);
}

/* Return TRACE, which is the one of the process that wrote GRAPH.  Die if it is
   NULL. */
static const char* trace_of(const Command* c, const char* graph,
                            const char* trace)
{
   if (trace == NULL)
      die("there is no trace %s%s.* of the newest DCFG here, %s: record it with "
          "--trace=yes; usage: dcfg %s %s", kinds[KIND_TRACE].prefix,
          key_of(graph), graph, c->name, c->args);
   return trace;
}

/* Set FILES to the newest graph of this directory, and its trace, or NULL. */
static void find_newest(const Command* c, const char** files)
{
   static char* found[2];       // valid until the command ends

   for (int i = 0; i < 2; i++) {
      free(found[i]);
      found[i] = NULL;
   }
   files[0] = found[0] = newest_of("", "", NULL, KIND_GRAPH, KIND_GRAPH);
   if (files[0] == NULL)
      die("name a file, for there is no DCFG in this directory; usage: dcfg %s "
          "%s", c->name, c->args);
   files[1] = found[1] = file_beside(files[0], KIND_TRACE);
}

static void tell_newest(const char* const* files, bool trace)
{
   complain("reading %s%s%s, the newest in this directory", files[0],
            trace ? " and " : "", trace ? files[1] : "");
}

void default_files(const Command* c, const char** files, bool trace)
{
   const char* found[2];

   find_newest(c, found);
   files[0] = found[0];
   if (trace)
      files[1] = found[1] = trace_of(c, found[0], found[1]);
   tell_newest(found, trace);
}

int default_recording(const Command* c, const char** files)
{
   Dcfg* d;
   bool  calls = false;

   find_newest(c, files);
   if (files[1] == NULL) {
      d = load_dcfg(files[0]);
      for (uint32_t i = 0; i < d->n_processes; i++)
         calls = calls || dcfg_process(d, i)->calls != NULL;
      dcfg_free(d);
      if (!calls)
         trace_of(c, files[0], NULL);      // says what is missing
   }
   tell_newest(files, files[1] != NULL);
   return files[1] != NULL ? 2 : 1;
}

static const char* default_of(const Command* c, FileKind kind, FileKind or)
{
   static char* found;          // valid until the command ends

   free(found);
   found = newest_of("", "", NULL, kind, or);
   if (found == NULL)
      die("name a file, for nothing in this directory is %s; usage: dcfg %s "
          "%s", kind_needed(kind), c->name, c->args);
   complain("reading %s, the newest in this directory", found);
   return found;
}

const char* default_file(const Command* c, FileKind kind)
{
   return default_of(c, kind, kind);
}

const char* default_trace(const Command* c)
{
   return default_of(c, KIND_WET, KIND_REC);
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

void need_file(bool good, const DcfgError* err, FileKind needed)
{
   if (!good)
      die("%s", unreadable(err, needed));
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

/*--- Runs that wait                                       ---*/

bool runs_wait(const char* graph)
{
   static const char* const begins[] = { "run-", "in-", "sum" };
   char*                    dir = text_copy(text_format("%s.runs", graph));
   bool                     any = false;

   for (size_t i = 0; !any && i < sizeof(begins) / sizeof(begins[0])
        && access(dir, F_OK) == 0; i++) {
      FoundFiles l = list_files(dir, begins[i]);
      any = l.n > 0;
      free_found(&l);
   }
   free(dir);
   return any;
}

void take_waiting_runs(const char* graph)
{
   char* path = strcmp(graph, "-") == 0 ? NULL : realpath(graph, NULL);
   pid_t pid;

   if (runs_wait(path != NULL ? path : graph)) {
      fflush(NULL);
      pid = fork();
      if (pid == 0) {
         execl("/proc/self/exe", "dcfg", "merge", "--in-place", graph,
               (char*)NULL);
         _exit(STATUS_BAD);
      }
      if (wait_for(pid) != 0)
         complain("%s lacks the runs in %s.runs", text_clean(graph),
                  text_clean(path != NULL ? path : graph));
   }
   free(path);
}

Dcfg* read_dcfg(const char* path, const DcfgOptions* options, DcfgError* err)
{
   Dcfg* d;

   take_waiting_runs(path);
   d = dcfg_load(path, options, err);
   if (d == NULL || d->n_processes == 0
       || dcfg_process(d, 0)->baseline == NULL)
      return d;
   dcfg_free(d);
   err->status = DCFG_ERROR_KIND;
   snprintf(err->reason, sizeof(err->reason), "this is a baseline, not a DCFG");
   return NULL;
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
   DcfgError   err;
   Dcfg*       d = read_dcfg(path, plain_options(), &err);

   need_file(d != NULL, &err, KIND_GRAPH);
   warn_of_full(path, d);
   return d;
}

bool is_part_of_run(const char* path)
{
   DcfgError   err;
   Dcfg*       d = dcfg_load(path, plain_options(), &err);
   bool        part = d != NULL && d->n_processes > 0
                      && dcfg_process(d, 0)->part != NULL;

   dcfg_free(d);
   return part;
}

DcfgTrace* load_trace(const DcfgProcess* p, const char* path, uint32_t thread)
{
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open(path, plain_options(), &err);

   need_file(t != NULL, &err, KIND_TRACE);
   dcfg_trace_select(t, p->id, thread);
   dcfg_trace_count_with(t, p);
   return t;
}

DcfgWet* load_wet(const char* path)
{
   DcfgError   err;
   DcfgWet*    w = dcfg_wet_open(path, plain_options(), &err);

   need_file(w != NULL, &err, KIND_WET);
   return w;
}

DcfgRec* load_rec(const char* path)
{
   DcfgError   err;
   DcfgRec*    r = dcfg_rec_load(path, plain_options(), &err);

   need_file(r != NULL, &err, KIND_REC);
   return r;
}

DcfgWetEvents* load_events(DcfgWet* w, const DcfgWetFilter* f)
{
   DcfgError      err;
   DcfgWetEvents* v = dcfg_wet_events_new(w, &err);

   if (v == NULL || (f != NULL && !dcfg_wet_select(v, f, &err)))
      die("%s", unreadable(&err, KIND_WET));
   return v;
}

DcfgSlice* load_slice(DcfgWet* w, const DcfgSliceQuery* q)
{
   DcfgError  err;
   DcfgSlice* s = dcfg_slice_new(w, q, &err);

   need_file(s != NULL, &err, KIND_WET);
   return s;
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

/*--- Text files                                           ---*/

static ssize_t read_text(void* text, char* to, size_t size)
{
   DcfgError err;
   size_t    n = dcfg_text_read(text, to, size, &err);

   if (n == 0 && err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_OTHER));
   return (ssize_t)n;
}

static int close_text(void* text)
{
   dcfg_text_close(text);
   return 0;
}

FILE* open_text(const char* path, FileKind needed)
{
   const cookie_io_functions_t calls = { .read = read_text,
                                         .close = close_text };
   DcfgError   err;
   DcfgText*   text;

   refuse_other_kind(path, needed);
   text = dcfg_text_open(path, plain_options(), &err);
   need_file(text != NULL, &err, KIND_OTHER);
   return need(fopencookie(text, "r", calls));
}
