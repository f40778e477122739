/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images: mappings with executed code, their symbols and source lines. */

#ifndef __DCFG_IMAGE_H
#define __DCFG_IMAGE_H

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_xarray.h"
#include "format/port.h"
#include "tool/graph/graph.h"
#include "tool/run/bytes.h"

/*--- Images                                               ---*/

/* Return the number of the image of the code at A, which is about to run.  A
   mapping becomes a new image after an unmapping.  But an object that is mapped
   in the same place again, with the same code, is the same image. */
UInt DCFG_(image_at)(Addr a);

/* Image NO is of a mapping that runs other code at A from now on: return the
   number of its next generation.  KEEP its translations, if can_keep(), or discard
   them; they stay if there were many generations. */
UInt DCFG_(next_generation)(UInt no, Addr a, Bool keep);
Bool DCFG_(can_keep)(UInt no);

/* Return whether translations that count in older generations of image NO may
   still run. */
Bool DCFG_(may_mix)(UInt no);

/* Return whether translations of older generations can be kept beyond the next
   generation of image NO, which keeps its own where they are. */
Bool DCFG_(can_wait)(UInt no);

/* Note that a superblock at A was translated, or counts again, in image NO. */
void DCFG_(note_translation)(UInt no, Addr a);

/* Tell watchers that another function has the LEN bytes at A. */
void DCFG_(tell_renamed)(Addr a, SizeT len);

/* Give the code that the program has generated the names that it has told. */
void DCFG_(name_generated_code)(void);

/* Return the code of image NO, NULL if the image is over.  Owned by the
   image. */
Code* DCFG_(code_of_image)(UInt no);

/* Set the addresses where image NO begins and ends; END is exclusive. */
void DCFG_(extent_of_image)(UInt no, /*OUT*/Addr* load, /*OUT*/Addr* end);

/* Have DO_IT called before the mapping of LEN bytes at A goes; and, with
   IS_OVER, before an image of these bytes is over for that reason. */
void DCFG_(when_mapping_goes)(void (*do_it)(Addr a, SizeT len, Bool is_over));

/* Return the address of the program's first instruction; 0 if it is not
   known. */
Addr DCFG_(program_entry)(void);

/* Return the name of the program's file without its directories, and a number
   that other builds do not have.  The caller frees it. */
HChar* DCFG_(program_and_build)(void);

/* Return the build id of the object whose begin is mapped at LOAD, in
   hexadecimal; NULL: it has none.  The caller frees it. */
HChar* DCFG_(build_id_at)(Addr load);

/* Return the address of the first byte of the object that is mapped at A. */
Addr DCFG_(load_address)(Addr a);

/* Return whether code of image NO can run: it has translations. */
Bool DCFG_(image_can_run)(UInt no);

/* Return whether no more code will ever be translated from image NO. */
Bool DCFG_(image_is_over)(UInt no);

/* Register for the core's mappings and unmappings. */
void DCFG_(track_images)(void);

/* Copy the symbols of all images, so that a child that is about to be forked
   need not. */
void DCFG_(share_symbols)(void);

/* The program has ended: the core keeps its debug information from now on. */
void DCFG_(keep_debug_info)(void);

UInt DCFG_(n_images)(void);

/* Describe image NO, 0 .. n_images-1.  Valid until code runs again. */
void DCFG_(image_info)(UInt no, Bool with_lines, ImageInfo* info);

/*--- Names                                                ---*/

/* Return the one string that is equal to NAME, so that equal names have equal
   pointers.  The string is never freed. */
const HChar* DCFG_(name)(const HChar* name);

/* Return the interned path of source FILE in directory DIR, as debug
   information names them. */
const HChar* DCFG_(source_path)(const HChar* dir, const HChar* file);

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

/* Return the path of a source file, 0 .. n_source_files-1. */
UInt         DCFG_(n_source_files)(void);
const HChar* DCFG_(source_file_name)(UInt no);

#endif
