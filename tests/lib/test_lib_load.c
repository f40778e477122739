/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of loading and looking up. */

/* The contents of a DCFG must be where dcfg.h says, in whatever form the file
   is written. */

#include "lib_common.h"

static Dcfg*              d;
static const DcfgProcess* p;

static void load_sample(void)
{
   d = must_load(sample);
   p = dcfg_process(d, 0);
   ck_assert_ptr_nonnull(p);
}

static void free_sample(void)
{
   dcfg_free(d);
}

/*--- Contents                                             ---*/

START_TEST(top_level)
{
   ck_assert_uint_eq(d->major_version, 1);
   ck_assert_uint_eq(d->minor_version, 0);
   ck_assert_uint_eq(d->json_size, strlen(sample));
   ck_assert_uint_eq(d->n_files, 3);
   ck_assert_uint_eq(d->files[1].id, 3);
   ck_assert_str_eq(d->files[1].name, "prog.c");
   ck_assert_str_eq(d->files[2].name, "/lib/\xc3\xa9.so");
   ck_assert_uint_eq(d->n_edge_types, 8);
   ck_assert_int_eq(d->edge_types[2].type, DCFG_EDGE_DIRECT_CALL);
   ck_assert_int_eq(d->edge_types[7].type, DCFG_EDGE_OTHER);
   ck_assert_str_eq(d->edge_types[7].name, "INTERRUPT");
   ck_assert_uint_eq(d->n_special_nodes, 3);
   ck_assert_int_eq(d->special_nodes[1].kind, DCFG_NODE_END);
   ck_assert_uint_eq(d->n_processes, 1);
   ck_assert_ptr_null(dcfg_process(d, 1));
   ck_assert_ptr_eq(dcfg_process_by_id(d, 4711), p);
   ck_assert_ptr_null(dcfg_process_by_id(d, 1));
}
END_TEST

START_TEST(process)
{
   ck_assert_uint_eq(p->id, 4711);
   ck_assert_uint_eq(p->n_threads, 3);
   ck_assert_uint_eq(p->thread_instrs[2], 30);
   ck_assert_uint_eq(p->n_blocks, 5);
   ck_assert_uint_eq(p->n_nodes, 8);
   ck_assert_uint_eq(p->n_images, 2);
   ck_assert_uint_eq(p->n_edges, 9);
   ck_assert_uint_eq(p->n_routines, 2);
   ck_assert_uint_eq(p->n_loops, 2);
   ck_assert_uint_eq(p->n_symbols, 4);
   ck_assert_uint_eq(p->n_sources, 2);
}
END_TEST

START_TEST(images)
{
   const DcfgImage* im = p->images;

   ck_assert_uint_eq(im[0].id, 1);
   ck_assert_uint_eq(im[0].load_addr, 0x400000);
   ck_assert_uint_eq(im[0].size, 4096);
   ck_assert_str_eq(d->files[im[0].file].name, "/bin/prog");
   ck_assert_uint_eq(im[0].n_nodes, 4);
   ck_assert_uint_eq(im[1].id, 0);
   ck_assert_uint_eq(im[1].first_node, 4);
   ck_assert_uint_eq(im[1].n_nodes, 1);
   ck_assert_uint_eq(im[1].first_symbol, 3);
   ck_assert_uint_eq(im[1].n_sources, 0);
   ck_assert_uint_eq(im[1].first_routine, 1);
   ck_assert_uint_eq(im[1].n_routines, 1);
   /* Symbols are sorted by address, though the file has another order. */
   ck_assert_str_eq(p->symbols[0].name, "main");
   ck_assert_uint_eq(p->symbols[0].addr, 0x400010);
   ck_assert_str_eq(p->symbols[2].name, "late");
   ck_assert_str_eq(p->symbols[3].name, "f");
   ck_assert_uint_eq(p->sources[1].line, 8);
   ck_assert_uint_eq(p->sources[1].n_instrs, 1);
   ck_assert_str_eq(d->files[p->sources[1].file].name, "prog.c");
}
END_TEST

