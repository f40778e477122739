/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Command lines, errors, memory. */

/* Owns: reading command lines, messages of errors, allocation that succeeds or
   ends the command; "did you mean", for names that are similar to a user's
   word.  Handed: the arguments of a subcommand. */

#include "cmd/base/cmd.h"
#include "cmd/base/terminal.h"
#include "format/put.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Longer words are not compared: their number of edits means little. */
#define MOST_LENGTH 64

static size_t least(size_t a, size_t b)
{
   return a < b ? a : b;
}

/* Return how many letters must be added, removed, replaced, or swapped with the
   next one to make B of A, at most MOST_LENGTH letters each.  Case does not
   matter. */
static size_t edit_distance(const char* a, const char* b)
{
   size_t rows[3][MOST_LENGTH + 1];
   size_t n = strlen(a), m = strlen(b);

   for (size_t k = 0; k <= m; k++)
      rows[0][k] = k;
   for (size_t i = 1; i <= n; i++) {
      size_t*       row = rows[i % 3];
      const size_t* above = rows[(i + 2) % 3];
      row[0] = i;
      for (size_t k = 1; k <= m; k++) {
         int    x = tolower((unsigned char)a[i - 1]);
         int    y = tolower((unsigned char)b[k - 1]);
         row[k] = least(least(row[k - 1], above[k]) + 1,
                        above[k - 1] + (x != y));
         if (i > 1 && k > 1 && x == tolower((unsigned char)b[k - 2])
             && y == tolower((unsigned char)a[i - 2]))
            row[k] = least(row[k], rows[(i + 1) % 3][k - 2] + 1);
      }
   }
   return rows[n % 3][m];
}

/* Return whether BRIEF abbreviates WHOLE, as "cnts" does "counts": it has the
   same first letter, and others in their order, at least half of them. */
static bool abbreviates(const char* brief, const char* whole)
{
   size_t n = strlen(brief);

   if (n < 3 || strlen(whole) > 2 * n
       || tolower((unsigned char)*brief) != tolower((unsigned char)*whole))
      return false;
   for (; *brief != 0 && *whole != 0; whole++)
      brief += tolower((unsigned char)*brief)
               == tolower((unsigned char)*whole);
   return *brief == 0;
}

/* Return whether CANDIDATE is near: at most a third of the letters differ, it
   begins with the word, or one abbreviates the other. */
static bool is_near(const char* word, const char* candidate, size_t* distance)
{
   size_t n = strlen(word), m = strlen(candidate);
   size_t most = (n + 1) / 3;

   if (n >= 3 && strncasecmp(word, candidate, n) == 0) {
      *distance = 1;
      return true;
   }
   if (n <= MOST_LENGTH && m <= MOST_LENGTH && n <= m + most && m <= n + most) {
      *distance = edit_distance(word, candidate);
      if (*distance <= most && *distance < least(n, m))
         return true;
   }
   *distance = most + 1;
   return abbreviates(word, candidate) || abbreviates(candidate, word);
}

Nearest nearest_to(const char* word)
{
   return (Nearest){ .word = word };
}

void nearest_offer_as(Nearest* n, const char* candidate, const char* shown)
{
   size_t distance, at;

   if (strlen(shown) >= sizeof(n->found[0].name)
       || !is_near(n->word, candidate, &distance))
      return;
   for (size_t i = 0; i < n->n; i++)
      if (strcmp(n->found[i].name, shown) == 0)
         return;
   for (at = n->n; at > 0 && n->found[at - 1].distance > distance; at--)
      ;
   if (at == MOST_NEAREST)
      return;
   if (n->n == MOST_NEAREST)
      n->n--;
   memmove(&n->found[at + 1], &n->found[at], (n->n - at) * sizeof(n->found[0]));
   strcpy(n->found[at].name, shown);
   n->found[at].distance = distance;
   n->n++;
}

void nearest_offer(Nearest* n, const char* candidate)
{
   nearest_offer_as(n, candidate, candidate);
}

