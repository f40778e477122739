#!/usr/bin/env bash
# The third way of building: dropped into a Valgrind tree as dcfg/ and registered, where Valgrind's own make builds it
# and `perl tests/vg_regtest dcfg` runs its tests.  On the default Valgrind, and on the newest when its source is there; the
# tests on the first only, for on both they are run on the tool that is built by itself.
#
# The trees are copies of those that have been built, of which autogen.sh and configure would find out all again.  Only what
# registering changes is made anew: on the default Valgrind by all of autogen.sh's programs and by configure, with what that
# remembers in config.cache; on the newest by autoconf, automake and config.status.  The tool is compiled once, for 64 bits
# on the default Valgrind; else there are the objects of the one that stands alone, which has the same flags from that same
# Valgrind and for which each warning is an error, and little more than what is at the top level is compiled.  Of the tests
# a quarter is run, for all are run on that one.  DCFG_SLOW=1: as users do it.

# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

# How many architectures there are, configure has found out before, or is told.
configure_all() {
   ./autogen.sh && ./configure -C --prefix="$PWD/inst" "$@"
}

# Configure a tree where the core must be built, too.
configure_64() { configure_all --enable-only64bit; }

# The Makefiles that registering changes, and those that are used here.
changed=(Makefile dcfg/Makefile dcfg/tests/Makefile tests/Makefile)

configure_again() {
   aclocal -I m4 && autoheader && automake -a "${changed[@]}" && autoconf &&
      ./configure -C --no-create --prefix="$PWD/inst" && ./config.status "${changed[@]}" config.h
}

# Without configure, whose config.status does not know of dcfg/.  What is touched would be made anew for the changed
# configure.ac.
configure_registered() {
   touch aclocal.m4 config.h.in && autoconf && automake "${changed[@]}" && touch config.status || return
   ./config.status "${changed[@]/#/--file=}"
}

# The core is not what is tested: the copy comes with its libraries, so that there is only the tool to build.  Of the
# directories that Valgrind's make goes through, those of other tools are left out.  The tool is compiled as its users do
# it, with all warnings of that, but without what is for debuggers.
make_tree() {
   local dir jobs
   jobs=$(nproc)
   "$1" || return
   # shellcheck disable=SC2016  # a variable of that Makefile
   make -s --no-print-directory --eval='subdirs: ; @echo $(SUBDIRS)' subdirs | grep -qw dcfg || return
   make include/vgversion.h default.supp || return
   if [ -z "$(find coregrind -maxdepth 1 -name 'libcoregrind-*.a')" ]; then
      for dir in include VEX coregrind; do make -j"$jobs" -C $dir || return; done
   fi
   make all-am && make -j"$jobs" CFLAGS='-O2 -g0' LDFLAGS=-Wl,--strip-debug -C dcfg
}

# lend_objects OBJECTS TREE: those below the top level, of which OBJECTS names those of a platform where the tool was
# built by itself: DIR/PLATFORM.  With the stamps of their directories, than which they must be newer.
lend_objects() {
   (cd "$(dirname "$1")" && find [a-z]*/ -maxdepth 2 \( -name "dcfg_$(basename "$1")-*.o" -o -name .dirstamp \) \
      -exec cp -p --parents -t "$2/dcfg" {} +)
}

# try_tree VERSION DIR CONFIGURE OBJECTS [regtest]
try_tree() {
   local version=$1 tree=$PWD/valgrind-$1
   cp -a "$2" "$tree"
   "$SRCDIR/dev" intree "$tree"
   check_status "Valgrind $version: registered" $?
   cp "$tree/configure.ac" "$tree/Makefile.am" .
   "$SRCDIR/dev" intree "$tree"
   cmp "$tree/configure.ac" configure.ac && cmp "$tree/Makefile.am" Makefile.am
   check_status "Valgrind $version: registering again changes nothing" $?
   [ "${DCFG_SLOW:-}" = 1 ] || lend_objects "$4" "$tree"
   (cd "$tree" && make_tree "$3") >"make-$version.log" 2>&1
   check_status "Valgrind $version: configure and make" $?
   tail -n 20 "make-$version.log" >&2
   grep -A 5 'dcfg_.*warning:' "make-$version.log" >&2
   check "Valgrind $version: no warning in the tool" [ $? = 1 ]
   status=0
   if [ "${5:-}" = regtest ]; then
      (cd "$tree" && make -j"$(nproc)" -C dcfg check && make -C tests check && perl tests/vg_regtest "${tests[@]}") >"regtest-$version.log" 2>&1
      status=$?
      cat "regtest-$version.log" >&2
      check "Valgrind $version: perl tests/vg_regtest ${tests[0]} ..." [ $status = 0 ]
   fi
   # Some hundred MB, and of no use unless something went wrong.
   [ $status != 0 ] || rm -rf "$tree"
}

base=$(dirname "$BUILDDIR")
again=configure_again registered=configure_registered
mapfile -t tests < <(cd "$SRCDIR" && find tests -name '*.vgtest' -printf 'dcfg/%p\n' | sort | awk 'NR % 4 == 1')
if [ "${DCFG_SLOW:-}" = 1 ]; then again=configure_all registered=configure_64 tests=(dcfg); fi
try_tree "$DCFG_VALGRIND_VERSION" "$base/valgrind-$DCFG_VALGRIND_VERSION" $again "$base/dcfg/x86_linux" regtest
newest=$base/$NEWEST_VALGRIND
if [ -d "$newest/valgrind-$NEWEST_VALGRIND" ]; then
   try_tree "$NEWEST_VALGRIND" "$newest/valgrind-$NEWEST_VALGRIND" $registered "$newest/dcfg/amd64_linux"
elif [ -n "$NEWEST_SOURCE" ]; then
   try_tree "$NEWEST_VALGRIND" "$NEWEST_SOURCE" configure_64 "$newest/dcfg/amd64_linux"
fi
echo "1..$n"
