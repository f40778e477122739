/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A WET file's head and its sections. */

#ifndef DCFG_FORMAT_WET_SECTIONS_H
#define DCFG_FORMAT_WET_SECTIONS_H

/* The head: magic bytes, the version, zeros, the number of the machine. */
#define WET_MAGIC      { 0x89, 'D', 'C', 'F', 'G', 'W', 'E', 'T' }
#define WET_MAGIC_SIZE 8
#define WET_HEAD_SIZE  16
#define WET_VERSION    9       // readers know no other
#define WET_VERSION_AT 8        // offset in the head
#define WET_MACHINE_AT 12

/* Sections.  They come in the order of their numbers, but SectionState comes
   before SectionTape. */
enum {
   SectionRun,            // the run; a salvaged trace has no such section
   SectionSources,        // names of source files
   SectionImages,         // images, with symbols and lines
   SectionInstrs,         // kind, uses and definitions of each instruction
   SectionUnexecuted,     // instructions that never ran, but that branches can
                          // reach
   SectionSuperblocks,    // instructions and accesses of each superblock
   SectionThreads,        // instructions executed by each thread
   SectionBefore,         // executions before the tape, if that is not complete
   SectionTape,           // chunks
   SectionEnd,
   SectionState           // the process at the begin of the tape, and its end
};

/* A section's head: its number in one byte, its length in eight. */
#define WET_SECTION_HEAD 9

/* Bytes of a chunk's head. */
#define WET_CHUNK_HEAD 20u

/* The last number of SectionBefore if the recording ended early. */
#define WET_ENDED_EARLY 1

#endif /* DCFG_FORMAT_WET_SECTIONS_H */
