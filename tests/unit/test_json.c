/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of a whole DCFG. */

/* The output is read back.  Jansson's integers end at 2^63 - 1, so larger
   numbers are looked for in the text. */

#include "unit_json.h"

/* Two images; the second has no code that ran.  Blocks 4 to 8 are two nested
   loops, and a routine without loops. */
enum { OUTER = 4, INNER, LATCH, LAST, CALLEE };

static const ImageSymbol symbols[] = {
   { 0x401000, 0x30, "main" }, { 0x401040, 8, "a \"b\" \xFF" }
};
static SourceRow source[] = { { 3, 17, 0x401000, 4, 1 } };
static const HChar* const files[] = { "/bin/prog", "[anon]", "prog.c" };
static JsonImage images[] = {
   { { "/bin/prog", 0x400000, 0x2000, "01ab", 0, symbols, 2, NULL, 0 },
     1, source, 1 },
   { { "[anon]", 0x700000, 0x1000, NULL, 0x1f, NULL, 0, NULL, 0 }, 2, NULL, 0 }
};
static const UInt edges[][5] = {   // source, target, type, thread, count
   { NodeStart, OUTER, EdgeEntry, 0, 1 },
   { NodeStart, CALLEE, EdgeEntry, 2, 1 },
   { OUTER, INNER, EdgeFallThrough, 0, 5 },
   { INNER, INNER, EdgeRep, 0, 7 },
   { INNER, LATCH, EdgeFallThrough, 0, 5 },
   { LATCH, OUTER, EdgeDirectConditionalBranch, 0, 4 },
   { LATCH, LAST, EdgeCallBypass, 0, 0 },
   { LATCH, CALLEE, EdgeDirectCall, 0, 1 },
   { LAST, NodeEnd, EdgeExit, 0, 1 },
   { CALLEE, NodeEnd, EdgeExit, 2, 1 },
   { CALLEE, LAST, EdgeReturn, 0, 1 },
};

static JsonDcfg make_dcfg(void)
{
   Graph*      g = plain_graph(5);
   BlockSymbol s[5];

   g->n_threads     = 3;
   g->thread_instrs = realloc(g->thread_instrs, 3 * sizeof(ULong));
   g->thread_instrs[0] = 28;
   g->thread_instrs[1] = 0;
   g->thread_instrs[2] = 2;
   for (UInt b = 0; b < 5; b++) {
      g->blocks[b].addr     = 0x401000 + 0x10 * b;
      g->blocks[b].size     = 6;
      g->blocks[b].n_instrs = 2;
      g->blocks[b].last_offset = 4;
      g->blocks[b].count    = 100 + b;
      s[b].function = s[b].starts = 0;
   }
   for (UInt i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
      add_edge(g, edges[i][0], edges[i][1], edges[i][2], edges[i][4]);
      g->counts[i].thread = edges[i][3];
   }
   put_in_order(g);
   Routines* r = DCFG_(find_routines)(g, s);
   JsonDcfg  d = { .pid = 4711, .n_runs = 1, .n_files = 3, .files = files,
                   .n_images = 2,
                   .images = images, .graph = g, .routines = r,
                   .loops = DCFG_(find_loops)(g, r), .with_cfg = True,
                   .with_symbols = True };
   return d;
}

static void delete_dcfg(JsonDcfg* d)
{
   DCFG_(delete_loops)((Loops*)d->loops);
   DCFG_(delete_routines)((Routines*)d->routines);
   DCFG_(delete_graph)((Graph*)d->graph);
}

static json_t* write_dcfg(const JsonDcfg* d)
{
   start_text();
   DCFG_(write_json)(&out, d);
   return read_back();
}

static void keys_are(json_t* object, const HChar* expected)
{
   HChar       keys[400] = "";
   const char* key;
   json_t*     value;
   json_object_foreach(object, key, value) {
      strcat(keys, keys[0] ? " " : "");
      strcat(keys, key);
   }
   ck_assert_str_eq(keys, expected);
}

static json_t* process_of(json_t* root)
{
   json_t* rows = json_object_get(root, "PROCESSES");
   ck_assert_uint_eq(json_array_size(rows), 2);
   return json_array_get(json_array_get(rows, 1), 1);
}

static json_t* image_of(json_t* root, UInt row)
{
   json_t* rows = json_object_get(process_of(root), "IMAGES");
   return json_array_get(json_array_get(rows, row), 3);
}

/* Compare the table's text, and check that no row is longer than the header. */
static void table_is(json_t* object, const HChar* key,
                     const HChar* expected)
{
   json_t* table = json_object_get(object, key);
   ck_assert_msg(json_is_array(table), "no table %s", key);
   ck_assert_str_eq(compact(table), expected);
}

