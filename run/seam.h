/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Between two parts of a run. */

#ifndef __DCFG_SEAM_H
#define __DCFG_SEAM_H

/* What ran has just been gathered and written, and is about to be forgotten:
   keep what the next part has to know of where threads stand. */
void DCFG_(note_seams)(void);

/* It is forgotten, and was not written. */
void DCFG_(tear_seams)(void);

#endif /* __DCFG_SEAM_H */