START_TEST(nodes)
{
   const DcfgNode* n = &p->nodes[node(p, 7)];

   ck_assert_uint_eq(n->addr, 0x400018);
   ck_assert_uint_eq(n->size, 8);
   ck_assert_uint_eq(n->n_instrs, 4);
   ck_assert_uint_eq(n->last_offset, 6);
   ck_assert_uint_eq(n->count, 13);
   ck_assert_uint_eq(n->kind, DCFG_NODE_BLOCK);
   ck_assert_uint_eq(n->image, 0);
   ck_assert_uint_eq(n->routine, 0);
   ck_assert_uint_eq(n->idom, node(p, 5));
   ck_assert_uint_eq(p->loops[n->loop].depth, 2);
   ck_assert(p->nodes[node(p, 8)].count == DCFG_NO_COUNT);
   ck_assert_uint_eq(p->nodes[node(p, 8)].loop, DCFG_NONE);
   n = &p->nodes[node(p, 2)];
   ck_assert_uint_eq(n->kind, DCFG_NODE_END);
   ck_assert_uint_eq(n->image, DCFG_NONE);
   ck_assert_uint_eq(n->routine, DCFG_NONE);
   ck_assert_uint_ge(node(p, 1), p->n_blocks);
   ck_assert_uint_eq(dcfg_node_by_id(p, 0), DCFG_NONE);
   ck_assert_uint_eq(dcfg_node_by_id(p, 9), DCFG_NONE);
   ck_assert_uint_eq(dcfg_node_by_id(p, DCFG_NONE), DCFG_NONE);
}
END_TEST

START_TEST(edges)
{
   uint32_t        n, e = dcfg_edge_by_id(p, 2000000000);
   const uint32_t* list;

   ck_assert_uint_eq(e, 8);
   ck_assert_uint_eq(p->edges[e].source, node(p, 8));
   ck_assert_uint_eq(p->edges[e].target, node(p, 2));
   ck_assert_int_eq((int)p->edges[e].type, DCFG_EDGE_EXIT);
   ck_assert_str_eq(d->edge_types[p->edges[e].type_name].name, "EXIT");
   ck_assert_uint_eq(dcfg_edge_by_id(p, 1999999999), DCFG_NONE);
   ck_assert_uint_eq(dcfg_edge_by_id(p, 9), DCFG_NONE);
   list = dcfg_out_edges(p, node(p, 7), &n);
   ck_assert_uint_eq(n, 3);
   ck_assert_uint_eq(p->edges[list[0]].id, 6);
   ck_assert_uint_eq(p->edges[list[2]].id, 8);
   list = dcfg_in_edges(p, node(p, 7), &n);
   ck_assert_uint_eq(n, 3);
   ck_assert_uint_eq(p->edges[list[1]].id, 5);
   ck_assert_ptr_null(dcfg_in_edges(p, node(p, 1), &n));
   ck_assert_uint_eq(n, 0);
   ck_assert_ptr_null(dcfg_out_edges(p, p->n_nodes, &n));
   ck_assert_uint_eq(dcfg_edge_between(p, node(p, 5), node(p, 7)), 4);
   ck_assert_uint_eq(dcfg_edge_between(p, node(p, 7), node(p, 8)), 7);
   ck_assert_uint_eq(dcfg_edge_between(p, node(p, 7), node(p, 5)), 6);
   ck_assert_uint_eq(dcfg_edge_between(p, node(p, 8), node(p, 7)),
                     DCFG_NONE);
   ck_assert_uint_eq(dcfg_edge_between(p, DCFG_NONE, 0), DCFG_NONE);
}
END_TEST

