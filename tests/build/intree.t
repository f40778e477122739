#!/usr/bin/env bash
# The third way to build: inside a Valgrind tree, as dcfg/, and registered there.  Valgrind's own make builds the tool, and
# `perl tests/vg_regtest dcfg` runs its tests.  Done on the default Valgrind, and on the newest if its source is there.  The
# tests run on the default one only: the standalone tool runs them on both.
#
# The trees are copies of those that were built, so only what registering changes is made anew.  On the default Valgrind that is
# done already: ./dev test registers the tool in its source before it runs all programs of autogen.sh and configure.  On the newest, it
# takes autoconf, automake and config.status.  The objects of the standalone build are used, which has the same flags from the
# same Valgrind, with each warning an error.  Only the top level is compiled and, on the default Valgrind, one file of each room, without
# optimization.  A quarter of the tests is made and run, because all run on the standalone tool.  DCFG_SLOW=1: everything as
# users do it.

# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"
# shellcheck source=/dev/null
. "$SRCDIR/build-aux/valgrind.sh"

# configure_all OPTION...: runs configure, with the number of architectures that was found out before.
configure_all() {
   ./autogen.sh && ./configure -C --prefix="$PWD/inst" "$@"
}

# configure_64: configures a tree in which the core must be built, too.
configure_64() { configure_all --enable-only64bit; }

# The Makefiles that registering changes, and those that are used here.
changed=(Makefile dcfg/Makefile dcfg/tests/Makefile tests/Makefile)

# configure_registered: does without configure, if its config.status does not have dcfg/.  Touching files keeps make from
# making them anew for the changed configure.ac.
configure_registered() {
   ! grep -q dcfg/Makefile config.status || return 0
   touch aclocal.m4 config.h.in && autoconf && automake "${changed[@]}" && touch config.status || return
   ./config.status "${changed[@]/#/--file=}"
}

# make_tree: builds the tool in a tree.  The core is not under test: the copy has its libraries.  Valgrind's make leaves out
# the directories of other tools.  The tool is compiled with all warnings of its users' builds that need no optimization, but
# without debug information.
make_tree() {
   local dir jobs optimization=-O0
   jobs=$(nproc)
   [ "${DCFG_SLOW:-}" != 1 ] || optimization=-O2
   "$1" || return
   # shellcheck disable=SC2016  # a variable of that Makefile
   make -s --no-print-directory --eval='subdirs: ; @echo $(SUBDIRS)' subdirs | grep -qw dcfg || return
   make include/vgversion.h default.supp || return
   if [ -z "$(find coregrind -maxdepth 1 -name 'libcoregrind-*.a')" ]; then
      for dir in include VEX coregrind; do make -j"$jobs" -C $dir || return; done
   fi
   make all-am && make -j"$jobs" CFLAGS="$optimization -g0" LDFLAGS=-Wl,--strip-debug -C dcfg
}

# lend_objects OBJECTS TREE: copies the objects below the top level from OBJECTS, where the standalone build has them.  They must
# be newer than the stamps of their directories.
lend_objects() {
   (cd "$1" && find [a-z]*/ -maxdepth 2 \( -name 'dcfg_*_linux-*.o' -o -name .dirstamp \) -exec cp -p --parents -t "$2/dcfg" {} +)
}

# take_one_of_each_room TREE: removes one of these objects in each room.
take_one_of_each_room() {
   find "$1"/dcfg/*/ -name 'dcfg_*_linux-*.o' | sort | awk '{ room = $0; sub("/[^/]*$", "", room) } room != last; { last = room }' | xargs rm
}

# try_tree VERSION DIR CONFIGURE OBJECTS [regtest]: builds in a copy of a tree, and runs tests.
try_tree() {
   local version=$1 tree=$PWD/valgrind-$1 programs=()
   if [ "${DCFG_SLOW:-}" = 1 ] || [ ! -f "$2/config.status" ]; then cp -a "$2" "$tree"; else TAR_OPTIONS='--exclude=./VEX/priv --exclude=./coregrind/*.o' copy_source "$2" "$tree"; fi
   "$SRCDIR/dev" intree "$tree"
   check_status "Valgrind $version: registered" $?
   cp "$tree/configure.ac" "$tree/Makefile.am" .
   "$SRCDIR/dev" intree "$tree"
   cmp "$tree/configure.ac" configure.ac && cmp "$tree/Makefile.am" Makefile.am
   check_status "Valgrind $version: registering again changes nothing" $?
   if [ "${DCFG_SLOW:-}" != 1 ]; then
      lend_objects "$4" "$tree"
      [ "${5:-}" != regtest ] || take_one_of_each_room "$tree"
      programs=("${tests[@]#dcfg/tests/}")
      programs=("check_PROGRAMS=${programs[*]%.vgtest}")
   fi
   (cd "$tree" && make_tree "$3") >"make-$version.log" 2>&1
   check_status "Valgrind $version: configure and make" $?
   tail -n 20 "make-$version.log" >&2
   grep -A 5 'dcfg_.*warning:' "make-$version.log" >&2
   check "Valgrind $version: no warning in the tool" [ $? = 1 ]
   status=0
   if [ "${5:-}" = regtest ]; then
      (cd "$tree" && make -j"$(nproc)" -C dcfg check "${programs[@]}" && make -C tests check &&
         perl tests/vg_regtest "${tests[@]}") >"regtest-$version.log" 2>&1
      status=$?
      cat "regtest-$version.log" >&2
      check "Valgrind $version: perl tests/vg_regtest ${tests[0]} ..." [ $status = 0 ]
   fi
   # Some hundred MB, of use only after a failure.
   [ $status != 0 ] || rm -rf "$tree"
}

base=$(dirname "$BUILDDIR")
first=configure_registered registered=configure_registered
mapfile -t tests < <(cd "$SRCDIR" && find tests -name '*.vgtest' -printf 'dcfg/%p\n' | sort | awk 'NR % 4 == 1')
if [ "${DCFG_SLOW:-}" = 1 ]; then first=configure_all registered=configure_64 tests=(dcfg); fi
try_tree "$DCFG_VALGRIND_VERSION" "$base/valgrind-$DCFG_VALGRIND_VERSION" $first "$BUILDDIR" regtest
newest=$base/$NEWEST_VALGRIND
if [ -d "$newest/valgrind-$NEWEST_VALGRIND" ]; then
   try_tree "$NEWEST_VALGRIND" "$newest/valgrind-$NEWEST_VALGRIND" $registered "$newest/dcfg"
elif [ -n "$NEWEST_SOURCE" ]; then
   try_tree "$NEWEST_VALGRIND" "$NEWEST_SOURCE" configure_64 "$newest/dcfg"
fi
echo "1..$n"
