/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the files of outputs, the options that name them, and the messages
   about them.  Handed: names and text, by all outputs.

   An option is claimed before the program runs, so that a wrong name ends the
   run at once.  A file of a set is opened, filled and closed, and the next one
   follows.  When dcfg_main.c says that all are written, tool/files/delivery.c
   gives them their names, and the user reads one message for each. */

#include "tool/base/core.h"
#include "tool/base/options.h"
#include "tool/files/delivery.h"
#include "tool/files/file.h"
#include "tool/files/interrupt.h"
#include "tool/files/path.h"

/* The options that name files, with their values. */
#define MAX_CLAIMS 16
static struct {
   const HChar* opt;
   const HChar* format;
   Int          fd;          // its descriptor; -1: it names none
} claims[MAX_CLAIMS];
static UInt n_claims;
static UInt part;            // the run's part; 0: the rest of the run
static Bool is_first = True; // did this process begin the family?
static Bool is_cut;          // has a part of this process been written?
static Bool may_exec;        // see expect_execve()
static HChar* (*program_name)(void);

struct _OutFile {
   const HChar* opt;
   HChar* name;                 // in the user's words
   Int    error;                // errno of the first error, or 0
   Put*   text;                 // NULL when it is closed
   HChar* said;                 // then: what it contains; NULL: no message
   Bool   replaced;             // does a later file of the set replace it?
   Wanted want;
   const HChar* reader;         // see set_reader()
   const HChar* found;
};

/* The files of the set that is being written, by number. */
static XArray* files;           // OutFile*

/*--- Names                                                ---*/

/* The rules of VG_(expand_file_name), which exits if they are broken. */
const HChar* DCFG_(why_no_name)(const HChar* format)
{
   if (format[0] == 0)
      return "a file name is missing";
   if (format[0] == '~')
      return "~ is not expanded here: write the directory's name";
   for (const HChar* s = format; *s != 0; s++) {
      if (*s != '%')
         continue;
      s++;
      if (*s == 'q' && s[1] == '{') {
         const HChar* end = VG_(strchr)(s, '}');
         if (end == NULL)
            return "%q{ has no closing }";
         SizeT n = end - (s + 2);
         HChar name[n + 1];
         VG_(strncpy)(name, s + 2, n);
         name[n] = 0;
         if (VG_(getenv)(name) == NULL)
            return "the environment variable of %q{} is not set";
         s = end;
      } else if (*s != 'p' && *s != 'n' && *s != '%') {
         return "after % comes p, n, q{VARIABLE} or another %";
      }
   }
   if (format[0] != '/' && VG_(get_startup_wd)() == NULL)
      return "the directory that the program was started in has no name";
   return NULL;
}

/* Return the first %C in FORMAT, or NULL. */
static const HChar* find_percent(const HChar* format, HChar c)
{
   for (const HChar* s = format; *s != 0; s++) {
      if (s[0] != '%')
         continue;
      if (s[1] == c)
         return s;
      if (*++s == 0)
         break;
   }
   return NULL;
}

void DCFG_(set_program)(HChar* (*name)(void))
{
   program_name = name;
}

Bool DCFG_(merges_runs)(const HChar* format)
{
   return find_percent(format, 'm') != NULL;
}

/* Return whether the name that FORMAT gives has the process id.  The parts of a
   run have files of their own: only together they can be added to others. */
static Bool has_pid(const HChar* format)
{
   return find_percent(format, 'p') != NULL
          || (is_cut && DCFG_(merges_runs)(format));
}

/* Return FORMAT with the program in place of %m.  The caller frees it. */
static HChar* put_program(const HChar* format)
{
   HChar*       res  = VG_(strdup)("dcfg.file.format", format);
   HChar*       text = DCFG_(merges_runs)(format) ? program_name() : NULL;
   const HChar* at;

   while ((at = find_percent(res, 'm')) != NULL) {
      HChar* next = VG_(malloc)("dcfg.file.format",
                                VG_(strlen)(res) + 2 * VG_(strlen)(text) + 4);
      HChar* to   = next + (at - res);
      VG_(memcpy)(next, res, at - res);
      for (const HChar* s = text; *s != 0; s++) {
         if (*s == '%')
            *to++ = '%';
         *to++ = *s;
      }
      VG_(strcpy)(to, is_cut ? ".%p" : "");
      VG_(strcat)(to, at + 2);
      VG_(free)(res);
      res = next;
   }
   VG_(free)(text);
   return res;
}

