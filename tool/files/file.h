/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Output files. */

#ifndef __DCFG_FILE_H
#define __DCFG_FILE_H

#include "pub_tool_basics.h"
#include "format/put.h"

/* OutFile: a file that gets its name only when it is complete. */
typedef struct _OutFile OutFile;

/* Return the path that OPT's FORMAT leads to, for the caller to free, if that
   is a regular file or does not exist.  NULL: it is a descriptor, a device or a
   FIFO. */
HChar* DCFG_(path_of_file)(const HChar* opt, const HChar* format);

/* Return whether a file for WHAT can stand beside the file of OPT's FORMAT. If
   that is not a regular file, print a message and return False. */
Bool DCFG_(has_side_file)(const HChar* opt, const HChar* format,
                          const HChar* what);

/* Return why FORMAT (%p, %q{VAR}, %n) is not a file name, or NULL if it is one.
   A wrong option ends the tool, but a wrong request of the program or a
   debugger must not. */
const HChar* DCFG_(why_no_name)(const HChar* format);

/* Set the function that returns the text of %m: what runs of the same build of
   the same program have in common.  The caller frees the text. */
void DCFG_(set_program)(HChar* (*name)(void));

/* Return whether FORMAT has %m: runs are added to the files that it names. */
Bool DCFG_(merges_runs)(const HChar* format);

/* Exit with a message if OPT's FORMAT has %m and names no graphs, or if the
   graph's name has %m and this run is recorded in another file, too.  Claiming
   does so. */
void DCFG_(refuse_merging)(const HChar* opt, const HChar* format);

/* From now on, files are written because an execve may follow, or not any
   more. */
void DCFG_(expect_execve)(Bool expected);

/* Claim the file that option OPT names with FORMAT (%p, %q{VAR}, %n, and %m for
   the graph), before the program runs.  If it cannot be created, or another option has claimed it,
   print a message and exit. */
void DCFG_(claim_out_file)(const HChar* opt, const HChar* format);

/* Forget the files of the parent.  Call it in the child of a fork. */
void DCFG_(disown_out_files)(void);

/* Set the part of the run, whose number is in the names of files from now on.
   0: the rest of the run, with the names that the user gave. */
void DCFG_(set_part)(UInt n);

/* Return the name of OPT's FORMAT with the part's number and then SUFFIX before
   .json and a compressor's suffix.  A file that is not regular keeps its name.
   The caller frees it. */
HChar* DCFG_(name_of_part)(const HChar* opt, const HChar* format,
                           const HChar* suffix);

/* Return the name of a directory for the part, likewise. */
HChar* DCFG_(directory_of_part)(const HChar* format);

/* --- Files are opened and closed one after the other, and get their names
       when all of them are finished. --- */

/* Open the file of OPT's FORMAT, or of another format that stands for OPT.  If
   NEEDS is not NULL, the file is kept only if the file of option NEEDS is.
   IS_PRIVATE: only the user may read it.  Errors are kept for later. */
OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format,
                              const HChar* needs, Bool is_private);

/* Return where to put text for the file.  After a flush, .n_bytes is the size
   of the file. */
Put* DCFG_(text_of_file)(OutFile* out);

/* Open file NAME in the directory that OPT names with FORMAT.  The directory is
   made if there is none, and belongs to this process alone: if another process
   wrote a file with the first file's name, another directory is used. */
OutFile* DCFG_(open_file_inside)(const HChar* opt, const HChar* format,
                                 const HChar* name);

/* Set the file's reader, a command.  Without an argument, it reads the newest
   file whose name begins as the format FOUND does up to its %; NULL: it needs a
   name. */
void DCFG_(set_reader)(OutFile* out, const HChar* command, const HChar* found);

/* Return the end of a message that tells of COMMAND, which reads the file NAME;
   FOUND is as above.  The caller frees it. */
HChar* DCFG_(see_with)(const HChar* command, const HChar* name,
                       const HChar* found);

/* Give the file up: remove it. */
void DCFG_(abandon_out_file)(OutFile* out);

/* Write all text; no more is put.  Return False if there was an error.  Call
   close_out_file() next, or replace_out_file() if another file of the same name
   takes the place of this one; then its error is not reported. */
Bool DCFG_(end_out_file)(OutFile* out);
void DCFG_(replace_out_file)(OutFile* out);

/* Compress the file if its name asks for it.  WHAT is the message about its
   contents; NULL: no message.  Return False if there was an error, which will
   be reported. */
Bool DCFG_(close_out_file)(OutFile* out, const HChar* what, ...)
   PRINTF_CHECK(2, 3);

/* Return whether OPT had a file, and it failed. */
Bool DCFG_(out_file_failed)(const HChar* opt);

/* Give all files their names, and report each file or its error.  A file with
   an error is removed.

   Forked children take other names and say so.  So does the second of two
   processes that write one file at the same time.  If CLAIMED, the names are
   those of options; then all files of a process take other names, now and
   later.

   AT_END: the last message ends with the command that reads the last file, but
   only in the process that began the family. */
Bool DCFG_(finish_out_files)(Bool claimed, Bool at_end);

#endif /* __DCFG_FILE_H */
