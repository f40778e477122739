/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Symbols and source lines of images, and sets of places of code. */

#ifndef __DCFG_SYMBOLS_H
#define __DCFG_SYMBOLS_H

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_xarray.h"
#include "format/port.h"
#include "tool/graph/graph.h"

/*--- Sets of places                                       ---*/

/* CodeSet: a set of addresses of images. */
typedef struct _CodeSet CodeSet;

CodeSet* DCFG_(new_code_set)(void);
void     DCFG_(delete_code_set)(CodeSet* s);

/* Return whether S has address A of IMAGE. */
Bool DCFG_(has_place)(CodeSet* s, UInt image, Addr a);

/* Add address A of IMAGE.  Return False if S had it. */
Bool DCFG_(add_place)(CodeSet* s, UInt image, Addr a);

/*--- Symbols                                              ---*/

/* Call DO_IT for each name of each symbol of DI's code.  NAME is valid during
   the call. */
void DCFG_(each_symbol)(const DebugInfo* di,
                        void (*do_it)(void* arg, Addr addr, UInt size,
                                      const HChar* name), void* arg);

/* Return the index of the first symbol of IM that has the same address as the
   symbol around A; or the number of symbols if there is none. */
UInt DCFG_(symbol_around)(const ImageInfo* im, Addr a);

/* Return the line of the instruction at A, or NULL if it is not known. */
const ImageLine* DCFG_(line_at)(const ImageInfo* im, Addr a);

/*--- Source lines                                         ---*/

/* Prepare the list of source files. */
void DCFG_(init_lines)(void);

/* Add to LINES, ImageLines in the order of addresses, those of the instructions
   of image NO that were translated since the last call.  The debug information
   of the image must be present.  *LAST is for the next call, 0 for the first
   one. */
void DCFG_(add_lines)(XArray* lines, UInt no, /*MOD*/UInt* last);

/* Return a new list for add_lines().  The caller frees it. */
XArray* DCFG_(new_lines)(void);

/* Return the path of a source file, 0 .. n_source_files-1. */
UInt         DCFG_(n_source_files)(void);
const HChar* DCFG_(source_file_name)(UInt no);

#endif
