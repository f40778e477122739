/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What is expected of a file, and what is found. */

#ifndef DCFG_FIELDS_H
#define DCFG_FIELDS_H

#include "lib/base/job.h"

/*--- What is expected                                     ---*/

typedef struct Shape Shape;
typedef struct Frame Frame;

typedef
   enum {
      V_INT,            // a number, or one in a string
      V_INTS,           // an array of them
      V_STRING,
      V_TABLE,          // an array of arrays, the first of them its header
      V_OBJECT,
      V_STRINGS         // an object with any keys and strings as values
   }
   ValueKind;

#define F_NEEDED 1      // without it, its row is of no use
#define F_MUST   2      // it should be there
#define F_HEX    4      // known writers write it in hex
#define F_VERSION 16  // what another one has, nobody here can tell
#define F_SILENT 8      // not named in places: there is no other way to go

/* A column of a table or a key of an object. */
typedef
   struct {
      const char*  name;
      ValueKind    kind;
      uint8_t      flags;
      uint64_t     min, max;    // V_INT, V_INTS
      const Shape* shape;       // V_TABLE, V_OBJECT, V_STRINGS
   }
   Field;

#define MAX_FIELDS 7
#define NO_FIELD   MAX_FIELDS   // in place of the index of one

/* A table or object of the same name in the format's other kind of file.  A
   header that has one of its columns, and lacks one that it must have, is of
   that kind. */
typedef
   struct {
      const char* what;         // "this is a ..., not a ..."; for a table
      const char* names[4];     // columns or keys that only the other one has;
                                // then NULL
   }
   Kin;

/* OPEN is called before the values of a row, or of an object; CLOSE after
   them.  If a value that is F_NEEDED is missing, CLOSE is not called but for
   shapes with KEEP, whose parts have been taken already.  Both return false
   to stop, after job_fail().  For V_STRINGS, CLOSE is called for each key,
   with text 0 and 1. */
struct Shape {
   ValueKind    kind;
   bool         keep;
   uint32_t     n_fields;
   const Field* fields;
   bool         (*open)(void* arg, const Frame* f);
   bool         (*close)(void* arg, const Frame* f);
   const Kin*   kin;            // may be NULL
};

/*--- What is found                                        ---*/

#define MAX_COLUMNS 64
#define MAX_FRAMES  10

typedef
   enum { IN_TABLE, IN_HEADER, IN_ROW, IN_OBJECT, IN_STRINGS }
   FrameMode;

/* A table or object that is being read; f[-1] is the one around it.  Values
   of the row or object by their place in the shape's fields. */
struct Frame {
   const Shape* shape;
   FrameMode    mode;
   bool         in_list;                // within a V_INTS
   uint32_t     present;                // a bit for each field
   uint32_t     bad;                    // already complained about
   bool         strange;                // has names of its shape's kin
   uint32_t     field;                  // being read; or NO_FIELD
   uint32_t     n_columns, column;
   uint64_t     row;                    // from 0, not counting the header
   uint64_t     element;                // within a list
   uint8_t      columns[MAX_COLUMNS];   // the field of each
   uint64_t     numbers[MAX_FIELDS];
   size_t       starts[MAX_FIELDS];     // of a list or text on its stack
   size_t       lengths[MAX_FIELDS];
   size_t       n_list, n_text;         // of the stacks before this row
};

typedef
   struct {
      Job*         job;
      void*        arg;                 // for open and close
      const Shape* top;
      uint32_t     n_frames;
      uint32_t     depth;               // all arrays and objects
      uint32_t     skipping;            // those within a value to ignore
      bool         finished;
      /* Stacks: what belongs to a row goes when the row does. */
      uint64_t*    list;
      size_t       n_list, cap_list;
      char*        text;
      size_t       n_text, cap_text;
      Frame        frames[MAX_FRAMES];
   }
   Walk;

static inline Frame* top_frame(Walk* w)
{
   return &w->frames[w->n_frames - 1];
}

/* NULL: none. */
static inline const Field* current_field(const Frame* f)
{
   return f->field == NO_FIELD ? NULL : &f->shape->fields[f->field];
}

/*--- For open and close                                   ---*/

static inline bool has(const Frame* f, uint32_t field)
{
   return f->present >> field & 1;
}

/* 0 if it is not there. */
static inline uint64_t number(const Frame* f, uint32_t field)
{
   return has(f, field) ? f->numbers[field] : 0;
}

static inline size_t length(const Frame* f, uint32_t field)
{
   return has(f, field) ? f->lengths[field] : 0;
}

/* NULL if it is empty. */
static inline const uint64_t* list(const Walk* w, const Frame* f,
                                   uint32_t field)
{
   return length(f, field) > 0 ? w->list + f->starts[field] : NULL;
}

static inline const char* text(const Walk* w, const Frame* f, uint32_t field)
{
   return has(f, field) ? w->text + f->starts[field] : "";
}

#endif /* DCFG_FIELDS_H */