START_TEST(routines_and_loops)
{
   uint32_t        n, outer, inner;
   const uint32_t* list = dcfg_routine_nodes(p, 0, &n);

   ck_assert_uint_eq(p->routines[0].entry, node(p, 4));
   ck_assert_uint_eq(n, 4);
   ck_assert_uint_eq(list[3], node(p, 8));
   list = dcfg_routine_exits(p, 0, &n);
   ck_assert_uint_eq(n, 2);
   ck_assert_uint_eq(list[0], node(p, 5));
   ck_assert_uint_eq(p->routines[1].image, 1);
   ck_assert_uint_eq(p->routines[1].n_loops, 0);
   ck_assert_uint_eq(dcfg_routine_by_entry(p, node(p, 6)), 1);
   ck_assert_uint_eq(dcfg_routine_by_entry(p, node(p, 5)), DCFG_NONE);
   ck_assert_uint_eq(dcfg_routine_by_entry(p, node(p, 1)), DCFG_NONE);

   outer = dcfg_loop_by_head(p, node(p, 5));
   inner = dcfg_loop_by_head(p, node(p, 7));
   ck_assert_uint_eq(inner, 0);
   ck_assert_uint_eq(outer, 1);
   ck_assert_uint_eq(dcfg_loop_by_head(p, node(p, 8)), DCFG_NONE);
   ck_assert_uint_eq(p->loops[inner].parent, outer);
   ck_assert_uint_eq(p->loops[outer].parent, DCFG_NONE);
   ck_assert_uint_eq(p->loops[outer].depth, 1);
   ck_assert_uint_eq(p->loops[outer].head, node(p, 5));
   list = dcfg_loop_nodes(p, outer, &n);
   ck_assert_uint_eq(n, 2);
   ck_assert_uint_eq(list[0], node(p, 5));
   list = dcfg_loop_backs(p, outer, &n);
   ck_assert_uint_eq(n, 1);
   ck_assert_uint_eq(list[0], node(p, 7));
   ck_assert(dcfg_loop_contains(p, outer, node(p, 7)));
   ck_assert(!dcfg_loop_contains(p, inner, node(p, 5)));
   ck_assert(!dcfg_loop_contains(p, DCFG_NONE, node(p, 5)));
   ck_assert_ptr_null(dcfg_loop_nodes(p, 2, &n));
   ck_assert_ptr_null(dcfg_routine_exits(p, 2, &n));
}
END_TEST

/* The innermost loop is found in any order of the rows. */
START_TEST(loops_in_other_order)
{
   char* a = replaced(sample, "[ 7, [ 7 ], [ 7 ], 5 ], [ 5, [ 7 ], [ 7, 5 ] ]",
                      "[ 5, [ 7 ], [ 7, 5 ] ], [ 7, [ 7 ], [ 7 ], 5 ]");
   Dcfg* e = must_load(a);
   const DcfgProcess* q = dcfg_process(e, 0);

   ck_assert_uint_eq(q->loops[0].head, node(q, 5));
   ck_assert_uint_eq(q->nodes[node(q, 7)].loop, 1);
   ck_assert_uint_eq(q->nodes[node(q, 5)].loop, 0);
   ck_assert_uint_eq(q->loops[1].depth, 2);
   dcfg_free(e);
   free(a);
}
END_TEST

START_TEST(edge_types)
{
   for (DcfgEdgeType t = DCFG_EDGE_ENTRY; t <= DCFG_EDGE_OTHER; t++) {
      const char* s = dcfg_edge_type_text(t);
      bool        bypass = strstr(s, "BYPASS") != NULL;
      bool        ret = strstr(s, "RETURN") != NULL;
      size_t      n = strlen(s);
      ck_assert_int_eq(dcfg_is_bypass(t), bypass);
      ck_assert_int_eq(dcfg_is_return(t), ret);
      ck_assert_int_eq(dcfg_is_call(t), strcmp(s, "SYSTEM_CALL") != 0
                       && n >= 4 && strcmp(s + n - 4, "CALL") == 0);
      ck_assert_int_eq(dcfg_is_local(t), bypass || strstr(s, "BRANCH")
                       || strcmp(s, "REP") == 0
                       || strcmp(s, "FALL_THROUGH") == 0);
   }
   ck_assert_str_eq(dcfg_edge_type_text((DcfgEdgeType)1000), "OTHER");
}
END_TEST

