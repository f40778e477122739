/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The state of the process in a wet file. */

#ifndef DCFG_LIB_WET_STATE_H
#define DCFG_LIB_WET_STATE_H

#include "lib/wet/wet.h"

/* WetState: the state, and the arrays that .told has. */
struct WetState {
   DcfgWetState told;
   Array  aux;                  // DcfgWetAux
   Array  mappings;             // DcfgWetMapping
   Array  threads;              // DcfgWetThread
   Array  registers;            // DcfgWetRegister: of all threads
   Array  contents;             // DcfgWetContents
   Array  bytes;                // uint8_t: the section
   Arena  names;
};

/* Read the section of the process's state from B, behind those of images and
   threads, to S, which is all zeros. */
bool wet_get_state(DcfgWet* w, WetState* s, ByteReader* b);

/* Read the section that tells which run W is of. */
bool wet_get_run(DcfgWet* w, ByteReader* b);

/* Free both. */
void wet_free_state(DcfgWet* w);

/* Read registers from B, up to its end, and add them to TO, of DcfgWetRegister.
   Their .bytes point into B.  Return false, with an error of JOB, if memory is
   short; B fails if its bytes make no sense. */
bool wet_get_registers(Job* job, const DcfgWet* w, ByteReader* b, Array* to);

/* Read from B how the range of M is mapped, into the other members of M.  NAME,
   of char, becomes the file's name; an empty name in B means NAME as it is.
   Return false, with an error, if memory is short; B fails if its bytes make no
   sense. */
bool wet_get_mapping(Job* job, ByteReader* b, DcfgWetMapping* m, Array* name);

#endif /* DCFG_LIB_WET_STATE_H */
