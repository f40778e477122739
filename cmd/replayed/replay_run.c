/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the search for the Valgrind that recorded, the check that machine, program
   and libraries are those of the recording, and the start of a replay.  Handed: a
   recording, options of the tool.

   A replay needs the same code: of Valgrind and the tool, and of each ELF file
   that was executed.  The search takes the first Valgrind of the version that
   recorded which has the tool.  Whether that is the same build, the tool itself
   knows: if not, it says so and ends. */

#include "cmd/replayed/replay_run.h"

#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/program/elf_file.h"
#include "cmd/program/mapping.h"
#include "cmd/replayed/pack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

/*--- Valgrind                                             ---*/

/* ValgrindSearch: for the Valgrind of a recording. */
typedef
   struct {
      const DcfgRec* rec;
      char*          found;     // path, or NULL
      char*          other;     // a Valgrind that is not the right one, and why
   }
   ValgrindSearch;

/* Return the version of the Valgrind whose command is at PATH, as "3.19.0"; "" if
   it lacks the tool, or is no Valgrind. */
static const char* valgrind_version(const char* path)
{
   static const char before[] = "valgrind-";
   char    text[64];
   int     to[2];
   ssize_t n;
   pid_t   pid;

   if (pipe(to) != 0)
      return "";
   fflush(NULL);
   pid = fork();
   if (pid == 0) {
      int none = open("/dev/null", O_RDWR);
      dup2(to[1], STDOUT_FILENO);
      dup2(none, STDERR_FILENO);
      close(to[0]);
      execl(path, path, "--tool=dcfg", "--version", (char*)NULL);
      _exit(127);
   }
   close(to[1]);
   n = read(to[0], text, sizeof(text) - 1);
   close(to[0]);
   wait_for(pid);
   text[n < 0 ? 0 : n] = 0;
   text[strcspn(text, "\n")] = 0;
   return strncmp(text, before, strlen(before)) != 0 ? ""
          : text_format("%s", text + strlen(before));
}

/* Take the command at PATH, if it is there and the right one. */
static void try_valgrind(ValgrindSearch* s, const char* path)
{
   const char* version;

   if (s->found != NULL || access(path, X_OK) != 0)
      return;
   version = valgrind_version(path);
   if (strcmp(version, s->rec->valgrind) == 0)
      s->found = text_copy(path);
   else if (s->other == NULL)
      s->other = text_copy(version[0] == 0
                           ? text_format("%s lacks the tool", path)
                           : text_format("%s is Valgrind %s", path, version));
}

/* Try NAME in each directory of PATH. */
static void try_path(ValgrindSearch* s, const char* name)
{
   const char* path = getenv("PATH");

   for (size_t n; path != NULL && path[0] != 0; path += n + (path[n] == ':')) {
      n = strcspn(path, ":");
      try_valgrind(s, n == 0 ? text_format("./%s", name)
                      : text_format("%.*s/%s", (int)n, path, name));
   }
}

/* Return the command that recorded REC, the recording in FILE: that of the
   variable VALGRIND, the one beside this command, or one in PATH. */
static char* find_valgrind(const char* file, const DcfgRec* rec)
{
   ValgrindSearch s = { .rec = rec };
   const char* asked = getenv("VALGRIND");
   char*       self = realpath("/proc/self/exe", NULL);

   if (asked != NULL && asked[0] != 0 && strchr(asked, '/') == NULL)
      try_path(&s, asked);
   else if (asked != NULL && asked[0] != 0)
      try_valgrind(&s, asked);
   if (self != NULL)
      try_valgrind(&s, text_format("%.*svalgrind",
                                   (int)(text_base(self) - self), self));
   try_path(&s, "valgrind");
   if (s.found == NULL)
      die("%s was recorded with Valgrind %s and valgrind-dcfg %s, and %s: "
          "give that one's path in the variable VALGRIND", file,
          rec->valgrind, rec->run.tool_version,
          s.other == NULL ? "no Valgrind is here" : s.other);
   FREE_ALL(self, s.other);
   return s.found;
}

/*--- Files                                                ---*/

/* Set ID to the build id of the ELF file at PATH; "" if it has none.  Return
   false if the file cannot be read. */
static bool file_build(const char* path, char id[BUILD_ID_SIZE])
{
   int  fd = open_regular(path);
   Elf* elf;

   id[0] = 0;
   if (fd < 0)
      return false;
   elf_version(EV_CURRENT);
   elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
   if (elf != NULL)
      find_build_id(elf, id);
   elf_end(elf);
   close(fd);
   return true;
}

/* Die if the file of IMAGE is not there, or is another build.  The tool compares
   those that have no build id. */