START_TEST(test_whole)
{
   JsonDcfg d    = make_dcfg();
   json_t*  root = write_dcfg(&d);
   json_t*  process, *image, *rows;

   keys_are(root, "MAJOR_VERSION MINOR_VERSION FILE_NAMES EDGE_TYPES "
                  "SPECIAL_NODES PROCESSES");
   ck_assert_str_eq(compact(json_object_get(root, "MAJOR_VERSION")), "1");
   ck_assert_str_eq(compact(json_object_get(root, "MINOR_VERSION")), "0");
   table_is(root, "FILE_NAMES", "[['FILE_NAME_ID','FILE_NAME'],"
            "[1,'/bin/prog'],[2,'[anon]'],[3,'prog.c']]");
   table_is(root, "SPECIAL_NODES", "[['NODE_ID','NODE_NAME'],"
            "[1,'START'],[2,'END'],[3,'UNKNOWN']]");
   table_is(root, "EDGE_TYPES", "[['EDGE_TYPE_ID','EDGE_TYPE'],"
            "[1,'ENTRY'],[2,'EXIT'],[3,'CALL'],[4,'DIRECT_CALL'],"
            "[5,'INDIRECT_CALL'],[6,'RETURN'],[7,'CALL_BYPASS'],"
            "[8,'BRANCH'],[9,'CONDITIONAL_BRANCH'],"
            "[10,'UNCONDITIONAL_BRANCH'],[11,'DIRECT_BRANCH'],"
            "[12,'INDIRECT_BRANCH'],[13,'DIRECT_CONDITIONAL_BRANCH'],"
            "[14,'INDIRECT_CONDITIONAL_BRANCH'],"
            "[15,'DIRECT_UNCONDITIONAL_BRANCH'],"
            "[16,'INDIRECT_UNCONDITIONAL_BRANCH'],[17,'REP'],"
            "[18,'FALL_THROUGH'],[19,'SYSTEM_CALL'],[20,'SYSTEM_RETURN'],"
            "[21,'SYSTEM_CALL_BYPASS'],[22,'CONTEXT_CHANGE'],"
            "[23,'CONTEXT_CHANGE_RETURN'],[24,'CONTEXT_CHANGE_BYPASS'],"
            "[25,'EXCLUDED_CODE_BYPASS'],[26,'UNKNOWN']]");
   rows = json_object_get(root, "PROCESSES");
   ck_assert_str_eq(compact(json_array_get(rows, 0)),
                    "['PROCESS_ID','PROCESS_DATA']");
   ck_assert_str_eq(compact(json_array_get(json_array_get(rows, 1), 0)),
                    "4711");

   process = process_of(root);
   keys_are(process, "INSTR_COUNT_PER_THREAD INSTR_COUNT IMAGES EDGES");
   table_is(process, "INSTR_COUNT_PER_THREAD", "[28,0,2]");
   ck_assert_str_eq(compact(json_object_get(process, "INSTR_COUNT")), "30");
   table_is(process, "EDGES",
            "[['EDGE_ID','SOURCE_NODE_ID','TARGET_NODE_ID',"
            "'EDGE_TYPE_ID','COUNT_PER_THREAD'],"
            "[1,1,4,1,[1,0,0]],[2,1,8,1,[0,0,1]],[3,4,5,18,[5,0,0]],"
            "[4,5,5,17,[7,0,0]],[5,5,6,18,[5,0,0]],[6,6,4,13,[4,0,0]],"
            "[7,6,7,7,[0,0,0]],[8,6,8,4,[1,0,0]],[9,7,2,2,[1,0,0]],"
            "[10,8,2,2,[0,0,1]],[11,8,7,6,[1,0,0]]]");
   rows = json_object_get(process, "IMAGES");
   ck_assert_uint_eq(json_array_size(rows), 3);
   ck_assert_str_eq(compact(json_array_get(rows, 0)),
                    "['IMAGE_ID','LOAD_ADDR','SIZE','IMAGE_DATA']");
   ck_assert_str_eq(compact(json_array_get(rows, 2)),
                    "[2,'0x700000',4096,{'FILE_NAME_ID':2,"
                    "'CODE_HASH':'0x1f'}]");

   image = image_of(root, 1);
   keys_are(image, "FILE_NAME_ID BUILD_ID SYMBOLS SOURCE_DATA BASIC_BLOCKS "
            "ROUTINES");
   ck_assert_str_eq(compact(json_object_get(image, "BUILD_ID")), "'01ab'");
   table_is(image, "SYMBOLS", "[['NAME','ADDR_OFFSET','SIZE'],"
            "['main','0x1000',48],['a \\'b\\' \xC3\xBF','0x1040',8]]");
   table_is(image, "SOURCE_DATA", "[['FILE_NAME_ID','LINE_NUM',"
            "'ADDR_OFFSET','SIZE','NUM_INSTRS'],[3,17,'0x1000',4,1]]");
   table_is(image, "BASIC_BLOCKS", "[['NODE_ID','ADDR_OFFSET','SIZE',"
            "'NUM_INSTRS','LAST_INSTR_OFFSET','COUNT'],"
            "[4,'0x1000',6,2,4,100],[5,'0x1010',6,2,4,101],"
            "[6,'0x1020',6,2,4,102],[7,'0x1030',6,2,4,103],"
            "[8,'0x1040',6,2,4,104]]");
   /* Only the inner loop has a fourth column, and only the routine with loops
      has LOOPS. */
   table_is(image, "ROUTINES", "[['ENTRY_NODE_ID','EXIT_NODE_IDS',"
            "'NODES','LOOPS'],"
            "[4,[6,7],[['NODE_ID','IDOM_NODE_ID'],"
            "[4,4],[5,4],[6,5],[7,6]],"
            "[['LOOP_HEAD_NODE_ID','LOOP_BACK_EDGE_SOURCE_NODE_IDS',"
            "'LOOP_NODE_IDS','PARENT_LOOP_HEAD_NODE_ID'],"
            "[4,[6],[4,5,6]],[5,[5],[5],4]]],"
            "[8,[8],[['NODE_ID','IDOM_NODE_ID'],[8,8]]]]");
   json_decref(root);
   delete_dcfg(&d);
}
END_TEST

