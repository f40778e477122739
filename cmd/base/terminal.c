/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the choice of characters that are shown; the terminal's width, and
   whether output has colour; the pager's process; the line of progress on
   standard error, and when it is written.  Handed: text, the value of --color,
   the environment (COLUMNS, NO_COLOR, TERM, DCFG_PAGER, PAGER), the library's
   progress.

   Names come from files that somebody else may have made.  Output formats
   escape special characters in names, but a terminal obeys control characters.
   So all output goes through here, in case some name was not cleaned before. */

#include "cmd/base/terminal.h"

#include "format/put.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*--- The standard output                                  ---*/

#define MAX_CHARACTER 4
#define PIECE         (1 << 16)

/* Begun: the first bytes of a character that is not complete yet. */
typedef
   struct {
      char   text[MAX_CHARACTER];
      size_t n;
   }
   Begun;

static int  first_error;        // errno of the first write that failed, or 0
static bool is_no_text;
static void (*before_output)(void);

/* Note errno, of a write that failed. */
static void note_error(void)
{
   first_error = first_error != 0 ? first_error : errno;
}

static bool write_all(const char* text, size_t n)
{
   void (*start)(void) = before_output;

   if (start != NULL && n > 0) {
      before_output = NULL;
      start();
   }
   while (n > 0) {
      ssize_t k = write(STDOUT_FILENO, text, n);
      if (k < 0 && errno == EINTR)
         continue;
      if (k < 0) {
         note_error();
         return false;
      }
      text += k;
      n    -= (size_t)k;
   }
   return true;
}

/* Return how many of the last bytes begin a character that needs more bytes. */
static size_t begun_at_end(const char* text, size_t n)
{
   for (size_t k = 1; k < MAX_CHARACTER && k <= n; k++) {
      unsigned char c = (unsigned char)text[n - k];
      if ((c & 0xC0) == 0x80)
         continue;
      return (c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1) > k ? k : 0;
   }
   return 0;
}

static bool write_clean(Begun* b, const char* text, size_t n)
{
   char   piece[MAX_CHARACTER + PIECE + 1];
   size_t all = b->n + n;

   memcpy(piece, b->text, b->n);
   memcpy(piece + b->n, text, n);
   b->n = n == 0 ? 0 : begun_at_end(piece, all);
   all -= b->n;
   memcpy(b->text, piece + all, b->n);
   piece[all] = 0;
   return write_all(piece, DCFG_(make_plain)(piece, all, true));
}

static ssize_t pass(void* begun, const char* text, size_t n)
{
   if (is_no_text)
      return write_all(text, n) ? (ssize_t)n : 0;
   for (size_t at = 0, k; at < n; at += k) {
      k = n - at < PIECE ? n - at : PIECE;
      if (!write_clean(begun, text + at, k))
         return 0;
   }
   return (ssize_t)n;
}

static int end(void* begun)
{
   if (write_clean(begun, "", 0) && close(STDOUT_FILENO) == 0)
      return 0;
   note_error();
   return -1;
}

void clean_stdout(void)
{
   static const cookie_io_functions_t functions = { .write = pass,
                                                    .close = end };
   static Begun begun;
   static FILE* clean;

   is_no_text = false;
   if (clean == NULL && (clean = fopencookie(&begun, "w", functions)) != NULL) {
      setvbuf(clean, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, PIECE);
      stdout = clean;
   }
}

/* Write TEXT to stdout without cleaning.  No part of it may come from a
   file. */
static void print_unclean(const char* text)
{
   bool was_no_text = is_no_text;

   fflush(stdout);
   is_no_text = true;
   fputs(text, stdout);
   fflush(stdout);
   is_no_text = was_no_text;
}

int stdout_error(void)
{
   return first_error;
}

void clean_before_output(void (*start)(void))
{
   before_output = start;
}

void do_not_clean_stdout(void)
{
   is_no_text = true;
}

#define FEW 9                   // columns of a readable name

static bool   is_terminal, has_color;
static size_t width;

