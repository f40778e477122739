/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes that the trace does not have. */

#ifndef DCFG_CMD_WHY_UNSEEN_H
#define DCFG_CMD_WHY_UNSEEN_H

#include "cmd/slice/slice_query.h"

/* UnseenInstance: an instance; .instr is DCFG_NONE if there is none. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
   }
   UnseenInstance;

/* UnseenCall: a system call during the time in which somebody else wrote, and the
   last instance of the program's own lines before it. */
typedef
   struct {
      UnseenInstance at, line;
      char*          name;      // "?": not known
   }
   UnseenCall;

/* UnseenStory: all that the trace tells of an unseen write. */
#define MOST_UNSEEN_CALLS 3
typedef
   struct {
      UnseenInstance since;     // told the bytes last
      UnseenInstance load;      // finds other ones
      char*          file;      // the file mapped there; NULL: none
      UnseenInstance alias;     // stored through another mapping of .file
      UnseenCall     calls[MOST_UNSEEN_CALLS];  // those that may write memory, or
                                // the last ones
      unsigned       n_calls;
      bool           writers;   // .calls may write memory
      uint64_t       n_more;    // system calls that are not among them
   }
   UnseenStory;

/* Return the unseen write that instance USER of F's slice loads; NULL if it is not
   known which. */
const DcfgSliceUnseen* why_unseen_of(const Sliced* f, uint32_t user);

/* UnseenPlace: returns the words for an instance; they last until text_forget(). */
typedef
   struct {
      const char* (*text)(void* arg, uint32_t instr, uint64_t instance);
      void* arg;
   }
   UnseenPlace;

/* Print what the trace in FILE tells of the unseen write that USER loads, in lines
   behind INDENT, which the first one lacks; as the member "unseen" of a JSON object. */
void why_tell_unseen(const Sliced* f, const char* file, uint32_t user,
                     const char* indent, const UnseenPlace* place);
void why_json_unseen(const Sliced* f, const char* file, uint32_t user,
                     const UnseenPlace* place);

/* Set *TO to the story of U, in the trace that FILE has; unseen_story_free() frees
   it.  Return false if the file cannot be read again. */
bool unseen_story(const DcfgSliceUnseen* u, const char* file, UnseenStory* to);
void unseen_story_free(UnseenStory* s);

#endif /* DCFG_CMD_WHY_UNSEEN_H */
