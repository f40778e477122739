/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables and objects of a DCFG. */

/* Owns: the tables and objects of a DCFG (its specification, part 2), and
   filling the arrays of a Model.  Handed: rows by walk.c.  Taken by: load.c;
   the shapes of images are in image_shape.c.

   The order of tables is free: a row may refer to an id that comes later.  So
   until everything has been read, references are ids, 0 for none, and addresses
   lack their image's LOAD_ADDR. */

#include "lib/graph/model.h"
#include "lib/graph/shapes.h"
#include "lib/graph/image_shape.h"
#include "lib/graph/merged_shape.h"

#include <stdlib.h>
#include <string.h>

/*--- Names                                                ---*/

enum { FILE_ID, FILE_NAME };

static bool close_file(void* arg, const Frame* f)
{
   Load*         l = arg;
   DcfgFileName* file = array_add(l->job, &l->m->files, sizeof(*file));

   if (file == NULL)
      return false;
   file->id = (uint32_t)number(f, FILE_ID);
   file->name = keep_text(l, f, FILE_NAME);
   return file->name != NULL;
}

static const Field file_fields[] = {
   { "FILE_NAME_ID", V_INT, F_NEEDED, ID, NULL },
   { "FILE_NAME", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape files = { V_TABLE, false, 2, file_fields,
                             NULL, close_file, NULL };

enum { TYPE_ID, TYPE_NAME };

static bool close_edge_type(void* arg, const Frame* f)
{
   Load*             l = arg;
   DcfgEdgeTypeName* t = array_add(l->job, &l->m->edge_types, sizeof(*t));

   if (t == NULL)
      return false;
   t->id = (uint32_t)number(f, TYPE_ID);
   t->name = keep_text(l, f, TYPE_NAME);
   if (t->name == NULL)
      return false;
   t->type = DCFG_EDGE_ENTRY;
   while (t->type < DCFG_EDGE_OTHER
          && strcmp(t->name, dcfg_edge_type_text(t->type)) != 0)
      t->type++;
   return true;
}

static const Field edge_type_fields[] = {
   { "EDGE_TYPE_ID", V_INT, F_NEEDED, ID, NULL },
   { "EDGE_TYPE", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape edge_types = { V_TABLE, false, 2, edge_type_fields,
                                  NULL, close_edge_type, NULL };

enum { SPECIAL_ID, SPECIAL_NAME };

static bool close_special_node(void* arg, const Frame* f)
{
   Load*            l = arg;
   DcfgSpecialNode* s = array_add(l->job, &l->m->special_nodes, sizeof(*s));

   if (s == NULL)
      return false;
   s->id = (uint32_t)number(f, SPECIAL_ID);
   s->name = keep_text(l, f, SPECIAL_NAME);
   if (s->name == NULL)
      return false;
   s->kind = strcmp(s->name, "START") == 0 ? DCFG_NODE_START
           : strcmp(s->name, "END") == 0 ? DCFG_NODE_END
           : strcmp(s->name, "UNKNOWN") == 0 ? DCFG_NODE_UNKNOWN
           : DCFG_NODE_OTHER;
   return true;
}

static const Field special_node_fields[] = {
   { "NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "NODE_NAME", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape special_nodes = { V_TABLE, false, 2, special_node_fields,
                                     NULL, close_special_node, NULL };

/*--- Processes                                            ---*/

enum { EDGE_ID, EDGE_SOURCE, EDGE_TARGET, EDGE_TYPE, EDGE_COUNTS };

static bool close_edge(void* arg, const Frame* f)
{
   Load*           l = arg;
   Process*        p = last_process(l);
   DcfgEdge*       e = array_add(l->job, &p->edges, sizeof(*e));
   size_t          n = length(f, EDGE_COUNTS);
   const uint64_t* counts = list(l->walk, f, EDGE_COUNTS);

   if (e == NULL)
      return false;
   e->id = (uint32_t)number(f, EDGE_ID);
   e->source = (uint32_t)number(f, EDGE_SOURCE);
   e->target = (uint32_t)number(f, EDGE_TARGET);
   e->type_name = (uint32_t)number(f, EDGE_TYPE);
   e->first_count = p->counts.n;
   e->n_counts = (uint32_t)n;
   for (size_t i = 0; i < n; i++)
      e->count = add_capped(e->count, counts[i]);
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->counts, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, counts, n * sizeof(*to));
   }
   return true;
}

static const Field edge_fields[] = {
   { "EDGE_ID", V_INT, F_NEEDED, ID, NULL },
   { "SOURCE_NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "TARGET_NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "EDGE_TYPE_ID", V_INT, F_NEEDED, ID, NULL },
   { "COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL }
};
static const Shape edges = { V_TABLE, false, 5, edge_fields,
                             NULL, close_edge, NULL };

enum { CONTINUED_THREAD, CONTINUED_TYPE };

static bool close_continued(void* arg, const Frame* f)
{
   Load*          l = arg;
   DcfgContinued* c = array_add(l->job, &last_process(l)->continued,
                                sizeof(*c));

   if (c == NULL)
      return false;
   c->thread = (uint32_t)number(f, CONTINUED_THREAD);
   c->type = (uint32_t)number(f, CONTINUED_TYPE);
   return true;
}

static const Field continued_fields[] = {
   { "THREAD_ID", V_INT, F_NEEDED, BITS32, NULL },
   { "EDGE_TYPE_ID", V_INT, F_NEEDED, ID_0, NULL }
};
static const Shape continued = { V_TABLE, false, 2, continued_fields,
                                 NULL, close_continued, NULL };

enum { LATE_IMAGE, LATE_OFFSET, LATE_TARGET };

static bool close_late_bypass(void* arg, const Frame* f)
{
   Load*           l = arg;
   DcfgLateBypass* b = array_add(l->job, &last_process(l)->bypasses,
                                 sizeof(*b));

   if (b == NULL)
      return false;
   b->image_number = (uint32_t)number(f, LATE_IMAGE);
   b->offset = number(f, LATE_OFFSET);
   b->target = (uint32_t)number(f, LATE_TARGET);
   return true;
}

static const Field late_bypass_fields[] = {
   { "IMAGE_NUM", V_INT, F_NEEDED, BITS32, NULL },
   { "ADDR_OFFSET", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "TARGET_NODE_ID", V_INT, F_NEEDED, ID, NULL }
};
static const Shape late_bypasses = { V_TABLE, false, 3, late_bypass_fields,
                                     NULL, close_late_bypass, NULL };

enum { PART_NUMBER, PART_FIRST, PART_PRECEDING, PART_IMAGES, PART_CONTINUED,
       PART_BYPASSES };

static bool close_part(void* arg, const Frame* f)
{
   Load*           l = arg;
   Process*        p = last_process(l);
   size_t          n = length(f, PART_PRECEDING);
   const uint64_t* from = list(l->walk, f, PART_PRECEDING);

   p->part.number = (uint32_t)number(f, PART_NUMBER);
   p->part.first = (uint32_t)number(f, PART_FIRST);
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->preceding, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, from, n * sizeof(*to));
   }
   return keep_ids(l, &p->image_numbers, f, PART_IMAGES);
}

static const Field part_fields[] = {
   { "PART_NUM", V_INT, F_NEEDED, ID, NULL },
   { "FIRST_PART_NUM", V_INT, F_NEEDED, ID, NULL },
   { "PRECEDING_INSTR_COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL },
   { "IMAGE_NUMS", V_INTS, F_NEEDED, BITS32, NULL },
   { "CONTINUED_THREADS", V_TABLE, F_NEEDED, 0, 0, &continued },
   { "LATE_BYPASSES", V_TABLE, F_NEEDED, 0, 0, &late_bypasses }
};
static const Shape run_part = { V_OBJECT, false, 6, part_fields,
                            NULL, close_part, NULL };

enum { PD_THREADS, PD_COUNT, PD_IMAGES, PD_EDGES, PD_PART,
       PD_MERGED };

static bool close_process_data(void* arg, const Frame* f)
{
   Load*    l = arg;
   Process* p = last_process(l);
   size_t   n = length(f, PD_THREADS);

   p->has_instr_count = has(f, PD_COUNT);
   p->shown.instr_count = number(f, PD_COUNT);
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->threads, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, list(l->walk, f, PD_THREADS), n * sizeof(*to));
   }
   return true;
}

static const Field process_data_fields[] = {
   { "INSTR_COUNT_PER_THREAD", V_INTS, F_MUST, BITS64, NULL },
   { "INSTR_COUNT", V_INT, F_MUST, BITS64, NULL },
   { "IMAGES", V_TABLE, F_MUST, 0, 0, &image_shape },
   { "EDGES", V_TABLE, 0, 0, 0, &edges },
   { "PART", V_OBJECT, 0, 0, 0, &run_part },
   { "MERGED", V_OBJECT, 0, 0, 0, &merged_shape }
};
static const Shape process_data = { V_OBJECT, false, 6, process_data_fields,
                                    NULL, close_process_data, NULL };

enum { PROCESS_ID, PROCESS_DATA };

static bool open_process(void* arg, const Frame* f)
{
   Load* l = arg;

   (void)f;
   return array_add(l->job, &l->m->processes, sizeof(Process)) != NULL;
}

static bool close_process(void* arg, const Frame* f)
{
   last_process(arg)->shown.id = number(f, PROCESS_ID);
   return true;
}

static const Field process_fields[] = {
   { "PROCESS_ID", V_INT, F_MUST, BITS64, NULL },
   { "PROCESS_DATA", V_OBJECT, F_MUST | F_SILENT, 0, 0, &process_data }
};
static const Kin trace = {
   "this is a DCFG-trace, not a DCFG",
   { "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA" }
};
static const Shape processes = { V_TABLE, true, 2, process_fields,
                                 open_process, close_process, &trace };

/* --- The whole file                                       --- */

enum { TOP_MAJOR, TOP_MINOR, TOP_FILES, TOP_TYPES, TOP_SPECIAL,
       TOP_PROCESSES };

static bool close_top(void* arg, const Frame* f)
{
   Load* l = arg;
   Dcfg* d = &l->m->shown;

   d->major_version = (uint32_t)number(f, TOP_MAJOR);
   d->minor_version = (uint32_t)number(f, TOP_MINOR);
   for (uint32_t i = TOP_FILES; i <= TOP_SPECIAL; i++)
      if (!has(f, i))
         odd(l, "missing-table", f->shape->fields[i].name);
   return true;
}

static const Field top_fields[] = {
   { "MAJOR_VERSION", V_INT, F_NEEDED | F_VERSION, BITS32, NULL },
   { "MINOR_VERSION", V_INT, F_MUST, BITS32, NULL },
   { "FILE_NAMES", V_TABLE, 0, 0, 0, &files },
   { "EDGE_TYPES", V_TABLE, 0, 0, 0, &edge_types },
   { "SPECIAL_NODES", V_TABLE, 0, 0, 0, &special_nodes },
   { "PROCESSES", V_TABLE, F_NEEDED, 0, 0, &processes }
};
const Shape dcfg_shape = { V_OBJECT, true, 6, top_fields,
                           NULL, close_top, NULL };
