/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Output files. */

#ifndef __DCFG_FILE_H
#define __DCFG_FILE_H

#include "pub_tool_basics.h"
#include "base/put.h"

/* A file that appears under its name only when it is complete. */
typedef struct _OutFile OutFile;

/* Where OPT's FORMAT leads, to be freed, if that is a regular file or there
   is nothing so far; NULL if it is a descriptor, a device, a FIFO. */
HChar* DCFG_(path_of_file)(const HChar* opt, const HChar* format);

/* Can there be a file with WHAT beside OPT's FORMAT?  Not beside what is no
   regular file, which is told. */
Bool DCFG_(has_side_file)(const HChar* opt, const HChar* format,
                          const HChar* what);

/* Why FORMAT (%p, %q{VAR}, %n) names no file, or NULL if it does.  What an
   option says is wrong ends the tool; what comes later must not. */
const HChar* DCFG_(why_no_name)(const HChar* format);

/* Before the program runs: option OPT names with FORMAT (%p, %q{VAR}, %n)
   a file that will be written.  If it cannot be created, or another option
   has named it before, say so and exit. */
void DCFG_(claim_out_file)(const HChar* opt, const HChar* format);

/* Call this in the child of a fork: it is not the process that wrote its
   parent's files. */
void DCFG_(disown_out_files)(void);

/* From now on files are of part N of the run, which stands in their names;
   0: of all that is left, with the names that the user gave. */
void DCFG_(set_part)(UInt n);

/* The name of OPT's FORMAT with the part's number and then SUFFIX before
   .json and a compressor's suffix; to be freed.  What is no regular file is
   itself. */
HChar* DCFG_(name_of_part)(const HChar* opt, const HChar* format,
                           const HChar* suffix);

/* The same for a directory. */
HChar* DCFG_(directory_of_part)(const HChar* format);

/* --- Files are opened and closed one after the other, and get their names
       when all of them are finished. --- */

/* Start writing that file, or another one that is named as OPT's are.  It
   will not be there unless NEEDS's is, an option or NULL.  Trouble is
   remembered. */
OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format,
                              const HChar* needs);

/* What is put there goes into the file.  .n_bytes of it have been written,
   once it was flushed. */
Put* DCFG_(text_of_file)(OutFile* f);

/* The same for NAME in the directory that OPT names with FORMAT, which is made
   if there is none, and belongs to this process alone: where another one wrote
   a file with the name of the first, it is another directory. */
OutFile* DCFG_(open_file_inside)(const HChar* opt, const HChar* format,
                                 const HChar* name);

/* The file's reader is COMMAND.  Without a name it reads the newest file that is
   called as the format FOUND says up to its %; NULL: it needs a name. */
void DCFG_(set_reader)(OutFile* f, const HChar* command, const HChar* found);

/* Give up: leave no file. */
void DCFG_(abandon_out_file)(OutFile* f);

/* No more text is put: write all of it.  Returns False if there was trouble.
   close_out_file() follows; or replace_out_file(), if another file of the same
   name is opened in the place of this one, whose trouble is not told. */
Bool DCFG_(end_out_file)(OutFile* f);
void DCFG_(replace_out_file)(OutFile* f);

/* Compress if the name asks for it.  The user will be told WHAT is in it,
   unless that is NULL.  Returns False if there was trouble, which will be
   told. */
Bool DCFG_(close_out_file)(OutFile* f, const HChar* what, ...)
   PRINTF_CHECK(2, 3);

/* There was a file of OPT, and trouble with it. */
Bool DCFG_(out_file_failed)(const HChar* opt);

/* Give all files their names and tell the user that they were written, or
   else what the trouble was, which leaves no file.

   Forked children take other names and say so; so does, where two processes
   would write one file, the second to finish.  If options CLAIMED the names, all files of a
   process have other names, then and later.

   AT_END: the last line has what to type next, the command that reads the last
   file with a reader; but only in the process that began the family. */
Bool DCFG_(finish_out_files)(Bool claimed, Bool at_end);

#endif /* __DCFG_FILE_H */
