/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes that the trace does not have. */

#ifndef DCFG_CMD_WHY_UNSEEN_H
#define DCFG_CMD_WHY_UNSEEN_H

#include "cmd/slice/slice_query.h"

/* UnseenKind: how much is known of a value that no executed instruction wrote. */
typedef
   enum {
      UNSEEN_NOT,               // no: the value is initial data
      UNSEEN_TOLD,              // somebody else wrote it: see DcfgSliceUnseen
      UNSEEN_MAPPED,            // memory of a mapped data file: .since is the time
                                // of the mapping
      UNSEEN_INITIAL,           // somebody else wrote initial memory, which is so
                                // from .since on
      UNSEEN_NO_PLACE           // somebody else wrote it, and no more is known
   }
   UnseenKind;

/* Set *U to what instance USER of F's slice loads; UNSEEN: its input says that
   somebody else wrote it. */
UnseenKind why_unseen(const Sliced* f, uint32_t user, bool unseen,
                      DcfgSliceUnseen* u);

/* UnseenPlace: returns the words for an instance; they last until text_forget(). */
typedef
   struct {
      const char* (*text)(void* arg, uint32_t instr, uint64_t instance);
      void* arg;
   }
   UnseenPlace;

/* Print what F's trace tells of U, which has KIND, in lines behind INDENT,
   which the first one lacks; as the member "unseen" of a JSON object. */
void why_tell_unseen(const Sliced* f, UnseenKind kind,
                     const DcfgSliceUnseen* u, const char* indent,
                     const UnseenPlace* place);
void why_json_unseen(const Sliced* f, UnseenKind kind,
                     const DcfgSliceUnseen* u, const UnseenPlace* place);

#endif /* DCFG_CMD_WHY_UNSEEN_H */
