/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Kinds of files. */

/* Owns: the kinds of files that users may confuse, and the command that
   reads each kind.  Handed: paths. */

#include "cmd/base/file_kind.h"

#include "cmd/base/format.h"

#include "format/wet_sections.h"
#include "lib/dcfg.h"
#include "lib/dcfg_xray.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

/* KindSign: a kind's name, the tool's option that writes it, and the command
   that reads it, with %s for the path. */
typedef
   struct {
      const char* name;
      const char* option;       // "": no option is needed; NULL: not written by
                                // the tool
      const char* reader;
   }
   KindSign;

static const KindSign kinds[] = {
   [KIND_GRAPH]   = { "a DCFG", "", "dcfg report %s" },
   [KIND_TRACE]   = { "a DCFG-trace", " --trace=yes", "dcfg trace DCFG %s" },
   [KIND_TURNS]   = { "a file of threads' turns",
                      " --trace=yes --trace-turns=yes",
                      "dcfg bbv --turns=%s DCFG TRACE" },
   [KIND_XRAY]    = { "an XRay log", " --xray=yes", "dcfg xray %s" },
   [KIND_MAP]     = { "the map of an XRay log", " --xray=yes",
                      "dcfg xray LOG %s" },
   [KIND_WET]     = { "a whole execution trace", " --wet=yes", "dcfg wet %s" },
   [KIND_PROFILE] = { "a Callgrind profile", " --callgrind=yes",
                      "callgrind_annotate %s" },
   [KIND_UFTRACE] = { "a directory of uftrace", " --uftrace=yes",
                      "uftrace report -d %s" },
   [KIND_VECTORS] = { "a file of basic-block vectors", NULL,
                      "dcfg regions %s SIMPOINTS WEIGHTS" },
   [KIND_PROGRAM] = { "a program", NULL, "valgrind --tool=dcfg %s" },
   [KIND_EMPTY]   = { "an empty file", NULL, NULL },
   [KIND_UNFINISHED] = { "a temporary file of a whole execution trace", NULL,
                         NULL },
   [KIND_CHOICE]  = { "a file of SimPoint's", NULL, NULL },
   [KIND_LACKEY]  = { "a trace of Lackey's", NULL, NULL }
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

static bool begins_as_wet(const char* head, size_t n)
{
   static const char wet[WET_MAGIC_SIZE] = WET_MAGIC;

   return n >= WET_MAGIC_SIZE && memcmp(head, wet, WET_MAGIC_SIZE) == 0;
}

bool is_wet(const char* path)
{
   char        head[HEAD_SIZE + 1];
   struct stat st;

   return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)
          && begins_as_wet(head, read_head(path, head));
}

FileKind file_kind(const char* path)
{
   char              head[HEAD_SIZE + 1];
   const char*       at = head;
   struct stat       st;

   /* A pipe can be read only once. */
   if (strcmp(path, "-") == 0 || stat(path, &st) != 0)
      return KIND_OTHER;
   if (S_ISDIR(st.st_mode))
      return directory_kind(path);
   if (!S_ISREG(st.st_mode))
      return KIND_OTHER;
   if (st.st_size == 0)
      return KIND_EMPTY;
   if (read_head(path, head) < WET_MAGIC_SIZE)
      return KIND_OTHER;
   if (begins_as_wet(head, WET_MAGIC_SIZE))
      return KIND_WET;
   if (memcmp(head, "\177ELF", 4) == 0)
      return map_or_program(path);
   while (isspace((unsigned char)*at))
      at++;
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

const char* kind_needed(FileKind needed)
{
   const KindSign* k = &kinds[needed];

   return k->option == NULL ? k->name
          : text_format("%s, which valgrind --tool=dcfg%s writes", k->name,
                        k->option);
}

const char* wrong_kind(const char* path, FileKind found, FileKind needed)
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
