/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images with their edges, added to a sum. */

/* Private to merge/. */

#ifndef DCFG_CMD_MERGE_UNITE_H
#define DCFG_CMD_MERGE_UNITE_H

#include "cmd/machine/code.h"
#include "cmd/merge/merge.h"

typedef struct Renumber Renumber;

/* Addition: images on their way into a sum, with the edges between their
   blocks. */
typedef
   struct Addition {
      Merged*            m;
      const char*        path;          // for messages
      MergedImage*       images;
      uint32_t           n_images;
      uint32_t*          place;         // by image: its index in M; UINT32_MAX:
                                        // M has none yet
      bool               may_differ;    // other code becomes an image of its
                                        // own, and is no error
      bool               next_part;     // M is one run, and gets its next part
      Code*              code;          // the images' run's; or NULL
      const DcfgImage*   loaded;        // images as in the run
      void             (*put)(struct Addition* a, const Renumber* r);
      const void*        arg;           // for .put()
      MergedStep*        steps;         // by new node ids
      size_t             n_steps, room;
   }
   Addition;

/* Ends: the ends of a step: the number of a block in an image of M; or the id
   of a special node, and UINT32_MAX for the image. */
typedef
   struct {
      uint32_t source_image, source, target_image, target;
   }
   Ends;

/* Add the images of A to M: divide blocks, and give edges of M new ids.  Then
   call A->put, which adds edges by put_step() and add_step().  Die if an image
   has other code than M's, unless A->may_differ. */
void unite_images(Addition* a);

/* Add a step whose ends are ids; add a step whose ends are E. */
void add_step(Addition* a, MergedStep step);
void put_step(Addition* a, const Renumber* r, Ends e, MergedStep step);

/* Return the present id of block BLOCK of M's image PLACE; of the first piece
   of block BLOCK of the image added there. */
uint32_t block_id(const Renumber* r, uint32_t place, uint32_t block);
uint32_t piece_id(const Renumber* r, uint32_t place, uint32_t block);

#endif /* DCFG_CMD_MERGE_UNITE_H */
