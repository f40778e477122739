#!/usr/bin/env bash
# The tool linked with the installed Valgrind is the same program as one linked with a Valgrind built here: it is compiled
# with the flags of Valgrind's configure.
#
# DCFG_SLOW=1: the libraries translate, run and write the same, too.  Another version translates in another way, so the Valgrind of
# the group newest does not serve.  This one is built here, from the source that ./dev test has configured, without optimization:
# IR and outputs do not depend on that.  The tool's own objects are linked with it.

# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"
# shellcheck source=/dev/null
. "$SRCDIR/build-aux/valgrind.sh"

base=$(dirname "$BUILDDIR") inst=$(dirname "$(dirname "$VALGRIND")")
tree=$base/valgrind-$DCFG_VALGRIND_VERSION
if [[ $(built_line "$base" 2) != "installed: "* ]]; then
   echo "ok 1 - the same as linked with a built Valgrind # SKIP it is linked with that"
   echo 1..1
   exit
fi

# settings MAKEFILE: prints what our configure found out of a Valgrind, one word a line, without directories, warnings and
# options of debug information.  libcproc-*.o has the directory of the tools.  libgcc-sup-*.a is empty on these processors,
# and Valgrind 3.19 takes another processor's for x86.
settings() {
   local names='(VG_(CPPFLAGS|CFLAGS|M3264|TEST_CPPFLAGS|TEST_CFLAGS|TOOL_LDFLAGS|TOOL_LDADD|VERSION)|VGCONF|VALT|LTO)[A-Z_]*'
   sed -nE "s/^($names) = /\1 /p" "$1" | while read -r name words; do
      for word in $words; do
         case $word in
            -W*|-g*|-I*|0xUNSET|-fno-diagnostics-*|-ftrack-macro-*|*libcproc-*|*libgcc-sup-*) ;;
            *) echo "$name ${word##*/}" ;;
         esac
      done
   done | sort -u
}

mkdir configured
(cd configured && CONFIG_SHELL=/bin/sh "$base/src/configure" --no-create --with-valgrind-build="$tree" --prefix="$inst" >configure.log &&
   ./config.status Makefile >>configure.log) || cat configured/configure.log >&2
settings "$BUILDDIR/Makefile" >ours
settings configured/Makefile >theirs
diff theirs ours >&2
check_status "the flags are those that Valgrind's configure finds" $?
if [ "${DCFG_SLOW:-}" != 1 ]; then
   echo "ok 2 - the same as linked with a built Valgrind # SKIP DCFG_SLOW=1 builds it"
   echo 1..2
   exit
fi

# The libraries in the tree, and the launcher, are links to the installed ones.  Only those that the tool below is linked with
# are built: of the first architecture.
platform=$(sed -n 's/^VGCONF_ARCH_PRI = //p' "$BUILDDIR/Makefile")-linux
build_libraries() {
   find . -type l \( -name '*.a' -o -name valgrind \) -delete
   sed -i 's/^VGCONF_ARCH_SEC = .*/VGCONF_ARCH_SEC =/' VEX/Makefile
   make include/vgversion.h && make -C include && make_vex && make_core -C coregrind "libcoregrind-$platform.a"
}

cp -a "$tree" built
# shellcheck disable=SC2034  # make_core uses them
(cd built && jobs=$(nproc) CORE_CFLAGS='-O0 -g0 -w' && build_libraries) >build.log 2>&1
check_status "Valgrind $DCFG_VALGRIND_VERSION is built" $?
tail -n 20 build.log | cut -c1-200 >&2

