/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A recording that is executed again. */

#ifndef DCFG_CMD_REPLAY_RUN_H
#define DCFG_CMD_REPLAY_RUN_H

#include "cmd/base/cmd.h"

#include "lib/dcfg_rec.h"

/* Replay: a recording, and the Valgrind that can execute it again. */
typedef
   struct {
      const char* file;
      const char* root;         // holds the files that it maps; or NULL
      DcfgRec*    rec;
      char*       valgrind;     // path of the command
   }
   Replay;

/* Die if a file that a replay of REC, the recording FILE, maps is not there, below
   ROOT if that is not NULL, or is another build. */
void check_replayed_files(const char* file, const DcfgRec* rec, const char* root);

/* Return the replay of FILE, a recording or a pack.  Die if FILE is no recording, or if this machine has
   another Valgrind, tool, program or library than those that were recorded: the
   message says which.  Free it with replay_free(). */
Replay replay_new(const char* file);
void   replay_free(Replay* r);

/* Execute R in place of this process, with these options of the tool. */
_Noreturn void replay_become(const Replay* r, const TextList* options);

/* Execute R with these options, without the program's output, and wait until it
   ends.  Return the last line that the tool said, for people; "" if it said
   nothing. */
const char* replay_quietly(const Replay* r, const TextList* options);

/* Return PATH as the tool's options for files take it: with %% for each %. */
const char* plain_path_option(const char* path);

#endif /* DCFG_CMD_REPLAY_RUN_H */
