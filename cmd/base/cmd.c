/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg: what its parts share. */

/* Owns: reading command lines, how errors are told, memory that is there or
   the end.  Handed: the arguments of a subcommand.  Taken by: all of them. */

#include "cmd/base/cmd.h"

#include "cmd/base/clean.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char* command_name;
uint64_t    max_memory;
uint64_t    max_disk;

/*--- Errors, memory, output                                ---*/

static void say(const char* format, va_list args)
{
   char   text[16384];
   size_t n;

   fflush(stdout);
   vsnprintf(text, sizeof(text), format, args);
   n = clean_text(text, strlen(text), false);
   fprintf(stderr, "dcfg%s%s: %.*s\n", command_name != NULL ? " " : "",
           command_name != NULL ? command_name : "", (int)n, text);
}

void complain(const char* format, ...)
{
   va_list args;

   va_start(args, format);
   say(format, args);
   va_end(args);
}

void die(const char* format, ...)
{
   va_list args;

   va_start(args, format);
   say(format, args);
   va_end(args);
   exit(STATUS_BAD);
}

void* need(void* p)
{
   if (p == NULL)
      die("out of memory");
   return p;
}

void* zalloc(size_t n, size_t size)
{
   return need(calloc(n == 0 ? 1 : n, size));
}

char* text_copy(const char* s)
{
   return need(strdup(s));
}

void close_output(FILE* f, const char* path)
{
   bool bad = ferror(f) != 0;

   if (fclose(f) != 0 || bad)
      die("%s: %s", path, errno != 0 ? strerror(errno) : "write error");
}

int open_regular(const char* path)
{
   struct stat st;
   int         fd = stat(path, &st) == 0 && S_ISREG(st.st_mode)
                    ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                    : -1;

   if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
      return fd;
   close(fd);
   return -1;
}

/*--- Command lines                                        ---*/

/* TEXT's lines from column AT on, where the first one begins. */
static void print_lines(int at, const char* text)
{
   size_t n;

   for (; n = strcspn(text, "\n"), text[n] != 0; text += n + 1)
      printf("%.*s\n%*s", (int)n, text, at, "");
   puts(text);
}

static void print_choices(const OptionChoice* const* choices, bool options)
{
   for (; *choices != NULL; choices++) {
      const char* value = (*choices)->value != NULL ? (*choices)->value : "";
      int         width = 17 - (int)strlen((*choices)->name);
      if (options)
         printf("  --%s%-*s", (*choices)->name, width > 0 ? width : 0, value);
      else
         printf("%21s%-11s", "", (*choices)->name);
      print_lines(options ? 21 : 32, (*choices)->help);
   }
}

static _Noreturn void help(const Command* c)
{
   const char* text = c->help;
   size_t      n;

   printf("usage: dcfg %s [OPTION...] %s\n\n", c->name, c->args);
   for (; n = strcspn(text, CHOICES_HERE OPTIONS_HERE), text[n] != 0;
        text += n + 1) {
      printf("%.*s", (int)n, text);
      print_choices(c->choices, text[n] == OPTIONS_HERE[0]);
   }
   fputs(text, stdout);
   close_output(stdout, "standard output");
   exit(STATUS_OK);
}

size_t choice(const char* option, const char* value,
              const OptionChoice* const* choices)
{
   char   all[512] = "";
   size_t used = 0;

   for (size_t i = 0; choices[i] != NULL; i++) {
      const char* before = i == 0 ? "" : choices[i + 1] == NULL
                           ? " or " : ", ";
      if (strcmp(choices[i]->name, value) == 0)
         return i;
      used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", before,
                               choices[i]->name);
   }
   die("--%s is %s, not `%s'", option, all, value);
}

static const char* dashes(const Opt* opt)
{
   return opt->name[1] == 0 ? "-" : "--";
}

