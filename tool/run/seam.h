/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Seams: between two parts of a run. */

#ifndef __DCFG_SEAM_H
#define __DCFG_SEAM_H

/* Keep the data for the next part.  The part before has been gathered and
   written, and is about to be forgotten. */
void DCFG_(note_seams)(void);

/* Note that the next part does not join the parts before: something is
   forgotten without being written. */
void DCFG_(tear_seams)(void);

#endif /* __DCFG_SEAM_H */