/*--- Addresses                                            ---*/

static const char* symbol_name(uint32_t image, uint64_t addr)
{
   uint32_t s = dcfg_symbol_at(p, image, addr);

   return s == DCFG_NONE ? "" : p->symbols[s].name;
}

START_TEST(by_address)
{
   ck_assert_uint_eq(dcfg_image_at(p, 0x3fffff), DCFG_NONE);
   ck_assert_uint_eq(dcfg_image_at(p, 0x400000), 0);
   ck_assert_uint_eq(dcfg_image_at(p, 0x400fff), 0);
   ck_assert_uint_eq(dcfg_image_at(p, 0x401000), DCFG_NONE);
   ck_assert_uint_eq(dcfg_image_at(p, 0x7f0000000000), 1);
   ck_assert_uint_eq(dcfg_node_at(p, 0x40000f), DCFG_NONE);
   ck_assert_uint_eq(dcfg_node_at(p, 0x400010), node(p, 4));
   ck_assert_uint_eq(dcfg_node_at(p, 0x400013), node(p, 4));
   ck_assert_uint_eq(dcfg_node_at(p, 0x400014), node(p, 5));
   ck_assert_uint_eq(dcfg_node_at(p, 0x400022), DCFG_NONE);
   ck_assert_uint_eq(dcfg_node_at(p, 0x7f0000000043), node(p, 6));
   ck_assert_uint_eq(dcfg_node_at(p, UINT64_MAX), DCFG_NONE);
   ck_assert_str_eq(symbol_name(0, 0x40000f), "");
   ck_assert_str_eq(symbol_name(0, 0x400017), "main");
   ck_assert_str_eq(symbol_name(0, 0x400018), "inner");
   ck_assert_str_eq(symbol_name(0, 0x40001b), "inner");
   ck_assert_str_eq(symbol_name(0, 0x40001c), "main");
   ck_assert_str_eq(symbol_name(DCFG_NONE, 0x40002f), "main");
   ck_assert_str_eq(symbol_name(0, 0x400030), "");
   /* A symbol without a size extends to the end of the image. */
   ck_assert_str_eq(symbol_name(0, 0x400080), "late");
   ck_assert_str_eq(symbol_name(0, 0x400fff), "late");
   ck_assert_str_eq(symbol_name(0, 0x401000), "");
   ck_assert_str_eq(symbol_name(DCFG_NONE, 0x401000), "");
   ck_assert_str_eq(symbol_name(1, 0x400018), "");
   ck_assert_str_eq(symbol_name(7, 0x400018), "");
   ck_assert_uint_eq(dcfg_symbol_of(p, node(p, 7)), 1);
   ck_assert_uint_eq(dcfg_symbol_of(p, node(p, 1)), DCFG_NONE);
   ck_assert_uint_eq(dcfg_source_at(p, 0, 0x400013), 0);
   ck_assert_uint_eq(dcfg_source_at(p, DCFG_NONE, 0x400014), 1);
   ck_assert_uint_eq(dcfg_source_at(p, 0, 0x400018), 0);
   ck_assert_uint_eq(dcfg_source_at(p, 0, 0x400020), DCFG_NONE);
   ck_assert_uint_eq(dcfg_source_at(p, 1, 0x7f0000000040), DCFG_NONE);
}
END_TEST

/* Overlapping blocks and images: all are found, the preferred one first.  The
   judge looks at each. */
