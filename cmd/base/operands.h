/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The files that a subcommand reads. */

#ifndef DCFG_CMD_OPERANDS_H
#define DCFG_CMD_OPERANDS_H

#include "cmd/base/cmd.h"

#include "lib/dcfg.h"
#include "lib/dcfg_rec.h"
#include "lib/dcfg_slice.h"
#include "lib/dcfg_wet.h"

#include <time.h>

typedef
   enum {
      KIND_OTHER,       // none of the others
      KIND_GRAPH, KIND_TRACE, KIND_TURNS, KIND_XRAY, KIND_MAP, KIND_WET, KIND_REC,
      KIND_PACK,
      KIND_PROFILE, KIND_UFTRACE, KIND_VECTORS, KIND_BASELINE, KIND_PROGRAM,
      KIND_EMPTY,
      KIND_UNFINISHED, KIND_CHOICE, KIND_LACKEY   // may be needed, is never
                                                  // found
   }
   FileKind;

/* The first file in a pack of dcfg record. */
#define PACK_FIRST "recording.rec"

/* How a baseline of dcfg gate begins; its reader takes members in any order. */
#define BASELINE_HEAD "{ \"BASELINE_VERSION\" :"

/* Die if several of N FILES are "-": there is one standard input. */
void only_one_input(const char* const* files, uint32_t n);

/* Return the kind of the file PATH, by its first bytes and not by its name. */
FileKind file_kind(const char* path);

/* Return whether PATH is a whole execution trace, without reading more of
   it. */
bool is_wet(const char* path);

/* FileNames: names in the order in which they were given. */
typedef
   struct {
      const char** all;
      uint32_t     n, room;
      size_t*      stems;       // lengths; NULL before find_stems()
      char*        text;        // text of the list in .all
   }
   FileNames;

/* Add NAME. */
void add_file_name(FileNames* names, const char* name);

/* Add the names in the file LIST, one a line or, if NUL_ENDED, each before a NUL
   character; "-" is the standard input.  Dies if it cannot be read. */
void read_file_names(FileNames* names, const char* list, bool nul_ended);

/* Return the length of NAME without a suffix of compression and ".json". */
size_t plain_length(const char* name);

/* Find out which of NAMES belong together: parts of one run have one stem.  A
   number in front of ".json" is that of a part if the name without it is there,
   too, or if IS_PART says so of the first such file. */
void find_stems(FileNames* names, bool (*is_part)(const char* name));

/* Divide NAMES into at most N lists of about the same number of bytes, each with
   some; those of one stem come into one.  Returns how many there are, in
   LISTS. */
uint32_t divide_files(const FileNames* names, uint32_t n, FileNames* lists);

void free_file_names(FileNames* names);

/* FoundFile: a file of a directory. */
typedef
   struct {
      char*           name;
      struct timespec time;     // time of the last change
      uint64_t        size;
   }
   FoundFile;

typedef
   struct {
      FoundFile* files;
      size_t     n, room;
   }
   FoundFiles;

/* Return the files and directories in FOLDER whose names begin with PREFIX, the
   newest first.  `dcfg list' shows recordings in this order, and commands read
   the first of the kind that they need. */
FoundFiles list_files(const char* folder, const char* prefix);
void free_found(FoundFiles* l);

/* Return whether runs wait in GRAPH.runs that belong to the file GRAPH. */
bool runs_wait(const char* graph);

/* Let `dcfg merge' add them to the file, so that readers find all runs in it. If
   that fails, say so. */
void take_waiting_runs(const char* graph);

/* Return whether the tool has not finished the file of this name. */
bool is_temporary(const char* name);

/* Return the kind of the recordings to which the tool gives a name that begins
   as NAME does, by default; KIND_OTHER if there is none.  *KEY becomes the rest
   of the name that all recordings of one process have in common, of *LENGTH
   bytes: the process id, then perhaps more numbers. */
FileKind default_kind(const char* name, const char** key, size_t* length);

/* Choose files for a command line without any: FILES[0] is the newest DCFG in
   the current directory, and with TRACE, FILES[1] is the same process's trace.
   Print their names to stderr; exit if there is none. */
