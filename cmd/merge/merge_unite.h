/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images with their edges, added to a sum. */

/* Private to merge/. */

#ifndef DCFG_CMD_MERGE_UNITE_H
#define DCFG_CMD_MERGE_UNITE_H

#include "cmd/machine/code.h"
#include "cmd/merge/merge.h"

typedef struct Renumber Renumber;

/* Images on their way into a sum, with the edges between their blocks. */
typedef
   struct Addition {
      Merged*            m;
      const char*        path;          // for messages
      MergedImage*       images;
      uint32_t           n_images;
      uint32_t*          place;         // places of the images in M;
                                        // UINT32_MAX: M has none yet
      bool               may_differ;    // another code becomes an image of its
                                        // own
      bool               next_part;     // M is one run, and gets its next part
      Code*              code;          // or NULL; of the images' run
      const DcfgImage*   loaded;        // images as the run has them
      void             (*put)(struct Addition* a, const Renumber* r);
      const void*        arg;           // for that function
      MergedStep*        steps;         // by new node ids
      size_t             n_steps, room;
   }
   Addition;

/* Ends: the ends of a step.  Each is the id of a special node, in no image
   (UINT32_MAX), or the number of a block in an image of M. */
typedef
   struct {
      uint32_t source_image, source, target_image, target;
   }
   Ends;

/* Add the images of A to M: blocks are divided, and edges of M get new ids.  Then
   A->put says, with put_step() and add_step(), which edges come to these.  Dies
   where an image is another one than M's, unless A->may_differ. */
void unite_images(Addition* a);

/* Add a step whose ends are ids already, or whose ends are E. */
void add_step(Addition* a, MergedStep step);
void put_step(Addition* a, const Renumber* r, Ends e, MergedStep step);

/* The id of block BLOCK of M's image PLACE as it is now; and of the first piece
   of block BLOCK of the image that was added there. */
uint32_t block_id(const Renumber* r, uint32_t place, uint32_t block);
uint32_t piece_id(const Renumber* r, uint32_t place, uint32_t block);

#endif /* DCFG_CMD_MERGE_UNITE_H */