/* Return the name of OPT's FORMAT.  The caller frees it. */
static HChar* expand(const HChar* opt, const HChar* format)
{
   HChar* plain = put_program(format);
   HChar* name  = VG_(expand_file_name)(opt, plain);

   VG_(free)(plain);
   return name;
}

HChar* DCFG_(path_of_file)(const HChar* opt, const HChar* format)
{
   HChar* name = expand(opt, format);
   HChar* path = DCFG_(path_of_name)(name);

   VG_(free)(name);
   return path;
}

Bool DCFG_(has_side_file)(const HChar* opt, const HChar* format,
                          const HChar* what)
{
   HChar* path = DCFG_(path_of_file)(opt, format);
   Bool   res  = path != NULL;

   if (!res)
      DCFG_(remark)("dcfg: %s=%s is no regular file: the file beside it with %s is "
                    "not written\n",
                    opt, format, what);
   VG_(free)(path);
   return res;
}

void DCFG_(set_part)(UInt n)
{
   part   = n;
   is_cut = is_cut || n > 0;
}

void DCFG_(expect_execve)(Bool expected)
{
   may_exec = expected;
}

HChar* DCFG_(name_of_part)(const HChar* opt, const HChar* format,
                           const HChar* suffix)
{
   SizeT  n    = DCFG_(plain_length)(format);
   HChar* res  = VG_(malloc)("dcfg.file.part", VG_(strlen)(format)
                                               + VG_(strlen)(suffix) + 20);
   HChar* path = DCFG_(path_of_file)(opt, format);

   if (part > 0 && n > 5 && VG_(strncmp)(format + n - 5, ".json", 5) == 0)
      n -= 5;
   VG_(memcpy)(res, format, n);
   res[n] = 0;
   if (part > 0 && path != NULL)
      VG_(sprintf)(res + n, ".%u", part);
   if (path != NULL)
      VG_(strcat)(res, suffix);
   VG_(strcat)(res, format + n);
   VG_(free)(path);
   return res;
}

HChar* DCFG_(directory_of_part)(const HChar* format)
{
   return part > 0 ? DCFG_(printed)("%s.%u", format, part)
                   : VG_(strdup)("dcfg.file.part", format);
}

/*--- Options that name files                              ---*/

static const HChar* error_text(Int error)
{
   return error == VKI_ENXIO ? "nobody reads from it"
                             : DCFG_(error_text)(error);
}

/* Exit with a message if OPT's FORMAT names the same file as another option. */
static void check_apart(const HChar* opt, const HChar* format)
{
   HChar* path = DCFG_(path_of_file)(opt, format);

   for (UInt i = 0; i < n_claims; i++) {
      HChar* other = DCFG_(path_of_file)(claims[i].opt, claims[i].format);
      if (path != NULL && other != NULL && VG_STREQ(path, other))
         DCFG_FAIL("%s=%s names the file of %s: give each output a file of its "
                   "own\n", opt,
                   expand(opt, format), claims[i].opt);
      VG_(free)(other);
   }
   VG_(free)(path);
}

void DCFG_(refuse_merging)(const HChar* opt, const HChar* format)
{
   if (DCFG_(merges_runs)(format) && !VG_STREQ(opt, "--dcfg-out-file"))
      VG_(fmsg)("%s=%s: %%m is for --dcfg-out-file, because only graphs add up: "
                "use %%p here\n", opt, format);
   else if (n_claims > 0 && DCFG_(merges_runs)(claims[0].format))
      VG_(fmsg)("%s=%s adds the graphs of many runs up, and the file of %s is of "
                "one run: record that one apart, or use %%p for the graph\n",
                claims[0].opt, claims[0].format, opt);
   else
      return;
   VG_(exit)(1);
}

