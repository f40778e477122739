/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the row of RUN in a graph, and the same words in other files.  Handed:
   the command line, by the core.

   Conditions are what counts depend on besides the program and its arguments.
   They are words KEY=VALUE with "; " between them.  The environment has names
   with the bytes of their values, and one hash of all, so that a recording tells
   no values.

   A forked child has its own start and parent; command line and working
   directory are those with which the program was executed.  So names in the
   command line are relative to that directory. */

#include "format/dcfg_tables.h"
#include "format/release.h"
#include "tool/base/core.h"
#include "tool/run/this_run.h"
#include "tool/steady/steady.h"

static HChar  start[32];
static HChar  processor[128];
static HChar* command_line;
static HChar* conditions;
static Int    parent;
static JsonRun replayed;
static Bool    is_again;         // is this a replay of that run?
static Int*    numbers;          // then: of its threads, by ThreadId

/*--- The command line                                     ---*/

/* Return whether a shell takes C as it is, anywhere in a word. */
static Bool is_plain(HChar c)
{
   return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9')
          || (c != 0 && VG_(strchr)("_-+=@%:,./", c) != NULL);
}

/* Append WORD to TO as a shell reads it.  Return the end. */
static HChar* quote(HChar* to, const HChar* word)
{
   const HChar* s = word;

   while (is_plain(*s))
      s++;
   if (*s == 0 && s > word) {
      VG_(strcpy)(to, word);
      return to + (s - word);
   }
   *to++ = '\'';
   for (s = word; *s != 0; s++) {
      *to++ = *s;
      if (*s != '\'')
         continue;
      VG_(strcpy)(to, "\\''");
      to += 3;
   }
   *to++ = '\'';
   *to   = 0;
   return to;
}

/* Return the program and its arguments, quoted for a shell. */
static HChar* quoted_command(void)
{
   XArray* args = VG_(args_for_client);
   SizeT   n    = VG_(strlen)(VG_(args_the_exename));

   for (Word i = 0; i < VG_(sizeXA)(args); i++)
      n += VG_(strlen)(*(HChar**)VG_(indexXA)(args, i));
   /* A byte has at most four in quotes; a word two quotes, and a zero byte or
      a space behind it. */
   HChar* text = VG_(malloc)("dcfg.run.command",
                             4 * n + 3 * (VG_(sizeXA)(args) + 1));
   HChar* to   = quote(text, VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(args); i++) {
      *to++ = ' ';
      to = quote(to, *(HChar**)VG_(indexXA)(args, i));
   }
   return text;
}

/*--- The start                                            ---*/

static UInt days_of_year(UInt year)
{
   return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365;
}

/* Write the present time as "2026-01-31T12:34:56Z". */
static void note_start(void)
{
   static const UChar days_of_months[]
      = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
   struct vki_timeval now;
   UInt               year = 1970, month = 0;

   VG_(gettimeofday)(&now, NULL);
   UInt day = now.tv_sec / 86400, second = now.tv_sec % 86400;
   for (; day >= days_of_year(year); year++)
      day -= days_of_year(year);
   for (;; month++) {
      UInt n = days_of_months[month]
               + (month == 1 && days_of_year(year) == 366);
      if (day < n)
         break;
      day -= n;
   }
   VG_(sprintf)(start, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month + 1,
                day + 1, second / 3600, second / 60 % 60, second % 60);
}

/*--- The processor                                        ---*/

/* Copy the rest of the line of TEXT that begins with KEY to TO, which has room
   for N bytes, without the blanks and the colon behind KEY.  Return False if
   there is no such line. */
static Bool value_of(const HChar* text, const HChar* key, HChar* to, SizeT n)
{
   const HChar* at = text;
   SizeT        i  = 0;

   while (at != NULL && VG_(strncmp)(at, key, VG_(strlen)(key)) != 0) {
      at = VG_(strchr)(at, '\n');
      at = at == NULL ? NULL : at + 1;
   }
   if (at == NULL)
      return False;
   at += VG_(strlen)(key);
   while (*at == ' ' || *at == '\t' || *at == ':')
      at++;
   for (; at[i] != 0 && at[i] != '\n' && i < n - 1; i++)
      to[i] = at[i];
   to[i] = 0;
   return i > 0;
}

/* Find the host's processor.  arm64's kernel tells numbers in place of a
   name. */
static void find_processor(void)
{
   HChar text[4096], implementer[24], part[24];

   DCFG_(read_text)(-1, "/proc/cpuinfo", text, sizeof(text));
   if (!value_of(text, "model name", processor, sizeof(processor))
       && value_of(text, "CPU implementer", implementer, sizeof(implementer))
       && value_of(text, "CPU part", part, sizeof(part)))
      VG_(sprintf)(processor, "CPU implementer %s, part %s", implementer,
                   part);
}

/*--- The conditions                                       ---*/