START_TEST(overlaps)
{
   char     text[20000];
   int      n;
   uint32_t seed = (uint32_t)_i * 2654435761U + 1;

   n = sprintf(text, "{\"MAJOR_VERSION\":1,\"PROCESSES\":[[\"PROCESS_ID\","
               "\"PROCESS_DATA\"],[1,{\"IMAGES\":[[\"IMAGE_ID\","
               "\"LOAD_ADDR\",\"SIZE\",\"IMAGE_DATA\"]");
   for (int i = 0; i < 3; i++) {
      n += sprintf(text + n, ",[%d,%d,200,{\"BASIC_BLOCKS\":[[\"NODE_ID\","
                   "\"ADDR_OFFSET\",\"SIZE\",\"NUM_INSTRS\"]", i, i * 50);
      for (int k = 0; k < 12; k++) {
         seed = seed * 1103515245U + 12345;
         n += sprintf(text + n, ",[%d,%u,%u,1]", 1 + i * 12 + k,
                      seed >> 16 & 127, seed >> 24 & 31);
      }
      n += sprintf(text + n, "]}]");
   }
   sprintf(text + n, "]}]]}");
   Dcfg*              dd = must_load(text);
   const DcfgProcess* pp = dcfg_process(dd, 0);
   for (uint64_t addr = 0; addr < 350; addr++) {
      uint32_t found[64], count = 0, best = DCFG_NONE;
      uint32_t got = dcfg_nodes_at(pp, addr, found, 64);
      for (uint32_t i = 0; i < pp->n_blocks; i++)
         if (addr >= pp->nodes[i].addr
             && addr - pp->nodes[i].addr < pp->nodes[i].size) {
            count++;
            if (best == DCFG_NONE
                || pp->nodes[i].addr >= pp->nodes[best].addr)
               best = i;
         }
      ck_assert_uint_eq(got, count);
      ck_assert_uint_eq(dcfg_node_at(pp, addr), best);
      ck_assert_uint_eq(dcfg_nodes_at(pp, addr, found, 0), count);
      for (uint32_t i = 0; i + 1 < got; i++)
         ck_assert_uint_ge(pp->nodes[found[i]].addr,
                           pp->nodes[found[i + 1]].addr);
      ck_assert_uint_eq(dcfg_image_at(pp, addr),
                        addr >= 300 ? DCFG_NONE : addr >= 100 ? 2
                        : addr >= 50 ? 1 : 0);
   }
   dcfg_free(dd);
}
END_TEST

/*--- Ways to write it                                     ---*/

static void same_as_sample(const char* from, const char* to)
{
   char* text = replaced(sample, from, to);
   Dcfg* e = must_load(text);
   const DcfgProcess* q = dcfg_process(e, 0);

   ck_assert_uint_eq(q->n_nodes, p->n_nodes);
   for (uint32_t i = 0; i < p->n_nodes; i++)
      ck_assert_mem_eq(&q->nodes[i], &p->nodes[i], sizeof(DcfgNode));
   ck_assert_uint_eq(q->n_edges, p->n_edges);
   for (uint32_t i = 0; i < p->n_edges; i++)
      ck_assert_mem_eq(&q->edges[i], &p->edges[i], sizeof(DcfgEdge));
   ck_assert_uint_eq(q->n_loops, p->n_loops);
   ck_assert_mem_eq(q->loops, p->loops, p->n_loops * sizeof(DcfgLoop));
   ck_assert_mem_eq(q->images, p->images, p->n_images * sizeof(DcfgImage));
   ck_assert_mem_eq(q->sources, p->sources,
                    p->n_sources * sizeof(DcfgSource));
   dcfg_free(e);
   free(text);
}