/* Signals are blocked while a file is made to see whether that works. */
void DCFG_(claim_out_file)(const HChar* opt, const HChar* format)
{
   vki_sigset_t before;
   Int          fd;

   tl_assert(n_claims < MAX_CLAIMS);
   DCFG_(refuse_merging)(opt, format);
   if (n_claims == 0 && DCFG_(find_family)())
      DCFG_(disown_out_files)();
   DCFG_(block_signals)(&before);
   check_apart(opt, format);
   HChar* name  = expand(opt, format);
   Int    error = DCFG_(check_name)(name, &fd);
   if (error != 0)
      DCFG_FAIL("cannot create %s for %s: %s\n", name, opt,
                error_text(error));
   VG_(free)(name);
   DCFG_(restore_signals)(&before);
   claims[n_claims].opt    = opt;
   claims[n_claims].format = format;
   claims[n_claims].fd     = fd;
   n_claims++;
}

/* Return the descriptor that was duplicated for OPT's FORMAT, or -1. */
static Int claimed_descriptor(const HChar* opt, const HChar* format)
{
   for (UInt i = 0; i < n_claims; i++)
      if (VG_STREQ(claims[i].opt, opt)
          && VG_STREQ(claims[i].format, format))
         return claims[i].fd;
   return -1;
}

void DCFG_(disown_out_files)(void)
{
   is_first = False;
   is_cut   = False;
   DCFG_(disown_names)();
}

/*--- Files                                                ---*/

static OutFile* file(UInt i)
{
   return *(OutFile**)VG_(indexXA)(files, i);
}

static UInt n_files(void)
{
   return files == NULL ? 0 : VG_(sizeXA)(files);
}

/* Return the number of OPT's file, or -1. */
static Int find_file(const HChar* opt)
{
   for (UInt i = 0; i < n_files(); i++)
      if (VG_STREQ(file(i)->opt, opt))
         return i;
   return -1;
}

/* Write N bytes of TEXT to the file ARG.  A PutFn. */
static void write_text(void* arg, const HChar* text, UInt n)
{
   DCFG_(fill_file)(text, n);
}

/* Begin a file.  NAME is freed together with it. */
static OutFile* open_file(const HChar* opt, HChar* name, const Wanted* w)
{
   OutFile* f = VG_(calloc)("dcfg.file", 1, sizeof(OutFile));

   f->opt    = opt;
   f->name   = name;
   f->want   = *w;
   f->text = VG_(malloc)("dcfg.file.text", sizeof(Put));
   DCFG_(start_put)(f->text, write_text, f);
   f->error = DCFG_(begin_file)(f->name, w);
   if (files == NULL)
      files = DCFG_NEW_ARRAY("dcfg.file.set", OutFile*);
   VG_(addToXA)(files, &f);
   return f;
}

OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format,
                              const HChar* needs, Bool is_private)
{
   const Wanted w = { .fd         = claimed_descriptor(opt, format),
                      .needs      = needs == NULL ? -1 : find_file(needs),
                      .has_pid    = has_pid(format),
                      .is_private = is_private,
                      .merges     = !is_cut && DCFG_(merges_runs)(format),
                      .in_doubt   = may_exec };

   return open_file(opt, expand(opt, format), &w);
}

OutFile* DCFG_(open_file_inside)(const HChar* opt, const HChar* format,
                                 const HChar* name)
{
   const Wanted w   = { .fd = -1, .needs = -1, .has_pid = has_pid(format),
                        .inside = VG_(getpid)() };
   HChar*       dir = expand(opt, format);
   HChar*       res = DCFG_(join_path)(dir, name);

   VG_(free)(dir);
   return open_file(opt, res, &w);
}

Put* DCFG_(text_of_file)(OutFile* out)
{
   return out->text;
}

void DCFG_(set_reader)(OutFile* out, const HChar* command, const HChar* found)
{
   out->reader = command;
   out->found  = found;
}

static void tell_trouble(const OutFile* out, const HChar* why)
{
   VG_(umsg)("dcfg: cannot write %s: %s\n", out->name, why);
}

/* End a file: no more text comes. */
static void end(OutFile* out, Bool keep)
{
   out->error = DCFG_(end_file)(keep);
   VG_(free)(out->text);
   out->text = NULL;
}

