/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files of XRay: the records of its flight data recorder, and the map of
   functions, an ELF file without real code. */

#ifndef DCFG_FORMAT_XRAY_FILES_H
#define DCFG_FORMAT_XRAY_FILES_H

/*--- The log                                              ---*/

/* Sizes in bytes. */
#define XRAY_HEADER_SIZE   32u
#define XRAY_METADATA_SIZE 16u
#define XRAY_FUNCTION_SIZE 8u

/* Kinds of metadata records.  A record's first byte has 1 in its lowest bit for
   metadata, and the kind in the bits above. */
enum {
   XrayNewBuffer, XrayEndOfBuffer, XrayNewCpu, XrayTscWrap,
   XrayWallClock, XrayCustomEvent, XrayCallArgument,
   XrayBufferExtents, XrayTypedEvent, XrayPid, XRAY_N_KINDS
};

/* The event that a function record tells. */
typedef
   enum {
      XrayEnter     = 0,
      XrayExit      = 1,
      XrayTailExit  = 2,
      XrayEnterArgs = 3
   }
   XrayAction;

/* The data of an event that tells the base of the thread's ticks: these bytes, and
   in eight more what all other threads had executed at its tick.  The other
   threads' instructions and the tick are the time.  Texts of programs do not begin
   with the byte 0. */
#define XRAY_OTHERS      "\0others"
#define XRAY_OTHERS_SIZE 16u

/*--- The map                                              ---*/

/* Function ID, counted from 1, begins at MAP_FIRST_ADDR + (ID - 1) *
   MAP_FUNCTION_SIZE. */
#define MAP_FIRST_ADDR    0x1000u
#define MAP_FUNCTION_SIZE 16u

#endif /* DCFG_FORMAT_XRAY_FILES_H */
