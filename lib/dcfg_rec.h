/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: reader of recordings for replays. */

/* valgrind --tool=dcfg --record=yes writes a recording: what the program did not
   determine itself.  --replay=FILE executes the run again.  The library reads
   which run it is and what a replay needs, not the events.  For example:

      DcfgRec* r = dcfg_rec_load("run.out.1234.rec", NULL, &err);

      if (r != NULL)
         printf("%s: %" PRIu64 " superblocks\n", r->run.command_line,
                r->superblocks);
      dcfg_rec_free(r);

   The rules of dcfg.h on files, ownership, threads of the reader, errors and
   options hold here, too. */

#ifndef DCFG_REC_H
#define DCFG_REC_H

#include "dcfg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* DcfgRecImage: a file that a replay maps from its path: the program, a library, a
   file of the system.  .build is its build id in hexadecimal.  Of a file without
   one it begins with "size-". */
typedef
   struct {
      const char* path;
      const char* build;
   }
   DcfgRecImage;

typedef
   enum {
      DCFG_REC_KILLED,          // killed while it recorded: the last part is
                                // missing
      DCFG_REC_EXIT,            // the process exited with .status
      DCFG_REC_SIGNAL,          // signal .status killed it
      DCFG_REC_EXEC             // the process executed another program
   }
   DcfgRecEnd;

/* DcfgRec: a recording.  Texts that are missing in the file are "".  The child of
   a fork has a recording that begins as its parent's: .run tells of the child. */
typedef
   struct {
      DcfgRun     run;          // its texts are never NULL
      const char* valgrind;     // version of Valgrind
      const char* tool_build;   // hash of the code of the tool that recorded it
      const char* platform;     // for example "amd64-linux"
      const char* program;      // path of the ELF file that was executed
      const char* program_build;        // its build, as those of images
      uint32_t            n_images;     // the program's and the dynamic linker's
                                        // first
      const DcfgRecImage* images;
      DcfgRecEnd  end;
      uint32_t    status;
      uint64_t    superblocks;  // how many all threads executed; 0: the process
                                // was killed
      uint32_t    threads;      // likewise
   }
   DcfgRec;

/* Load a recording.  Return NULL, and set *ERR, on errors.  A recording that was
   cut off, or is damaged behind its header, ends as if the process had been
   killed. */
DCFG_API DcfgRec* dcfg_rec_load(const char* path, const DcfgOptions* options,
                                DcfgError* err);

/* Load a recording of SIZE bytes at DATA, which may go away afterwards.  NAME is
   for errors. */
DCFG_API DcfgRec* dcfg_rec_load_memory(const void* data, size_t size,
                                       const char* name,
                                       const DcfgOptions* options,
                                       DcfgError* err);

/* Free R, which may be NULL. */
DCFG_API void dcfg_rec_free(DcfgRec* r);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_REC_H */
