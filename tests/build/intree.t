#!/usr/bin/env bash
# The third way of building: dropped into a Valgrind tree as dcfg/ and registered, where Valgrind's own make builds it
# and `perl tests/vg_regtest dcfg` runs its tests.  On the default Valgrind, and on the newest when its source is there.

# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

# The core is not what is tested: the copy comes with its object files, so that make has only the tools to build.
try_tree() {
   local version=$1 tree=$PWD/valgrind-$1
   cp -a "$2" "$tree"
   "$SRCDIR/dev" intree "$tree"
   check_status "Valgrind $version: registered" $?
   cp "$tree/configure.ac" "$tree/Makefile.am" .
   "$SRCDIR/dev" intree "$tree"
   cmp "$tree/configure.ac" configure.ac && cmp "$tree/Makefile.am" Makefile.am
   check_status "Valgrind $version: registering again changes nothing" $?
   (
      cd "$tree" && ./autogen.sh && ./configure --prefix="$tree/inst" --enable-only64bit && make -j"$(nproc)" &&
         make -C tests check && make -C dcfg check
   ) >"make-$version.log" 2>&1
   check_status "Valgrind $version: configure and make" $?
   tail -n 20 "make-$version.log" >&2
   grep -A 5 'dcfg_.*warning:' "make-$version.log" >&2
   check "Valgrind $version: no warning in the tool" [ $? = 1 ]
   (cd "$tree" && perl tests/vg_regtest dcfg) >"regtest-$version.log" 2>&1
   status=$?
   cat "regtest-$version.log" >&2
   check "Valgrind $version: perl tests/vg_regtest dcfg" [ $status = 0 ]
   # Some hundred MB, and of no use unless something went wrong.
   [ $status != 0 ] || rm -rf "$tree"
}

base=$(dirname "$BUILDDIR")
try_tree "$DCFG_VALGRIND_VERSION" "$base/valgrind-$DCFG_VALGRIND_VERSION"
newest=$base/$NEWEST_VALGRIND/valgrind-$NEWEST_VALGRIND
if [ -d "$newest" ]; then
   try_tree "$NEWEST_VALGRIND" "$newest"
elif [ -n "$NEWEST_SOURCE" ]; then
   try_tree "$NEWEST_VALGRIND" "$NEWEST_SOURCE"
fi
echo "1..$n"