/* Blocks, routines and loops stand with their image, whichever images have
   code. */
START_TEST(test_several_images)
{
   JsonDcfg  d = make_dcfg();
   JsonImage several[4];
   json_t*   root;

   for (UInt i = 0; i < 4; i++)
      several[i] = images[1];
   several[1].info.load = several[3].info.load = 0x400000;
   d.images   = several;
   d.n_images = 4;
   for (UInt b = 0; b < 5; b++)
      d.graph->blocks[b].image = b < 4 ? 1 : 3;
   root = write_dcfg(&d);
   for (UInt row = 1; row <= 4; row++) {
      json_t* image = image_of(root, row);
      UInt    rows  = (UInt)json_array_size(json_object_get(image,
                                                       "BASIC_BLOCKS"));
      UInt    routines = (UInt)json_array_size(json_object_get(image,
                                                            "ROUTINES"));
      ck_assert_uint_eq(rows, row == 2 ? 5 : row == 4 ? 2 : 0);
      ck_assert_uint_eq(routines, row == 2 || row == 4 ? 2 : 0);
   }
   json_decref(root);
   delete_dcfg(&d);
}
END_TEST

/* Parts that options leave out are missing, not empty. */
START_TEST(test_left_out)
{
   JsonDcfg  d = make_dcfg();
   JsonDcfg  without;
   JsonImage no_source = images[0];
   json_t*   root;

   without = d;
   without.routines = NULL;
   without.loops    = NULL;
   root = write_dcfg(&without);
   keys_are(image_of(root, 1),
            "FILE_NAME_ID BUILD_ID SYMBOLS SOURCE_DATA BASIC_BLOCKS");
   json_decref(root);

   /* With sizes of instructions: they are there once one is known. */
   without = d;
   without.instr_sizes = "00423342z1";
   root = write_dcfg(&without);
   keys_are(image_of(root, 1), "FILE_NAME_ID BUILD_ID SYMBOLS SOURCE_DATA "
            "BASIC_BLOCKS INSTR_SIZES ROUTINES");
   ck_assert_str_eq(json_string_value(json_object_get(image_of(root, 1),
                                                      "INSTR_SIZES")),
                    "00423342z1");
   json_decref(root);

   without.instr_sizes = "0000000000";
   root = write_dcfg(&without);
   ck_assert_ptr_null(json_object_get(image_of(root, 1), "INSTR_SIZES"));
   json_decref(root);

   without = d;
   without.with_symbols = False;
   root = write_dcfg(&without);
   keys_are(image_of(root, 1),
            "FILE_NAME_ID BUILD_ID SOURCE_DATA BASIC_BLOCKS ROUTINES");
   json_decref(root);

   without = d;
   without.with_cfg = False;
   root = write_dcfg(&without);
   keys_are(process_of(root), "INSTR_COUNT_PER_THREAD INSTR_COUNT IMAGES");
   keys_are(image_of(root, 1), "FILE_NAME_ID BUILD_ID SYMBOLS SOURCE_DATA");
   json_decref(root);

   without = d;
   no_source.n_source = 0;
   without.images     = &no_source;
   without.n_images   = 1;
   root = write_dcfg(&without);
   keys_are(image_of(root, 1),
            "FILE_NAME_ID BUILD_ID SYMBOLS BASIC_BLOCKS ROUTINES");
   json_decref(root);
   delete_dcfg(&d);
}
END_TEST

