/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg record: recordings for replays as files that go elsewhere. */

/* Owns: the choice of the files that a pack has, and the command line.  Handed: a
   recording for replays.

   A replay maps the program, its libraries and some files of the system from their
   paths: the recording has an image for each.  Names and lines in outputs come from
   debug information, which may be in files of its own: of a build id, and of what
   dwz has moved from there to another file.  cmd/replayed/pack_file.c has the format. */

#include "cmd/commands.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/program/elf_file.h"
#include "cmd/replayed/pack_file.h"
#include "cmd/replayed/replay_run.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Packing: the pack that is written. */
typedef
   struct {
      FILE*    to;
      TextList paths;           // paths of the files in it
      FILE*    list;            // builds and paths
      char*    list_text;
      size_t   list_size;
   }
   Packing;

/* Add the file at PATH, of BUILD, which is open as FD.  Return false if it has been
   added before. */
static bool add_file(Packing* p, const char* path, const char* build, int fd)
{
   for (size_t i = 0; i < p->paths.n; i++)
      if (strcmp(p->paths.texts[i], path) == 0)
         return false;
   add_text(&p->paths, text_copy(path));
   fprintf(p->list, "%s %s\n", build, path);
   pack_file(p->to, text_format(PACK_ROOT "%s", path), fd);
   return true;
}

/* Set BUILD to the build id of the file to which dwz moved a part of the debug
   information in file FD.  Return false if there is none. */
static bool find_alternate(int fd, char build[BUILD_ID_SIZE])
{
   Elf*        elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
   Dwarf*      dwarf = elf == NULL ? NULL : dwarf_begin_elf(elf, DWARF_C_READ,
                                                            NULL);
   const char* name;
   const void* id;
   ssize_t     n = dwarf == NULL ? 0
                   : dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);

   for (ssize_t i = 0; i < n && 2 * i + 2 < BUILD_ID_SIZE; i++)
      snprintf(build + 2 * i, 3, "%02x", ((const unsigned char*)id)[i]);
   dwarf_end(dwarf);
   elf_end(elf);
   return n > 0;
}

static void add_debug(Packing* p, const char* build);

/* Add the file at PATH, of BUILD, which is open as FD, and the file to which dwz
   moved a part of it. */
static void add_linked(Packing* p, const char* path, const char* build, int fd)
{
   char other[BUILD_ID_SIZE];

   if (add_file(p, path, build, fd) && find_alternate(fd, other))
      add_debug(p, other);
}

/* Add the debug information of BUILD, if it is a build id and there is a file. */
static void add_debug(Packing* p, const char* build)
{
   char* path;
   int   fd;

   if (strlen(build) < 4 || strchr(build, '-') != NULL)
      return;
   path = text_copy(text_format("/usr/lib/debug/.build-id/%.2s/%s.debug", build,
                                build + 2));
   fd   = open_regular(path);
   if (fd >= 0) {
      add_linked(p, path, build, fd);
      close(fd);
   }
   free(path);
}

static void add_image(Packing* p, const DcfgRecImage* image)
{
   int fd = image->path[0] == '/' ? open_regular(image->path) : -1;

   if (fd < 0)
      die("%s: %s", image->path, strerror(errno));
   add_linked(p, image->path, image->build, fd);
   close(fd);
   add_debug(p, image->build);
}

static void pack(const char* file, const char* path)
{
   DcfgRec* rec = load_rec(file);
   Packing  p = { .to = NULL };
   int      fd = open_regular(file);

   if (fd < 0)
      die("%s: %s", file, strerror(errno));
   check_replayed_files(file, rec, NULL);
   if (rec->end == DCFG_REC_KILLED)
      complain("%s ends before the run did: the process was killed", file);
   p.to   = open_result_as(path, RESULT_PRIVATE);
   p.list = need(open_memstream(&p.list_text, &p.list_size));
   pack_file(p.to, PACK_REC, fd);
   close(fd);
   for (uint32_t i = 0; i < rec->n_images; i++)
      add_image(&p, &rec->images[i]);
   if (fclose(p.list) != 0)
      die("%s", strerror(errno));
   pack_text(p.to, PACK_LIST, p.list_text, p.list_size);
   pack_end(p.to);
   close_results();
   if (path != NULL && strcmp(path, "-") != 0)
      complain("wrote %s: the recording and %zu files that its replay needs",
               text_clean(path), p.paths.n);
   for (size_t i = 0; i < p.paths.n; i++)
      free((char*)(uintptr_t)p.paths.texts[i]);
   FREE_ALL(p.paths.texts, p.list_text);
   dcfg_rec_free(rec);
}

static int run(int argc, char** argv)
{
   const char* path = NULL;
   const Opt   opts[] = {
      { "o", OPT_TEXT, &path, "FILE", "write to FILE [FILE.tar.zst]" }
   };
   const char* args[2] = { NULL, NULL };
   const char* file;

   parse_args(&record_command, OPTS(opts), argc, argv, args, 1, 2);
   if (strcmp(args[0], "pack") != 0)
      die("`%s' is nothing that dcfg record does; usage: dcfg record %s",
          args[0], record_command.args);
   file = args[1] != NULL ? args[1] : default_file(&record_command, KIND_REC);
   refuse_other_kind(file, KIND_REC);
   pack(file, path != NULL ? path : text_copy(text_format("%s.tar.zst", file)));
   return STATUS_OK;
}

const Command record_command = {
   "record", "pack [FILE]", "take a recorded run to another machine",
   "Writes a recording that --record=yes made, the program, its libraries and\n"
   "their debug information to one archive.  On another machine with the same\n"
   "build of Valgrind and the tool, dcfg replay, why, slice and gdb take that\n"
   "archive for the recording, and unpack it beside itself once: x.tar.zst to\n"
   "x.unpacked.  The suffix of its name says how it is compressed.\n",
   "\n"
   "examples:\n"
   "  valgrind --tool=dcfg --record=yes ./prog\n"
   "  dcfg record pack -o crash.tar.zst\n"
   "  dcfg replay crash.tar.zst\n",
   run
};
