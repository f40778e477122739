/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Shared by the tests of libdcfg. */

#include "lib_common.h"

const char sample[] =
   "{ \"MAJOR_VERSION\" : 1, \"MINOR_VERSION\" : 0,\n"
   "\"FILE_NAMES\" : [ [ \"FILE_NAME_ID\", \"FILE_NAME\" ],\n"
   "  [ 1, \"/bin/prog\" ], [ 3, \"prog.c\" ], [ 9, \"/lib/\\u00e9.so\" ] ],\n"
   "\"EDGE_TYPES\" : [ [ \"EDGE_TYPE_ID\", \"EDGE_TYPE\" ],\n"
   "  [ 1, \"ENTRY\" ], [ 2, \"EXIT\" ], [ 4, \"DIRECT_CALL\" ],\n"
   "  [ 6, \"RETURN\" ], [ 7, \"CALL_BYPASS\" ],\n"
   "  [ 13, \"DIRECT_CONDITIONAL_BRANCH\" ], [ 18, \"FALL_THROUGH\" ],\n"
   "  [ 40, \"INTERRUPT\" ] ],\n"
   "\"SPECIAL_NODES\" : [ [ \"NODE_ID\", \"NODE_NAME\" ],\n"
   "  [ 1, \"START\" ], [ 2, \"END\" ], [ 3, \"UNKNOWN\" ] ],\n"
   "\"PROCESSES\" : [ [ \"PROCESS_ID\", \"PROCESS_DATA\" ], [ 4711,\n"
   " { \"INSTR_COUNT_PER_THREAD\" : [ 100, 0, 30 ],\n"
   "   \"INSTR_COUNT\" : 130,\n"
   "   \"IMAGES\" : [ [ \"IMAGE_ID\", \"LOAD_ADDR\", \"SIZE\","
   " \"IMAGE_DATA\" ],\n"
   "   [ 1, \"0x400000\", 4096, { \"FILE_NAME_ID\" : 1,\n"
   "    \"SYMBOLS\" : [ [ \"NAME\", \"ADDR_OFFSET\", \"SIZE\" ],\n"
   "     [ \"late\", \"0x80\", 0 ], [ \"main\", \"0x10\", 32 ],\n"
   "     [ \"inner\", \"0x18\", 4 ] ],\n"
   "    \"SOURCE_DATA\" : [ [ \"FILE_NAME_ID\", \"LINE_NUM\","
   " \"ADDR_OFFSET\", \"SIZE\", \"NUM_INSTRS\" ],\n"
   "     [ 3, 7, \"0x10\", 16, 4 ], [ 3, 8, \"0x14\", 4, 1 ] ],\n"
   "    \"BASIC_BLOCKS\" : [ [ \"NODE_ID\", \"ADDR_OFFSET\", \"SIZE\","
   " \"NUM_INSTRS\", \"LAST_INSTR_OFFSET\", \"COUNT\" ],\n"
   "     [ 4, \"0x10\", 4, 2, 2, 2 ], [ 5, \"0x14\", 4, 3, 3, 6 ],\n"
   "     [ 7, \"0x18\", 8, 4, 6, 13 ], [ 8, \"0x20\", 2, 1, 0 ] ],\n"
   "    \"ROUTINES\" : [ [ \"ENTRY_NODE_ID\", \"EXIT_NODE_IDS\","
   " \"NODES\", \"LOOPS\" ],\n"
   "     [ 4, [ 5, 8 ], [ [ \"NODE_ID\", \"IDOM_NODE_ID\" ],\n"
   "      [ 8, 7 ], [ 4, 4 ], [ 5, 4 ], [ 7, 5 ] ],\n"
   "      [ [ \"LOOP_HEAD_NODE_ID\","
   " \"LOOP_BACK_EDGE_SOURCE_NODE_IDS\", \"LOOP_NODE_IDS\","
   " \"PARENT_LOOP_HEAD_NODE_ID\" ],\n"
   "       [ 7, [ 7 ], [ 7 ], 5 ], [ 5, [ 7 ], [ 7, 5 ] ] ] ] ] } ],\n"
   "   [ 0, \"0x7f0000000000\", 65536, { \"FILE_NAME_ID\" : 9,\n"
   "    \"SYMBOLS\" : [ [ \"NAME\", \"ADDR_OFFSET\", \"SIZE\" ],\n"
   "     [ \"f\", \"0x40\", 4 ] ],\n"
   "    \"BASIC_BLOCKS\" : [ [ \"NODE_ID\", \"ADDR_OFFSET\", \"SIZE\","
   " \"NUM_INSTRS\", \"LAST_INSTR_OFFSET\", \"COUNT\" ],\n"
   "     [ 6, \"0x40\", 4, 1, 0, 6 ] ],\n"
   "    \"ROUTINES\" : [ [ \"ENTRY_NODE_ID\", \"EXIT_NODE_IDS\","
   " \"NODES\", \"LOOPS\" ],\n"
   "     [ 6, [ 6 ], [ [ \"NODE_ID\", \"IDOM_NODE_ID\" ], [ 6, 6 ] ] ] ]"
   " } ] ],\n"
   "   \"EDGES\" : [ [ \"EDGE_ID\", \"SOURCE_NODE_ID\","
   " \"TARGET_NODE_ID\", \"EDGE_TYPE_ID\", \"COUNT_PER_THREAD\" ],\n"
   "    [ 1, 1, 4, 1, [ 1, 0, 1 ] ],\n"
   "    [ 2, 4, 5, 18, [ 1, 0, 1 ] ],\n"
   "    [ 3, 5, 6, 4, [ 5, 0, 1 ] ],\n"
   "    [ 4, 6, 7, 6, [ 5, 0, 1 ] ],\n"
   "    [ 5, 5, 7, 7, [ 0, 0, 0 ] ],\n"
   "    [ 6, 7, 7, 13, [ 7, 0, 0 ] ],\n"
   "    [ 7, 7, 5, 13, [ 4 ] ],\n"
   "    [ 8, 7, 8, 18, [ 1, 0, 1 ] ],\n"
   "    [ 2000000000, 8, 2, 2, [ 1, 0, 1 ] ] ] } ] ] }\n";