/* Return the program's environment: it stands before the auxiliary vector. */
static HChar** environment(void)
{
   HChar** end = (HChar**)VG_(client_auxv) - 1;

   while (end[-1] != NULL)
      end--;
   return end;
}

/* Return the length of the name in NAME=VALUE. */
static SizeT name_length(const HChar* variable)
{
   const HChar* equals = VG_(strchr)(variable, '=');
   return equals == NULL ? VG_(strlen)(variable) : equals - variable;
}

/* Return the value of variable NAME, or NULL if there is none or it is "". */
static const HChar* variable(HChar** env, const HChar* name)
{
   SizeT n = VG_(strlen)(name);

   for (; *env != NULL; env++)
      if (name_length(*env) == n && VG_STREQN(n, *env, name)
          && (*env)[n] != 0 && (*env)[n + 1] != 0)
         return *env + n + 1;
   return NULL;
}

static const HChar* locale(HChar** env)
{
   const HChar* const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

   for (UInt i = 0; i < 3; i++)
      if (variable(env, names[i]) != NULL)
         return variable(env, names[i]);
   return "C";
}

/* Append the N bytes at TEXT to TO, with no character that has a meaning in the
   conditions.  Return the end. */
static HChar* append_plain(HChar* to, const HChar* text, SizeT n)
{
   for (; n > 0 && *text != 0; n--, text++)
      *to++ = *text <= ' ' || *text > '~'
              || VG_(strchr)(";=:", *text) != NULL ? '_' : *text;
   *to = 0;
   return to;
}

/* Append the environment: its hash, and the names with their sizes. */
static void append_environment(HChar* to, HChar** env)
{
   ULong hash = CODE_HASH_BEGIN;

   for (HChar** e = env; *e != NULL; e++)
      for (const HChar* c = *e; c == *e || c[-1] != 0; c++)
         hash = add_to_code_hash(hash, (UChar)*c);
   to += VG_(sprintf)(to, "; environment=%llx; variables=", hash);
   for (HChar** e = env; *e != NULL; e++) {
      SizeT n = name_length(*e), all = VG_(strlen)(*e);
      if (e > env)
         *to++ = ' ';
      to  = append_plain(to, *e, n);
      to += VG_(sprintf)(to, ":%lu", (UWord)(all > n ? all - n - 1 : 0));
   }
}

/* Return the processor as the program sees it. */
static const HChar* seen_processor(void)
{
   VexArch     arch;
   VexArchInfo host;

   if (!VG_STREQ(DCFG_(shown_processor)(), "host"))
      return DCFG_(shown_processor)();
   VG_(machine_get_VexArchInfo)(&arch, &host);
   return LibVEX_ppVexHwCaps(arch, host.hwcaps);
}

static void find_conditions(void)
{
   HChar** env = environment();
   HChar   kernel[66], terminals[4];
   SizeT   n = 1024 + VG_(strlen)(locale(env));
   UInt    k = 0;

   for (HChar** e = env; *e != NULL; e++)
      n += name_length(*e) + 24;
   for (Int fd = 0; fd < 3; fd++)
      if (DCFG_(is_terminal)(fd))
         terminals[k++] = '0' + fd;
   terminals[k] = 0;
   DCFG_(kernel_release)(kernel, sizeof(kernel));
   conditions = VG_(malloc)("dcfg.run.conditions", n);
   HChar* to = conditions;
   to += VG_(sprintf)(to, "processor=%s; kernel=%s; valgrind=%s; user=%d:%d; "
                      "terminal=%s; locale=", seen_processor(), kernel,
                      DCFG_VALGRIND, VG_(geteuid)(), VG_(getegid)(),
                      k == 0 ? "no" : terminals);
   to = append_plain(to, locale(env), n);
   append_environment(to, env);
}

/*--- The run                                              ---*/

void DCFG_(note_run)(void)
{
   note_start();
   find_processor();
   find_conditions();
   command_line = quoted_command();
   parent       = VG_(getppid)();
}

void DCFG_(note_forked_run)(void)
{
   note_start();
   parent = VG_(getppid)();
}

void DCFG_(set_this_run)(const JsonRun* run)
{
   replayed = *run;
   is_again = True;
}

Int DCFG_(this_pid)(void)
{
   return is_again ? (Int)replayed.pid : VG_(getpid)();
}

Int DCFG_(this_thread)(ThreadId tid)
{
   return numbers != NULL ? numbers[tid] : DCFG_(kernels_number)(tid);
}

void DCFG_(set_this_thread)(ThreadId tid, Int number)
{
   if (numbers == NULL)
      numbers = VG_(calloc)("dcfg.run.numbers", VG_N_THREADS, sizeof(Int));
   numbers[tid] = number;
}

JsonRun DCFG_(this_run)(void)
{
   const HChar* wd = VG_(get_startup_wd)();

   if (is_again)
      return replayed;

   return (JsonRun){ VG_(getpid)(), parent, command_line, wd ? wd : "", start,
                     DCFG_RELEASE, processor, DCFG_(steady_words)(),
                     conditions };
}
