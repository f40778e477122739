/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   JSON in a file: shapes of tables and objects, and values as they are found. */

#ifndef DCFG_JSON_H
#define DCFG_JSON_H

#include "lib/base/input.h"
#include "lib/base/job.h"

/* --- Shapes: what a file should have                      --- */

typedef struct Shape Shape;
typedef struct Frame Frame;

typedef
   enum {
      V_INT,            // a number, also in a string
      V_INTS,           // an array of such numbers
      V_STRING,
      V_TABLE,          // an array of arrays; the first is the header
      V_OBJECT,
      V_STRINGS         // an object with any keys, and strings as values
   }
   ValueKind;

#define F_NEEDED 1      // without it, the row is useless
#define F_MUST   2      // a problem if it is missing
#define F_HEX    4      // known writers use hexadecimal
#define F_SILENT 8      // left out of places in messages
#define F_VERSION 16    // a version: others cannot be read

/* Field: a column of a table, or a key of an object. */
typedef
   struct {
      const char*  name;
      ValueKind    kind;
      uint8_t      flags;
      uint64_t     min, max;    // for V_INT, V_INTS
      const Shape* shape;       // for V_TABLE, V_OBJECT, V_STRINGS
   }
   Field;

/* The ranges that numbers of the formats have: .min and .max of a Field. */
#define ID     1, 0x7fffffff
#define ID_0   0, 0x7fffffff
#define BITS32 0, UINT32_MAX
#define BITS64 0, UINT64_MAX

#define MAX_FIELDS 12
#define NO_FIELD   MAX_FIELDS   // not an index

/* Kin: a table or object of the same name in the format's other kind of file.
   A header that has one of its columns, and lacks a required one, is of that
   kind. */
typedef
   struct {
      const char* what;         // for "this is a ..., not a ..."; for a table
      const char* names[4];     // columns or keys that only the other kind has;
                                // then NULL
   }
   Kin;

/* Shape: a table or object.  .open is called before the values of a row or
   object, .close after them.  If an F_NEEDED value is missing, .close is called
   only with .keep, for shapes whose parts have been stored already.  Both
   return false to stop, after job_fail().  For V_STRINGS, .close is called for
   each key, with text 0 and 1. */
struct Shape {
   ValueKind    kind;
   bool         keep;
   uint32_t     n_fields;
   const Field* fields;
   bool         (*open)(void* arg, const Frame* f);
   bool         (*close)(void* arg, const Frame* f);
   const Kin*   kin;            // or NULL
};

/* --- Frames: what has been found                          --- */

#define MAX_COLUMNS 64
#define MAX_FRAMES  10

typedef
   enum { IN_TABLE, IN_HEADER, IN_ROW, IN_OBJECT, IN_STRINGS }
   FrameMode;

/* Frame: a table or object that is being read; f[-1] is the one around it.
   Values are indexed by the shape's fields. */
struct Frame {
   const Shape* shape;
   FrameMode    mode;
   bool         in_list;                // inside a V_INTS
   uint32_t     present;                // one bit for each field
   uint32_t     bad;                    // one bit for each field with a
                                        // reported problem
   bool         strange;                // does it have names of the shape's
                                        // kin?
   uint32_t     field;                  // index of the present field, or
                                        // NO_FIELD
   uint32_t     n_columns, column;
   uint64_t     row;                    // from 0, without the header
   uint64_t     element;                // index in a list
   uint8_t      columns[MAX_COLUMNS];   // for each column, its field
   uint64_t     numbers[MAX_FIELDS];
   size_t       starts[MAX_FIELDS];     // begin of a list or text in its stack
   size_t       lengths[MAX_FIELDS];
   size_t       n_list, n_text;         // sizes of the stacks before this row
};

typedef
   struct {
      Job*         job;
      void*        arg;                 // argument of open and close
      const Shape* top;
      uint32_t     n_frames;
      uint32_t     depth;               // open arrays and objects
      uint32_t     skipping;            // those inside an ignored value
      bool         finished;
      /* Stacks: values of a row are removed when the row ends. */
      uint64_t*    list;
      size_t       n_list, cap_list;
      char*        text;
      size_t       n_text, cap_text;
      Frame        frames[MAX_FRAMES];
   }
   Walk;

/* --- For functions open and close                         --- */

static inline bool has(const Frame* frame, uint32_t field)
{
   return frame->present >> field & 1;
}

/* Return a value, or 0 if it is missing. */
static inline uint64_t number(const Frame* frame, uint32_t field)
{
   return has(frame, field) ? frame->numbers[field] : 0;
}

static inline size_t length(const Frame* frame, uint32_t field)
{
   return has(frame, field) ? frame->lengths[field] : 0;
}

/* Return a list, or NULL if it is empty. */
static inline const uint64_t* list(const Walk* walk, const Frame* frame,
                                   uint32_t field)
{
   return length(frame, field) > 0 ? walk->list + frame->starts[field] : NULL;
}

static inline const char* text(const Walk* walk, const Frame* frame,
                               uint32_t field)
{
   return has(frame, field) ? walk->text + frame->starts[field] : "";
}

/* --- For messages                                         --- */

/* Write the walk's place to PLACE.  Return PLACE. */
#define PLACE_SIZE 400
const char* walk_place(const Walk* walk, char* place);

/* --- Parsing                                              --- */

typedef struct Parse Parse;

/* Start to parse IN, which is closed at the end.  The events go to a walk of
   TOP for ARG. */
Parse* parse_start(Job* job, Input* in, const Shape* top, void* arg);
void   parse_end(Parse* parse);

Walk*  parse_walk(Parse* parse);

/* Parse some more text.  Return False at an error. */
bool   parse_some(Parse* parse);

/* Return whether everything has been parsed. */
bool   parse_finished(const Parse* parse);

#endif