char* replaced(const char* text, const char* from, const char* to)
{
   const char* at = strstr(text, from);
   char*       out = malloc(strlen(text) + strlen(to) + 1);

   ck_assert_msg(at != NULL, "no \"%s\" to replace", from);
   sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
   return out;
}

Dcfg* must_load(const char* text)
{
   DcfgError err;
   char      said[DCFG_ERROR_TEXT_SIZE];
   Dcfg*     d = dcfg_load_memory(text, strlen(text), "test", NULL, &err);

   ck_assert_msg(d != NULL, "%s", dcfg_error_text(&err, said));
   ck_assert_int_eq(err.status, DCFG_OK);
   return d;
}

void must_say(const DcfgError* err, const char* want)
{
   char  said[DCFG_ERROR_TEXT_SIZE];
   char* words = strdup(want);

   dcfg_error_text(err, said);
   for (char* w = strtok(words, "|"); w != NULL; w = strtok(NULL, "|"))
      ck_assert_msg(strstr(said, w) != NULL, "\"%s\" is not in \"%s\"", w,
                    said);
   free(words);
}

void must_not_load(const char* text, DcfgStatus status, const char* want)
{
   DcfgError err;
   char      said[DCFG_ERROR_TEXT_SIZE];
   Dcfg*     d = dcfg_load_memory(text, strlen(text), "test", NULL, &err);

   ck_assert_msg(d == NULL, "loaded, but should say: %s", want);
   ck_assert_msg(err.status == status, "status %d, not %d: %s", err.status,
                 status, dcfg_error_text(&err, said));
   must_say(&err, want);
}

void must_break(const char* from, const char* to, DcfgStatus status,
                const char* want)
{
   char* text = replaced(sample, from, to);

   must_not_load(text, status, want);
   free(text);
}

static char rules[10000];
char        first_place[200], first_what[300];

static void on_problem(void* arg, const DcfgProblem* p)
{
   ck_assert_ptr_eq(arg, rules);
   if (rules[0] == 0) {
      snprintf(first_place, sizeof(first_place), "%s", p->place);
      snprintf(first_what, sizeof(first_what), "%s", p->what);
   }
   if (strlen(rules) < sizeof(rules) - 100) {
      strcat(rules, p->rule);
      strcat(rules, " ");
   }
}

const char* problems_of(const char* text)
{
   DcfgOptions options = { .problem = on_problem, .problem_arg = rules };
   DcfgError   err;
   char        said[DCFG_ERROR_TEXT_SIZE];
   Dcfg*       d;

   rules[0] = 0;
   first_place[0] = first_what[0] = 0;
   d = dcfg_load_memory(text, strlen(text), "test", &options, &err);
   ck_assert_msg(d != NULL, "%s", dcfg_error_text(&err, said));
   dcfg_free(d);
   return rules;
}

uint32_t node(const DcfgProcess* p, uint32_t id)
{
   uint32_t n = dcfg_node_by_id(p, id);

   ck_assert_uint_lt(n, p->n_nodes);
   ck_assert_uint_eq(p->nodes[n].id, id);
   return n;
}