void DCFG_(abandon_out_file)(OutFile* out)
{
   end(out, False);
}

Bool DCFG_(end_out_file)(OutFile* out)
{
   DCFG_(put_flush)(out->text);
   end(out, True);
   return out->error == 0;
}

void DCFG_(replace_out_file)(OutFile* out)
{
   out->replaced = True;
}

Bool DCFG_(close_out_file)(OutFile* out, const HChar* what, ...)
{
   HChar   said[256];
   va_list args;

   if (out->text != NULL)
      DCFG_(end_out_file)(out);
   said[0] = 0;
   if (what != NULL) {
      va_start(args, what);
      VG_(vsnprintf)(said, sizeof(said), what, args);
      va_end(args);
   }
   out->said = VG_(strdup)("dcfg.file.said", said);
   return out->error == 0;
}

Bool DCFG_(out_file_failed)(const HChar* opt)
{
   Int i = find_file(opt);
   return i != -1 && file(i)->error != 0;
}

/*--- All files of one writing                             ---*/

static const HChar* compressor_of(const OutFile* out)
{
   const Compressor* c = DCFG_(find_compressor)(out->name);
   return c != NULL ? c->program : "the compressor";
}

/* Name all files.  Signals are blocked: a file with a name cannot be
   abandoned. */
static void name_all(Bool claimed, Delivered* results, UInt n)
{
   vki_sigset_t before;

   DCFG_(block_signals)(&before);
   if (!DCFG_(is_abandoned)()) {
      DCFG_(name_files)(VG_(getpid)(), claimed, results, n);
   } else {
      DCFG_(drop_files)();
      for (UInt i = 0; i < n; i++)
         results[i].error = VKI_EINTR;
   }
   DCFG_(restore_signals)(&before);
}

static Bool is_told(const OutFile* out, const Delivered* r)
{
   return r->error == 0 && out->said != NULL && out->said[0] != 0;
}

/* Return the name for messages: the user's, if the file has it. */
static const HChar* name_to_tell(const OutFile* out, const Delivered* r)
{
   return VG_STREQ(r->name, r->path) && !r->unpacked ? out->name : r->name;
}

/* Return whether there is a file for a reader. */
static Bool is_readable(const OutFile* out, const Delivered* r)
{
   HChar* path = out->reader != NULL && is_told(out, r)
                 ? DCFG_(path_of_name)(name_to_tell(out, r)) : NULL;

   VG_(free)(path);
   return path != NULL;
}

/* Return the end of NAME, relative to the directory where the program was
   started. */
static const HChar* relative_name(const HChar* name)
{
   const HChar* wd = VG_(get_startup_wd)();
   SizeT        n  = wd == NULL ? 0 : VG_(strlen)(wd);

   return n > 0 && VG_(strncmp)(name, wd, n) == 0 && name[n] == '/'
          ? name + n + 1 : name;
}

/* Return the relative name.  For a file in a directory, the directory's name.  The
   caller frees it. */
static HChar* short_name(const OutFile* out, const Delivered* r)
{
   HChar* res = VG_(strdup)("dcfg.file.short",
                            relative_name(name_to_tell(out, r)));

   if (out->want.inside != 0)
      *VG_(strrchr)(res, '/') = 0;
   return res;
}

/* Return whether a reader finds the file without its relative NAME: FOUND is as
   for set_reader(). */
static Bool is_found(const HChar* found, const HChar* name)
{
   return found != NULL && VG_(strchr)(name, '/') == NULL
          && VG_(strncmp)(name, found, VG_(strchr)(found, '%') - found) == 0;
}

/* Return TO with NAME behind it as a shell's word.  TO is freed. */
static HChar* add_word(HChar* to, const HChar* name)
{
   const HChar* quote = VG_(strchr)(name, '\'') != NULL ? "\""
                        : VG_(strpbrk)(name, " \t\"$&()*;<>?[\\]`{|}~") != NULL
                        ? "'" : "";
   HChar*       res   = DCFG_(printed)("%s %s%s%s", to, quote, name, quote);

   VG_(free)(to);
   return res;
}