void default_files(const Command* c, const char** files, bool trace);

/* Choose FILES likewise: the newest DCFG and, if it is there, its trace.  Return
   how many there are.  Die if the DCFG has neither a trace nor recorded calls. */
int default_recording(const Command* c, const char** files);

/* Return the newest file of KIND in the current directory, likewise: an XRay
   log, a recording for replays or a whole execution trace. */
const char* default_file(const Command* c, FileKind kind);

/* Return the newest whole execution trace or recording for replays, likewise. */
const char* default_trace(const Command* c);

/* The end of the name of a recording's window, behind the recording's name: a
   whole execution trace that dcfg has made.  Commands do not choose it by
   themselves. */
#define WINDOW_SUFFIX ".wet"

/* Return whether the file NAME in FOLDER, which is "" or ends with a slash, is a
   window of a recording there. */
bool is_window(const char* folder, const char* name);

/* Load the recording for replays, or exit. */
DcfgRec* load_rec(const char* path);

/* Return the newest file of KIND beside GRAPH of the process that wrote that, by
   the names that the tool gives its files: a trace, an XRay log, a whole
   execution trace or a profile.  Return NULL if there is none.  The caller frees
   it. */
char* file_beside(const char* graph, FileKind kind);

/* Die: of a DCFG and its trace only FILE is named. */
_Noreturn void one_is_missing(const Command* c, const char* file);

/* Return the library's options for reading a file.  PROBLEM, which may be NULL,
   is called with ARG for each violation. */
DcfgOptions read_options(void (*problem)(void* arg, const DcfgProblem* p),
                         void* arg);

/* Return the same, without a function, for as long as the command runs. */
const DcfgOptions* plain_options(void);

/* Load the file with the runs that wait for it, as dcfg_load() does.  A baseline
   of dcfg gate is no graph. */
Dcfg* read_dcfg(const char* path, const DcfgOptions* options, DcfgError* err);

/* Load the file likewise, or exit. */
Dcfg* load_dcfg(const char* path);

/* Say which processes of the file at PATH have sums that do not fit 64 bits.
   load_dcfg() does so. */
void  warn_of_full(const char* path, const Dcfg* d);

/* Return whether PATH is the DCFG of a part of a run. */
bool is_part_of_run(const char* path);

/* Open the trace of process P, with instructions counted by P: a thread's, or
   all for DCFG_ALL_THREADS.  Exit if it cannot be opened. */
DcfgTrace* load_trace(const DcfgProcess* p, const char* path, uint32_t thread);

/* Open the whole execution trace, or exit. */
DcfgWet* load_wet(const char* path);

/* Return the events of W that F selects, all if F is NULL.  Errors end the
   program. */
DcfgWetEvents* load_events(DcfgWet* w, const DcfgWetFilter* f);

/* Return the slice of W that Q asks for, likewise. */
DcfgSlice* load_slice(DcfgWet* w, const DcfgSliceQuery* q);

/* Return why a file could not be read, where one of kind NEEDED should be;
   KIND_OTHER: of any kind. */
const char* unreadable(const DcfgError* err, FileKind needed);

/* Exit unless GOOD: ERR says why a file of kind NEEDED could not be read. */
void need_file(bool good, const DcfgError* err, FileKind needed);

/* Exit because the trace PATH lacks PROCESS, or with THREAD the chosen thread
   of PROCESS. */
_Noreturn void refuse_other_run(const char* path, uint64_t process,
                                bool thread);

/* Exit if PATH is known to be of another kind than NEEDED. */
void refuse_other_kind(const char* path, FileKind needed);

/* Return the thread of --thread=N, which must exist in a process;
   DCFG_ALL_THREADS without the option, which is UINT64_MAX. */
uint32_t need_thread(const Dcfg* d, uint64_t thread);

/* Open a text file of kind NEEDED, which may be compressed; "-" is the standard
   input.  Exits if it is of another kind or cannot be opened, and later if it
   cannot be read. */
FILE* open_text(const char* path, FileKind needed);

#endif /* DCFG_CMD_OPERANDS_H */