static void check_image(const char* file, const DcfgRecImage* image,
                        const char* root)
{
   const char* path = image_path_below(root, image->path);
   char        id[BUILD_ID_SIZE];

   if (!file_build(path, id))
      die("%s cannot be replayed: %s, which it mapped, cannot be read: %s", file,
          path, strerror(errno));
   if (strncmp(image->build, "size-", 5) != 0 && strcmp(image->build, id) != 0)
      die("%s cannot be replayed: %s is another build than it executed: %s, "
          "not %s", file, path,
          id[0] == 0 ? "it has no build id" : text_format("build id %s", id),
          image->build);
}

void check_replayed_files(const char* file, const DcfgRec* rec, const char* root)
{
   for (uint32_t i = 0; i < rec->n_images; i++)
      check_image(file, &rec->images[i], root);
}

/*--- Replays                                              ---*/

/* Die if REC, the recording in FILE, is of a processor whose code this machine
   cannot execute. */
static void refuse_platform(const char* file, const DcfgRec* rec)
{
   /* Platforms, and machines that execute their code. */
   static const char* const executes[][2] = {
      { "amd64-linux", "x86_64" }, { "x86-linux", "x86_64" },
      { "x86-linux", "i686" }, { "arm64-linux", "aarch64" }
   };
   struct utsname here;
   bool           known = false;

   if (uname(&here) != 0)
      return;
   for (size_t i = 0; i < sizeof(executes) / sizeof(executes[0]); i++) {
      if (strcmp(executes[i][0], rec->platform) != 0)
         continue;
      if (strcmp(executes[i][1], here.machine) == 0)
         return;
      known = true;
   }
   if (known)
      die("%s was recorded on %s, and this machine is %s: replay it on such a "
          "machine as recorded it", file, rec->platform, here.machine);
}

Replay replay_new(const char* file)
{
   Replay r = { .root = NULL };

   r.file = file = pack_opened(file, &r.root);
   refuse_other_kind(file, KIND_REC);
   r.rec = load_rec(file);
   refuse_platform(file, r.rec);
   check_replayed_files(file, r.rec, r.root);
   if (r.rec->end == DCFG_REC_EXEC)
      complain("%s ends where its program executed another one: record that "
               "one to replay it", file);
   if (r.rec->end == DCFG_REC_KILLED)
      complain("%s ends before the run did: the process was killed", file);
   r.valgrind = find_valgrind(file, r.rec);
   return r;
}

void replay_free(Replay* r)
{
   dcfg_rec_free(r->rec);
   free(r->valgrind);
}

const char* plain_path_option(const char* path)
{
   char* text = zalloc(2 * strlen(path) + 1, 1);
   char* to = text;
   char* kept;

   for (; *path != 0; path++) {
      if (*path == '%')
         *to++ = '%';
      *to++ = *path;
   }
   kept = text_format("%s", text);
   free(text);
   return kept;
}

_Noreturn void replay_become(const Replay* r, const TextList* options)
{
   TextList args = { 0 };

   add_text(&args, r->valgrind);
   add_text(&args, "--tool=dcfg");
   add_text(&args, text_format("--replay=%s", r->file));
   if (r->root != NULL)
      add_text(&args, text_format("--replay-root=%s", r->root));
   for (size_t i = 0; i < options->n; i++)
      add_text(&args, options->texts[i]);
   add_text(&args, NULL);
   fflush(NULL);
   execv(r->valgrind, (char**)(void*)args.texts);
   die("%s: %s", r->valgrind, strerror(errno));
}

/* Tell the user what the tool says of a checkpoint. */
static void tell_checkpoint(const char* line)
{
   const char* from = "dcfg: warning: ";

   if (begins(line, from)
       && strstr(line, ".checkpoint is not used: ") != NULL)
      complain("%s", text_clean(line + strlen(from)));
}

/* Return the last line of the file FD without "==PID== ". */
static const char* last_line(int fd)
{
   FILE*       f = fdopen(fd, "r");
   char*       line = NULL;
   const char* last = "";
   size_t      room = 0;

   if (f == NULL)
      return last;
   rewind(f);
   while (getline(&line, &room, f) > 0) {
      const char* text = line;
      line[strcspn(line, "\n")] = 0;
      if (strncmp(line, "==", 2) == 0 && strchr(line, ' ') != NULL)
         text = strchr(line, ' ') + 1;
      if (text[0] != 0)
         last = text_format("%s", text);
      tell_checkpoint(text);
   }
   free(line);
   fclose(f);
   return last;
}

const char* replay_quietly(const Replay* r, const TextList* options)
{
   TextList all = { 0 };
   int      log = memfd_create("dcfg-replay", 0);
   pid_t    pid;

   if (log < 0)
      die("%s", strerror(errno));
   add_text(&all, "--replay-output=no");
   add_text(&all, text_format("--log-fd=%d", log));
   for (size_t i = 0; i < options->n; i++)
      add_text(&all, options->texts[i]);
   fflush(NULL);
   pid = fork();
   if (pid == 0) {
      dup2(log, STDERR_FILENO);
      replay_become(r, &all);
   }
   wait_for(pid);
   free(all.texts);
   return last_line(log);
}