HChar* DCFG_(see_with)(const HChar* command, const HChar* name,
                       const HChar* found)
{
   HChar* res = DCFG_(printed)("; see it with: %s", command);

   name = relative_name(name);
   return is_found(found, name) ? res : add_word(res, name);
}

/* Return the end of the last message: the command that reads the last file, or
   an empty text if no file has a reader.  The caller frees it. */
static HChar* next_step(const Delivered* results)
{
   Int    last = n_files() - 1;
   HChar* names[2];
   HChar* res;
   Bool   found = True;

   while (last >= 0 && !(is_readable(file(last), &results[last])
                         && (file(last)->want.needs < 0
                             || is_readable(file(file(last)->want.needs),
                                            &results[file(last)->want.needs]))))
      last--;
   if (last < 0)
      return VG_(strdup)("dcfg.file.next", "");
   const Int n[2] = { file(last)->want.needs, last };
   for (UInt i = 0; i < 2; i++) {
      names[i] = n[i] < 0 ? NULL : short_name(file(n[i]), &results[n[i]]);
      found = found && (n[i] < 0 || is_found(file(n[i])->found, names[i]));
   }
   res = DCFG_(printed)("; see it with: %s", file(last)->reader);
   for (UInt i = 0; i < 2; i++) {
      if (names[i] != NULL && !found)
         res = add_word(res, names[i]);
      VG_(free)(names[i]);
   }
   return res;
}

/* Tell the user the result for OUT, and NEXT. */
static void tell_result(const OutFile* out, const Delivered* r,
                        const HChar* next)
{
   if (r->error == VKI_EINTR)
      VG_(umsg)("dcfg: %s is not written: a second signal abandoned it\n",
                out->name);
   if (r->error == VKI_EINTR || out->said == NULL
       || (r->error == DCFG_ECANCELED && out->said[0] == 0))
      return;
   if (r->error == DCFG_ECANCELED)
      VG_(umsg)("dcfg: %s is not written, because the file that it belongs to "
                "was not\n", out->name);
   else if (r->error == VKI_ENOENT)
      tell_trouble(out, "its directory is not there any more");
   else if (r->error != 0)
      tell_trouble(out, error_text(r->error));
   if (r->error != 0 || out->said[0] == 0)
      return;
   if (r->unpacked)
      VG_(umsg)("dcfg: the compressor %s is missing or failed: %s is not "
                "compressed\n",
                compressor_of(out), r->path);
   if (!VG_STREQ(r->name, r->path))
      DCFG_(remark)("dcfg: %s %s: this one writes %s\n", r->path,
                    r->taken ? "was written before, by another process or program"
                             : "is left to another process", r->name);
   if (r->waits)
      VG_(umsg)("dcfg: this run waits in %s.runs, because it could not be added "
                "to %s: dcfg merge --in-place %s says why\n",
                r->name, out->name, out->name);
   else
      DCFG_(remark)("dcfg: %s %s: %s%s\n",
                    out->want.merges ? "added this run to" : "wrote",
                    name_to_tell(out, r), out->said, next);
}

Bool DCFG_(finish_out_files)(Bool claimed, Bool at_end)
{
   Bool       good    = True;
   UInt       n       = n_files();
   UInt       last    = n;
   Delivered* results = VG_(calloc)("dcfg.file.results", n + 1,
                                    sizeof(Delivered));

   name_all(claimed, results, n);
   while (last > 0 && !is_told(file(last - 1), &results[last - 1]))
      last--;
   HChar* next = at_end && is_first ? next_step(results)
                                    : VG_(strdup)("dcfg.file.next", "");
   for (UInt i = 0; i < n; i++)
      tell_result(file(i), &results[i], i + 1 == last ? next : "");
   VG_(free)(next);
   for (UInt i = 0; i < n; i++) {
      OutFile* f = file(i);
      good = good && (f->replaced
                      || (f->error == 0 && results[i].error == 0));
      DCFG_FREE_ALL(results[i].path, results[i].name, f->name, f->said, f);
   }
   if (files != NULL)
      VG_(deleteXA)(files);
   files = NULL;
   VG_(free)(results);
   return good;
}