START_TEST(other_writing)
{
   /* Numbers in either form. */
   same_as_sample("\"0x10\", 4, 2, 2, 2", "16, \"0x4\", \"2\", 2, \"02\"");
   same_as_sample("[ 1, \"0x400000\", 4096",
                  "[ \"0x1\", 4194304, \"0X1000\"");
   same_as_sample("[ 6, 7, 7, 13, [ 7, 0, 0 ] ]",
                  "[ \"0x6\", 7, 7, \"0xD\", [ \"7\", \"0x0\", 0 ] ]");
   /* Columns in another order, and more of them. */
   same_as_sample("[ \"NODE_ID\", \"IDOM_NODE_ID\" ],\n"
                  "      [ 8, 7 ], [ 4, 4 ], [ 5, 4 ], [ 7, 5 ]",
                  "[ \"X\", \"IDOM_NODE_ID\", \"Y\", \"NODE_ID\" ], "
                  "[ {}, 7, [[1],{\"a\":2}], 8 ], [ 1, 4, 2, 4, 5, [] ], "
                  "[ null, 4, \"\", 5 ], [ true, 5, 1.5, 7 ]");
   same_as_sample("\"PROCESS_ID\", \"PROCESS_DATA\" ], [ 4711,",
                  "\"FUTURE\", \"PROCESS_ID\", \"PROCESS_DATA\" ], "
                  "[ [[[]]], 4711,");
   /* Unknown keys. */
   same_as_sample("\"INSTR_COUNT\" : 130",
                  "\"NEW\" : { \"EDGES\" : [ 1 ] }, \"INSTR_COUNT\" : 130, "
                  "\"OTHER\" : null");
   /* A parent of 0 is none.  Without parents, no 4th value is needed. */
   same_as_sample("[ 7, 5 ] ] ] ] ]", "[ 7, 5 ], 0 ] ] ] ]");
   same_as_sample("[ 5, [ 7 ], [ 7, 5 ] ]", "[ 5, [ 7 ], [ 5, 7 ] ]");
   same_as_sample("{ \"MAJOR", " \t\r\n {\n\n\"MAJOR");
}
END_TEST

/* The order of keys is free: a reference may come before its target. */
START_TEST(other_order)
{
   char* a = replaced(sample, "{ \"MAJOR_VERSION\" : 1, \"MINOR_VERSION\""
                      " : 0,\n\"FILE_NAMES\"",
                      "{ \"FUTURE\" : 1, \"MINOR_VERSION\" : 0,\n\"X\"");
   char* b = replaced(a, "] } ] ] }\n",
                      "] } ] ], \"FILE_NAMES\" : [ [ \"FILE_NAME\", "
                      "\"FILE_NAME_ID\" ], [ \"/bin/prog\", 1 ], "
                      "[ \"prog.c\", 3 ], [ \"/lib/\\u00e9.so\", 9 ] ], "
                      "\"MAJOR_VERSION\" : \"0x1\" }");
   Dcfg* e = must_load(b);

   ck_assert_str_eq(e->files[dcfg_process(e, 0)->images[0].file].name,
                    "/bin/prog");
   dcfg_free(e);
   free(a);
   free(b);
}
END_TEST

/* All optional parts may be missing. */
START_TEST(optional)
{
   Dcfg* e = must_load("{\"MAJOR_VERSION\":1,\"MINOR_VERSION\":0,"
                       "\"PROCESSES\":[[\"PROCESS_ID\",\"PROCESS_DATA\"],"
                       "[7,{\"IMAGES\":[[\"IMAGE_ID\",\"LOAD_ADDR\","
                       "\"SIZE\",\"IMAGE_DATA\"],[1,\"0x1\",2,{}]],"
                       "\"INSTR_COUNT_PER_THREAD\":[3,4]}],[8,{\"IMAGES\":[["
                       "\"IMAGE_ID\",\"LOAD_ADDR\",\"SIZE\","
                       "\"IMAGE_DATA\"],[4,\"0x10\",5,{}]]}]]}");
   const DcfgProcess* q = dcfg_process(e, 0);
   uint32_t           n;

   ck_assert_uint_eq(e->n_processes, 2);
   ck_assert_uint_eq(q->instr_count, 7);
   ck_assert_uint_eq(q->images[0].file, DCFG_NONE);
   ck_assert_uint_eq(q->n_nodes, 0);
   ck_assert_uint_eq(dcfg_node_at(q, 1), DCFG_NONE);
   ck_assert_uint_eq(dcfg_symbol_at(q, 0, 1), DCFG_NONE);
   ck_assert_ptr_null(dcfg_out_edges(q, 0, &n));
   ck_assert_uint_eq(q->n_images, 1);
   q = dcfg_process(e, 1);
   ck_assert_uint_eq(q->n_images, 1);
   ck_assert_uint_eq(q->images[0].id, 4);
   ck_assert_uint_eq(q->n_threads, 0);
   ck_assert_uint_eq(dcfg_process_instrs(q, 0), 0);
   dcfg_free(e);
}
END_TEST