/* Return the columns of the terminal FD, or 0. */
static size_t terminal_columns(int fd)
{
   const char*    columns = getenv("COLUMNS");
   struct winsize size;
   long           n = columns != NULL ? strtol(columns, NULL, 10) : 0;

   if (n > 0)
      return (size_t)n;
   return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool wants_color(ColorChoice color)
{
   const char* no_color = getenv("NO_COLOR");
   const char* term = getenv("TERM");

   if (color != COLOR_AUTO)
      return color == COLOR_ALWAYS;
   return is_terminal && (no_color == NULL || no_color[0] == 0)
          && term != NULL && strcmp(term, "dumb") != 0;
}

void terminal_find(ColorChoice color)
{
   is_terminal = isatty(STDOUT_FILENO) == 1;
   width = is_terminal ? terminal_columns(STDOUT_FILENO) : 0;
   has_color = wants_color(color);
}

size_t terminal_width(void)
{
   return width;
}

size_t terminal_room(const FILE* out, size_t used)
{
   size_t all = out == stdout ? width
                : out == stderr ? terminal_columns(STDERR_FILENO) : 0;

   if (all == 0)
      return SIZE_MAX;
   return all > used + FEW ? all - used : FEW;
}

void terminal_style(Style style)
{
   static const char* const sequences[] = { "\033[m", "\033[1m",
                                            "\033[1;33m", "\033[33m",
                                            "\033[31m" };

   if (has_color)
      print_unclean(sequences[style]);
}

static pid_t pager;

/* Wait for the pager.  Closing standard output ends its input. */
static void wait_for_pager(void)
{
   close(STDOUT_FILENO);
   while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
      ;
}

/* Wait for the pager before dying: a shell takes the terminal back when this
   process ends. */
static void end_by_signal(int signo)
{
   wait_for_pager();
   signal(signo, SIG_DFL);
   raise(signo);
}

static void pager_end(void)
{
   fflush(NULL);
   wait_for_pager();
}

#define DEFAULT_PAGER "if command -v less > /dev/null; then exec less; " \
                      "else exec cat; fi"

static const char* pager_name(void)
{
   const char* name = getenv("DCFG_PAGER");

   if (name == NULL)
      name = getenv("PAGER");
   return name != NULL ? name : DEFAULT_PAGER;
}

static void run_pager(int text)
{
   if (dup2(text, STDIN_FILENO) >= 0) {
      setenv("LESS", "FRX", 0);
      execl("/bin/sh", "sh", "-c", pager_name(), (char*)NULL);
   }
   _exit(127);
}

static void start(void)
{
   static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM };
   int              ends[2];

   if (pipe(ends) != 0)
      return;
   pager = fork();
   if (pager == 0) {
      close(ends[1]);
      run_pager(ends[0]);
   }
   close(ends[0]);
   if (pager > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
      for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
         void (*before)(int) = signal(signals[i], end_by_signal);
         if (before != SIG_DFL)
            signal(signals[i], before);
      }
      atexit(pager_end);
   }
   close(ends[1]);
}

void pager_start(void)
{
   const char* name = pager_name();

   if (is_terminal && name[0] != 0 && strcmp(name, "cat") != 0)
      start();
}

#define FIRST_AFTER 2.0         // seconds from the command's begin
#define NEXT_AFTER  0.1

static bool   is_wanted, is_shown;
static double next_time;
static char   file[sizeof(((DcfgError*)NULL)->file)];  // the file of the task

static double now(void)
{
   struct timespec t;

   clock_gettime(CLOCK_MONOTONIC, &t);
   return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(void)
{
   is_wanted = isatty(STDERR_FILENO) == 1;
   next_time = now() + FIRST_AFTER;
   if (is_wanted)
      atexit(progress_hide);
}

/* Return the file's name without its folder, shortened to fit.  OTHERS are the
   columns of the rest of the line. */
static const char* fit(const char* path, size_t others)
{
   static char name[128];
   size_t      room = terminal_room(stderr, others);
   const char* slash = strrchr(path, '/');

   snprintf(name, room < sizeof(name) ? room + 1 : sizeof(name), "%s",
            slash != NULL ? slash + 1 : path);
   DCFG_(make_plain)(name, strlen(name), false);
   return name;
}

void progress_show(void* arg, const DcfgProgress* p)
{
   bool     other = is_shown && strcmp(p->file, file) != 0;
   uint64_t done = p->done < p->all ? p->done : p->all;
   char     far[32];

   (void)arg;
   if (!is_wanted || (!other && now() < next_time))
      return;
   snprintf(file, sizeof(file), "%s", p->file);
   if (p->all > 0)
      snprintf(far, sizeof(far), "%.0f%%",
               100.0 * (double)done / (double)p->all);
   else
      snprintf(far, sizeof(far), "%" PRIu64 " MB", p->done / 1000000);
   fprintf(stderr, "\rdcfg: %s %s: %s\033[K", p->doing,
           fit(p->file, strlen("dcfg:  :  ") + strlen(p->doing)
                        + strlen(far)), far);
   is_shown  = true;
   next_time = now() + NEXT_AFTER;
}

void progress_hide(void)
{
   if (is_shown)
      fputs("\r\033[K", stderr);
   is_shown = false;
}

void progress_end(void)
{
   struct stat st;

   if (fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode))
      return;
   progress_hide();
   is_wanted = false;
}