static uint64_t number_value(const Opt* opt, const char* value)
{
   char*    end;
   uint64_t n;

   errno = 0;
   n = strtoull(value, &end, opt->kind == OPT_ADDR ? 0 : 10);
   if (value[0] < '0' || value[0] > '9' || *end != 0 || errno != 0)
      die("%s%s needs a number, not `%s'", dashes(opt), opt->name, value);
   return n;
}

/* The option that ARG, without its dashes, is; its value, if it is there,
   goes to *VALUE. */
static const Opt* find_option(const Opt* opts, size_t n, const char* arg,
                              const char** value)
{
   size_t len = strcspn(arg, "=");

   *value = arg[len] == '=' ? arg + len + 1 : NULL;
   for (size_t i = 0; i < n && len > 1; i++)
      if (strncmp(opts[i].name, arg, len) == 0 && opts[i].name[len] == 0)
         return &opts[i];
   return NULL;
}

/* Likewise for one dash. */
static const Opt* find_letter(const Opt* opts, size_t n, const char* arg,
                              const char** value)
{
   *value = arg[1] != 0 ? arg + 1 : NULL;
   for (size_t i = 0; i < n; i++)
      if (opts[i].name[0] == arg[0] && opts[i].name[1] == 0)
         return &opts[i];
   return NULL;
}

/* Both in MiB. */
static const Opt common[] = { { "memory", OPT_COUNT, &max_memory },
                              { "disk",   OPT_COUNT, &max_disk } };

/* ARG with its dashes. */
static const Opt* any_option(const Opt* opts, size_t n, const char* arg,
                             const char** value)
{
   const Opt* opt;

   if (arg[1] != '-')
      return find_letter(opts, n, arg + 1, value);
   arg += 2;
   opt = find_option(opts, n, arg, value);
   return opt != NULL ? opt : find_option(common, 2, arg, value);
}

static void set_option(const Opt* opt, const char* value)
{
   if (opt->kind == OPT_FLAG)
      *(bool*)opt->to = true;
   else if (opt->kind == OPT_TEXT)
      *(const char**)opt->to = value;
   else if (opt->kind == OPT_COUNT_OR_NOT && value == NULL)
      *(uint64_t*)opt->to = NO_VALUE;
   else if (opt->kind == OPT_TEXT_OR_NOT)
      *(const char**)opt->to = value != NULL ? value : "";
   else
      *(uint64_t*)opt->to = number_value(opt, value);
}

static uint64_t bytes_of(uint64_t mib)
{
   return mib > UINT64_MAX >> 20 ? UINT64_MAX : mib << 20;
}

int parse_args(const Command* c, const Opt* opts, size_t n_opts, int argc,
               char** argv, const char** args, int min, int max)
{
   int  n = 0;
   bool only_files = false;

   for (int i = 1; i < argc; i++) {
      const char* value;
      const Opt*  opt;
      if (only_files || argv[i][0] != '-' || argv[i][1] == 0) {
         if (n == max)
            die("`%s' is one file too many; usage: dcfg %s %s", argv[i],
                c->name, c->args);
         args[n++] = argv[i];
         continue;
      }
      if (strcmp(argv[i], "--") == 0) {
         only_files = true;
         continue;
      }
      if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
         help(c);
      opt = any_option(opts, n_opts, argv[i], &value);
      if (opt == NULL)
         die("there is no option %s; see dcfg %s --help", argv[i], c->name);
      if (opt->kind == OPT_FLAG && value != NULL)
         die("%s%s takes no value", dashes(opt), opt->name);
      if (opt->kind != OPT_FLAG && opt->kind != OPT_COUNT_OR_NOT
          && opt->kind != OPT_TEXT_OR_NOT && value == NULL) {
         if (++i == argc)
            die("%s%s needs a value; see dcfg %s --help", dashes(opt),
                opt->name, c->name);
         value = argv[i];
      }
      set_option(opt, value);
   }
   max_memory = bytes_of(max_memory);
   max_disk   = bytes_of(max_disk);
   if (n < min)
      die("a file is missing; usage: dcfg %s %s", c->name, c->args);
   return n;
}
