/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of nodes in traces. */

/* Owns: names and sources of nodes, each made once.  Handed: nodes. */

#include "cmd/trace/trace_views.h"

const char* name_of(Show* s, uint32_t node)
{
   if (s->names[node] == NULL)
      s->names[node] = text_copy(s->csv ? node_name(&s->g, node)
                                 : text_brief(node_name(&s->g, node)));
   return s->names[node];
}

const char* source_of(Show* s, uint32_t node)
{
   if (s->sources[node] == NULL)
      s->sources[node] = text_copy(node_source(&s->g, node));
   return s->sources[node];
}