#define BASELINE(version, columns, row)                                       \
   "{\"BASELINE_VERSION\":" version ",\"MAJOR_VERSION\":1,"                    \
   "\"MINOR_VERSION\":0,\"PROCESSES\":[[\"PROCESS_ID\",\"PROCESS_DATA\"],"     \
   "[1,{\"INSTR_COUNT_PER_THREAD\":[90],\"IMAGES\":[[\"IMAGE_ID\","          \
   "\"LOAD_ADDR\",\"SIZE\",\"IMAGE_DATA\"],[1,\"0x10\",5,{}]],"              \
   "\"BASELINE\":{\"NAME\":\"b\",\"LEAST\":3,\"FUNCTIONS\":["                \
   "[\"IMAGE_ID\",\"NAME\",\"FILE_NAME_ID\",\"SELF\"" columns "],"           \
   "[1,\"f\",4,60" row "],[7,\"g\",0,5" row "]]}}]],"                        \
   "\"FILE_NAMES\":[[\"FILE_NAME_ID\",\"FILE_NAME\"],[4,\"f.c\"]]}"

/* Baselines of dcfg gate, with inclusive costs and without; other versions are
   refused. */
START_TEST(baseline)
{
   Dcfg* e = must_load(BASELINE("1", ",\"INCLUSIVE\"", ",80"));
   const DcfgBaseline*         b = dcfg_process(e, 0)->baseline;
   const DcfgBaselineFunction* f = b->functions;

   ck_assert_str_eq(b->name, "b");
   ck_assert_uint_eq(b->least, 3);
   ck_assert(b->has_calls);
   ck_assert_uint_eq(b->n_functions, 2);
   ck_assert_str_eq(f[0].name, "f");
   ck_assert_uint_eq(f[0].image, 0);
   ck_assert_str_eq(e->files[f[0].file].name, "f.c");
   ck_assert_uint_eq(f[0].self, 60);
   ck_assert_uint_eq(f[0].inclusive, 80);
   ck_assert_uint_eq(f[1].image, DCFG_NONE);
   ck_assert_uint_eq(f[1].file, DCFG_NONE);
   dcfg_free(e);
   e = must_load(BASELINE("1", "", ""));
   ck_assert(!dcfg_process(e, 0)->baseline->has_calls);
   dcfg_free(e);
   must_not_load(BASELINE("2", "", ""), DCFG_ERROR_FORMAT, "BASELINE_VERSION");
}
END_TEST

/* The files that PinPlay wrote, if they are there. */
START_TEST(pinplay)
{
   static const char* const names[] = { "region", "whole" };
   static const uint32_t    blocks[] = { 1735, 1734 };
   const char*              shared = getenv("DCFG_SHARED");
   char                     path[4096];

   snprintf(path, sizeof(path), "%s/reference/pinplay/%s.dcfg.json.bz2",
            shared != NULL ? shared : SOURCE_DIR "/../../../shared",
            names[_i]);
   FILE* f = fopen(path, "r");
   if (f == NULL)
      return;
   fclose(f);
   DcfgError err;
   Dcfg*     e = dcfg_load(path, NULL, &err);
   ck_assert_msg(e != NULL, "%s", err.reason);
   ck_assert_uint_eq(dcfg_process(e, 0)->n_blocks, blocks[_i]);
   ck_assert_uint_eq(dcfg_process(e, 0)->n_images, 3);
   dcfg_free(e);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: loading");

   TCase* c = add_case(s, top_level, process, images, nodes, edges,
                       routines_and_loops, by_address, other_writing);
   tcase_add_checked_fixture(c, load_sample, free_sample);
   c = add_case(s, loops_in_other_order, edge_types, other_order,
                optional, baseline);
   tcase_add_loop_test(c, overlaps, 0, 50);
   tcase_add_loop_test(c, pinplay, 0, 2);
   return run_suite(s);
}