const char* nearest_text(Nearest* n)
{
   size_t used = 0;

   n->text[0] = 0;
   for (size_t i = 0; i < n->n; i++)
      if (used < sizeof(n->text))
         used += (size_t)snprintf(n->text + used, sizeof(n->text) - used,
                                  "%s`%s'%s", i == 0 ? "; did you mean "
                                  : i + 1 < n->n ? ", " : " or ",
                                  n->found[i].name, i + 1 < n->n ? "" : "?");
   return n->text;
}

const char* command_name;
uint64_t    max_memory;
uint64_t    max_disk;

/*--- Errors, memory, output                                ---*/

static void say(const char* format, va_list args)
{
   char   text[16384];
   size_t n;

   fflush(stdout);
   progress_hide();
   vsnprintf(text, sizeof(text), format, args);
   n = DCFG_(make_plain)(text, strlen(text), false);
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

int wait_for(pid_t pid)
{
   int status = -1;

   while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
   return status;
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

void bytes_add(ByteList* l, const void* bytes, size_t n)
{
   if (n == 0)
      return;
   if (l->n + n > l->room) {
      l->room  = 2 * (l->n + n);
      l->bytes = need(realloc(l->bytes, l->room));
   }
   memcpy(l->bytes + l->n, bytes, n);
   l->n += n;
}

bool is_among(const char* name, const char* const* all, size_t n)
{
   for (size_t i = 0; i < n; i++)
      if (strcmp(name, all[i]) == 0)
         return true;
   return false;
}

char* text_copy(const char* s)
{
   return need(strdup(s));
}

void write_failed(const char* path)
{
   int error = path == NULL && stdout_error() != 0 ? stdout_error() : errno;

   /* A compressor that ended early has said why. */
   if (path != NULL && error == EPIPE)
      die("%s could not be compressed", path);
   die("%s: %s", path == NULL ? "standard output" : path,
       error != 0 ? strerror(error) : "write error");
}

void close_output(FILE* f, const char* path)
{
   bool bad = ferror(f) != 0, is_stdout = f == stdout;

   if (fclose(f) != 0 || bad)
      write_failed(is_stdout ? NULL : path);
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

#define HELP_AT    21            // column of an option's help
#define CHOICE_AT  32            // and of the help of its values
#define HELP_WIDTH 79

static const char* color = "auto";
static bool        no_pager;

static const OptionChoice* const color_choices[] = {
   [COLOR_AUTO]   = &(const OptionChoice){ "auto", NULL, NULL },
   [COLOR_ALWAYS] = &(const OptionChoice){ "always", NULL, NULL },
   [COLOR_NEVER]  = &(const OptionChoice){ "never", NULL, NULL }, NULL
};

/* Both sizes are in MiB. */
static const Opt common[] = {
   { "memory", OPT_COUNT, &max_memory, "MIB",
     "the most memory that reading a file may take [by its size]" },
   { "disk", OPT_COUNT, &max_disk, "MIB",
     "the most disk in TMPDIR that unpacking a file may take [by its size]" },
   { "color", OPT_TEXT, &color, "auto|always|never",
     "use colour: if the terminal has it, always, or never [auto]" },
   { "no-pager", OPT_FLAG, &no_pager, NULL,
     "write long output to the terminal without a pager" }
};
#define N_COMMON (sizeof(common) / sizeof(common[0]))

/* Print TEXT from column AT on; the cursor is at column FROM. */
static void print_wrapped(int from, int at, const char* text)
{
   size_t room = HELP_WIDTH - (size_t)at;

   if (from > at - 2) {
      puts("");
      from = 0;
   }
   for (; text[0] != 0; from = 0) {
      size_t n = strlen(text), end;
      while (n > room || (text[n] != ' ' && text[n] != 0))
         n--;
      for (end = n; text[end - 1] == ' '; end--)
         ;
      printf("%*s%.*s\n", at - from, "", (int)end, text);
      text += n + strspn(text + n, " ");
   }
}

static const char* dashes(const Opt* opt)
{
   return opt->name[1] == 0 ? "-" : "--";
}

/* Print the option as users write it, with VALUE.  Return the length. */
static int print_option(const Opt* opt, const char* value)
{
   bool maybe = opt->kind == OPT_COUNT_OR_NOT || opt->kind == OPT_TEXT_OR_NOT;

   if (value == NULL)
      return printf("%s%s", dashes(opt), opt->name);
   return printf("%s%s%s%s%s", dashes(opt), opt->name,
                 maybe ? "[=" : opt->name[1] == 0 ? " " : "=", value,
                 maybe ? "]" : "");
}

static void print_help(const Opt* opts, size_t n)
{
   int used = 0;

   for (const Opt* opt = opts; opt < opts + n; opt++) {
      if (opt->kind == OPT_VALUES) {
         for (const OptionChoice* const* v = opt->to; *v != NULL; v++)
            print_wrapped(printf("%*s%s", HELP_AT, "", (*v)->name),
                          CHOICE_AT, (*v)->help);
         continue;
      }
      if (opt->name[0] != 0)
         used += printf(used == 0 ? "  " : ", ")
                 + print_option(opt, opt->value);
      if (opt->help == NULL)
         continue;
      print_wrapped(used, HELP_AT, opt->help);
      used = 0;
   }
}

void common_help(void)
{
   puts("\noptions of all commands:");
   print_help(common, N_COMMON);
}

/* Return the option ARG, which has no dashes.  *VALUE becomes its value, if ARG
   has one. */
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

static _Noreturn void help(const Command* c, const Opt* opts, size_t n)
{
   const char* value;

   printf("usage: dcfg %s [OPTION...] %s\n\n%s\noptions:\n", c->name, c->args,
          c->about);
   print_help(opts, n);
   puts("\noptions of all commands:");
   for (size_t i = 0; i < N_COMMON; i++)
      if (find_option(opts, n, common[i].name, &value) == NULL)
         print_help(&common[i], 1);
   fputs(c->more, stdout);
   close_output(stdout, "standard output");
   exit(STATUS_OK);
}

/* List the options, one on a line. */
static void list_options(const Opt* opts, size_t n)
{
   for (const Opt* opt = opts; opt < opts + n; opt++) {
      bool has_choices = opt + 1 < opts + n && opt[1].kind == OPT_VALUES;
      if (opt->name[0] == 0)
         continue;
      print_option(opt, has_choices ? "" : opt->value);
      if (has_choices)
         for (const OptionChoice* const* v = opt[1].to; *v != NULL; v++)
            printf("%s%s", (*v)->name, v[1] != NULL ? "|" : "");
      puts("");
   }
}

size_t choice(const char* option, const char* value,
              const OptionChoice* const* choices)
{
   char    all[512] = "";
   size_t  used = 0;
   Nearest n = nearest_to(value);

   for (size_t i = 0; choices[i] != NULL; i++) {
      const char* before = i == 0 ? "" : choices[i + 1] == NULL
                           ? " or " : ", ";
      if (strcmp(choices[i]->name, value) == 0)
         return i;
      used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", before,
                               choices[i]->name);
      nearest_offer(&n, choices[i]->name);
   }
   die("--%s is %s, not `%s'%s", option, all, value, nearest_text(&n));
}

double percentage(const char* option, const char* value)
{
   char*  end;
   double n = strtod(value, &end);

   if (end == value || *end != 0 || !(n >= 0))
      die("--%s needs a percentage, not `%s'", option, value);
   return n;
}

bool take_number(const char* s, int base, uint64_t* n, const char** end)
{
   char* after;

   if (!isxdigit((unsigned char)*s))
      return false;
   errno = 0;
   *n = strtoull(s, &after, base);
   *end = after;
   return after != s && errno == 0;
}

bool is_number(const char* s, int base, uint64_t* n)
{
   const char* end;

   return take_number(s, base, n, &end) && *end == 0;
}

bool is_range(const char* s, uint64_t* low, uint64_t* high)
{
   const char* end;

   if (!take_number(s, 10, low, &end))
      return false;
   *high = *low;
   return *end == 0
          || (*end == '-' && is_number(end + 1, 10, high) && *high >= *low);
}

static uint64_t number_value(const Opt* opt, const char* value)
{
   uint64_t n;

   if (!is_number(value, 10, &n))
      die("%s%s needs a number, not `%s'", dashes(opt), opt->name, value);
   return n;
}

/* Likewise for an option with one dash. */
static const Opt* find_letter(const Opt* opts, size_t n, const char* arg,
                              const char** value)
{
   *value = arg[1] != 0 ? arg + 1 : NULL;
   for (size_t i = 0; i < n; i++)
      if (opts[i].name[0] == arg[0] && opts[i].name[1] == 0)
         return &opts[i];
   return NULL;
}

/* Likewise for ARG with its dashes. */
static const Opt* any_option(const Opt* opts, size_t n, const char* arg,
                             const char** value)
{
   const Opt* opt;

   if (arg[1] != '-')
      return find_letter(opts, n, arg + 1, value);
   arg += 2;
   opt = find_option(opts, n, arg, value);
   return opt != NULL ? opt : find_option(common, N_COMMON, arg, value);
}

void add_text(TextList* list, const char* text)
{
   GROW(list->texts, list->n, list->room);
   list->texts[list->n++] = text;
}

/* Return whether the option's value is the name of a file. */
static bool names_file(const Opt* opt)
{
   static const char* const names[] = { "FILE", "IN", "OUT", "PREFIX" };

   return opt->kind == OPT_TEXT && IS_AMONG(opt->value, names);
}

static void set_option(const Opt* opt, const char* value)
{
   if (names_file(opt) && value[0] == 0)
      die("%s%s needs the name of a file, not `'", dashes(opt), opt->name);
   if (opt->kind == OPT_FLAG)
      *(bool*)opt->to = true;
   else if (opt->kind == OPT_TEXT)
      *(const char**)opt->to = value;
   else if (opt->kind == OPT_TEXTS)
      add_text(opt->to, value);
   else if (opt->kind == OPT_COUNT_OR_NOT && value == NULL)
      *(uint64_t*)opt->to = NO_VALUE;
   else if (opt->kind == OPT_TEXT_OR_NOT)
      *(const char**)opt->to = value != NULL ? value : "";
   else
      *(uint64_t*)opt->to = number_value(opt, value);
}

static _Noreturn void unknown_option(const Command* c, const Opt* opts,
                                     size_t n_opts, const char* arg)
{
   const char* name = arg + strspn(arg, "-");
   char        word[64], option[64];
   Nearest     n;

   snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "="), name);
   n = nearest_to(word);
   for (size_t i = 0; i < n_opts + N_COMMON; i++) {
      const Opt* opt = i < n_opts ? &opts[i] : &common[i - n_opts];
      if (opt->name[0] == 0)
         continue;
      snprintf(option, sizeof(option), "%s%s", dashes(opt), opt->name);
      nearest_offer_as(&n, opt->name, option);
   }
   die("there is no option %s; see dcfg %s --help%s", arg, c->name,
       nearest_text(&n));
}

static uint64_t bytes_of(uint64_t mib)
{
   return mib > UINT64_MAX >> 20 ? UINT64_MAX : mib << 20;
}

void use_no_pager(void)
{
   no_pager = true;
}

/* Called before the first byte of standard output. */
static void begin_output(void)
{
   progress_end();
   if (!no_pager)
      pager_start();
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
         if (argv[i][0] == 0)
            die("the name of a file is empty; usage: dcfg %s %s", c->name,
                c->args);
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
         help(c, opts, n_opts);
      if (strcmp(argv[i], "--options") == 0) {
         list_options(opts, n_opts);
         list_options(common, N_COMMON);
         close_output(stdout, "standard output");
         exit(STATUS_OK);
      }
      opt = any_option(opts, n_opts, argv[i], &value);
      if (opt == NULL)
         unknown_option(c, opts, n_opts, argv[i]);
      if (opt->value == NULL && value != NULL)
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
   terminal_find((ColorChoice)choice("color", color, color_choices));
   progress_start();
   clean_before_output(begin_output);
   if (n < min)
      die("a file is missing; usage: dcfg %s %s", c->name, c->args);
   return n;
}
