/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Partial sums, written. */

/* Private to merge/. */

#ifndef DCFG_CMD_MERGE_TABLES_H
#define DCFG_CMD_MERGE_TABLES_H

#include "cmd/merge/merge.h"

#include "format/put.h"
#include "tool/graph/graph.h"

/* PartialTables: the data for MERGED. */
typedef
   struct {
      const Merged*    m;
      const LeftOut*   left_out;
      const uint32_t*  order;           // images in the order of the file
      const Graph*     graph;           // as it is written
      const Edge*      added;           // edges of the graph that no run has,
                                        // in order
      uint32_t         n_added;
      const bool*      rows_differ;     // by image: they differ from those in
                                        // the file
      uint32_t       (*file_id)(const void* files, const char* name);
      const void*      files;
   }
   PartialTables;

/* Put the member MERGED, for JsonDcfg.more.  ARG is a PartialTables. */
void put_merged(Put* out, const void* arg);

#endif /* DCFG_CMD_MERGE_TABLES_H */