static void expect_text(const HChar* part)
{
   require(strstr(text, part) != NULL, "no %s in the text", part);
}

/* The smallest and the largest value of every number. */
START_TEST(test_number_ranges)
{
   static const ULong counts[] = { 0, 1ULL << 32, 1ULL << 63, ~0ULL };
   JsonDcfg  d = make_dcfg();
   JsonImage low = images[0];

   d.pid          = 0xFFFFFFFF;
   low.info.load  = 0;
   low.info.size  = ~(SizeT)0;
   d.images       = &low;
   d.n_images     = 1;
   for (UInt b = 0; b < 4; b++)
      d.graph->blocks[b].count = counts[b];
   d.graph->blocks[0].addr = 0;
   d.graph->blocks[4].addr = ~0ULL;
   d.graph->blocks[4].size = 0xFFFFFFFF;
   for (UInt t = 0; t < 3; t++)
      d.graph->thread_instrs[t] = 0;
   d.graph->thread_instrs[1] = ~0ULL;
   d.graph->counts[0].count  = ~0ULL;
   start_text();
   DCFG_(write_json)(&out, &d);

   expect_text("[ 4294967295,\n");
   expect_text("[ 1,\n            \"0x0\",\n"
               "            18446744073709551615,");
   expect_text("[ 4, \"0x0\", 6, 2, 4, 0 ]");
   expect_text("[ 5, \"0x401010\", 6, 2, 4, 4294967296 ]");
   expect_text("[ 6, \"0x401020\", 6, 2, 4, 9223372036854775808 ]");
   expect_text("[ 7, \"0x401030\", 6, 2, 4, 18446744073709551615 ]");
   expect_text("[ 8, \"0xffffffffffffffff\", 4294967295, 2, 4, 104 ]");
   expect_text("\"INSTR_COUNT_PER_THREAD\" : [ 0, 18446744073709551615, 0 ]");
   expect_text("\"INSTR_COUNT\" : 18446744073709551615,");
   expect_text("[ 1, 1, 4, 1, [ 18446744073709551615, 0, 0 ] ]");
   delete_dcfg(&d);
}
END_TEST

/* A hex number has no leading zeros, in whatever digit it starts. */
START_TEST(test_hex)
{
   JsonDcfg  d = make_dcfg();
   JsonImage im = images[1];

   d.images   = &im;
   d.n_images = 1;
   for (UInt shift = 0; shift < 64; shift++) {
      HChar part[40];
      im.info.load = (SizeT)0xFEDCBA9876543210ULL >> shift;
      sprintf(part, "\"0x%zx\"", im.info.load);
      start_text();
      DCFG_(write_json)(&out, &d);
      expect_text(part);
   }
   delete_dcfg(&d);
}
END_TEST

/* A second run gives the same text: nothing stays in the buffer or the
   tables. */
START_TEST(test_twice)
{
   JsonDcfg d = make_dcfg();
   JsonDcfg e = make_dcfg();
   json_decref(write_dcfg(&d));
   UInt     once_len = text_len;
   HChar*   once     = malloc(once_len);

   memcpy(once, text, once_len);
   memset(out.buf, 'x', sizeof(out.buf));
   out.used = 99;                  // as an earlier writer might leave it
   start_text();
   DCFG_(write_json)(&out, &e);
   ck_assert_uint_eq(text_len, once_len);
   ck_assert_int_eq(memcmp(text, once, once_len), 0);
   free(once);
   delete_dcfg(&d);
   delete_dcfg(&e);
}
END_TEST

START_TEST(test_nothing_ran)
{
   Graph*      g = plain_graph(0);
   BlockSymbol s[1];
   Routines*   r = DCFG_(find_routines)(g, s);
   JsonDcfg    d = { .pid = 1, .n_runs = 1, .graph = g, .routines = r,
                     .loops = DCFG_(find_loops)(g, r), .with_cfg = True,
                     .with_symbols = True };
   json_t*     root = write_dcfg(&d);

   keys_are(process_of(root),
            "INSTR_COUNT_PER_THREAD INSTR_COUNT IMAGES EDGES");
   table_is(process_of(root), "IMAGES",
            "[['IMAGE_ID','LOAD_ADDR','SIZE','IMAGE_DATA']]");
   json_decref(root);
   delete_dcfg(&d);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("json");

   add_case(s, test_whole, test_several_images, test_left_out,
            test_number_ranges, test_hex, test_twice, test_nothing_ran);
   return run_suite(s);
}