# link_tool PLATFORM: links the tool's objects with these libraries, by Valgrind's own program, as tool.full.  The tool
# itself is copied, too.  The length of its path decides where the program's strings begin, and so how long functions on
# strings take.
link_tool() {
   local name=dcfg_${1//-/_} out=$PWD/tool.full libraries
   cp "$BUILDDIR/dcfg-$1" tool.ours
   libraries="$PWD/built/coregrind/libcoregrind-$1.a $PWD/built/VEX/libvex-$1.a -lgcc"
   make -s -C "$BUILDDIR" "$out" --eval="$out: ; $PWD/built/\$(${name}_LINK) \$(${name}_OBJECTS) $libraries \$(LIBS)" >&2
}

# run_tool PROGRAM NAME COMMAND...: stores all that the tool PROGRAM writes of a run, and the IR of some superblocks before
# the tool adds its own, as NAME.*.
run_tool() {
   local tool=$1 name=$2
   shift 2
   env -i PATH=/usr/bin:/bin LC_ALL=C HOME=/ TZ=UTC PERL_HASH_SEED=0 VALGRIND_LAUNCHER="$VALGRIND" \
      "$tool" --tool=dcfg --trace-flags=11000000 --trace-notbelow=1800 --trace-notabove=1830 --log-file="$name.ir" \
      --dcfg-out-file="$name.dcfg" --trace=yes --trace-out-file="$name.trace" --callgrind=yes \
      --callgrind-out-file="$name.profile" --wet=yes --wet-out-file="$name.wet" "$@" </dev/null >/dev/null
}

# contents NAME.KIND IMAGE: prints the file without process ids and addresses of functions of the tool.  Of a whole execution
# trace, it prints what IMAGE did: the dynamic linker also reads random bytes.
contents() {
   case $1 in
      *.wet) "$inst/bin/dcfg" wet --limit=0 --image="$2" "$1" | sed 's/:[0-9a-f]*//g' ;;    # without values: some are random
      *.ir) sed -E '/^(==|--)[0-9]+(==|--)/d; s/\{0x[0-9a-f]+\}//g' "$1" ;;
      *) perl -0777 -pe 's/"RUN" : .*\n//; s/("(THREAD_DATA|PROCESS_DATA)"\s*\]\s*,\s*\[\s*)\d+/$1/; s/^pid: \d+$//m' "$1" ;;
   esac
}

# same_run IMAGE COMMAND...: succeeds if both tools write the same.  The runs must have reached the wanted IR and have
# written something of it.
same_run() {
   local image=$1 kind
   shift
   run_tool "$PWD/tool.ours" ours "$@" && run_tool "$PWD/tool.full" theirs "$@" && grep -q 'SB 1800 ' ours.ir || return
   for kind in dcfg trace profile wet ir; do
      contents ours.$kind "$image" >ours.text && [ -s ours.text ] && contents theirs.$kind "$image" >theirs.text || return
      if ! cmp ours.text theirs.text >&2; then
         echo "that is what differs: $kind" >&2
         diff ours.text theirs.text | head -n 6 | cut -c1-200 >&2
         return 1
      fi
   done
}

head -c 6000 "$SRCDIR/HACKING.md" >text
# try_program NAME IMAGE COMMAND...: checks all kinds of output of a program.
try_program() {
   same_run "${@:2}"
   check_status "$tool: $1: IR, graph, trace, profile and whole execution trace are the same" $?
}
tool=dcfg-$platform
link_tool "$platform"
check_status "$tool is linked with it" $?
address() { readelf -lW "$1" | awk '$1 == "LOAD" { print $3; exit }'; }
check "both are at the same address" [ "$(address tool.ours)" = "$(address tool.full)" ]
# shellcheck disable=SC2016  # the programs' own variables
{
   try_program bash bash bash --norc -c 'for i in 1 2 3; do echo $((i * i)); done'
   try_program sqlite3 'libsqlite3.so*' sqlite3 :memory: 'create table t(a); insert into t values(3),(1),(2); select * from t order by a'
   try_program ls ls ls -l /usr/lib
   try_program perl perl perl -e 'my %h = map { $_ => 1 } 1 .. 99; print sort keys %h'
   try_program bzip2 'libbz2.so*' bzip2 -c text
   try_program gzip gzip gzip -c text
   try_program xz 'liblzma.so*' xz -T1 -0 -c text
   try_program sort sort sort text
   try_program sed sed sed s/the/a/g text
   try_program dash dash dash -c 'i=0; while [ $i -lt 20 ]; do i=$((i + 1)); echo $i; done'
}
rm -rf built tool.*
echo "1..$n"
