#!/usr/bin/env bash
# ./dev install: beside a Valgrind of the same version, so that plain `valgrind --tool=dcfg` works there; and not beside
# another one.  ./dev uninstall leaves nothing of it.

echo 1..13
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

# An installed Valgrind without the tool: ours, at another path.  A script tells it where its libraries are, as Debian's
# script does.
inst=$(dirname "$(dirname "$VALGRIND")")
mkdir -p usr/bin usr/libexec
cp -r "$inst/libexec/valgrind" usr/libexec/
rm usr/libexec/valgrind/dcfg-*
cat >usr/bin/valgrind <<END
#!/bin/sh
VALGRIND_LIB='$PWD/usr/libexec/valgrind' exec '$VALGRIND' "\$@"
END
chmod +x usr/bin/valgrind

# tree: lists all files below usr/.
tree() { find usr -printf '%p %y %m %l\n' | sort; }
tree >before

usr/bin/valgrind -q --tool=dcfg true 2>/dev/null
check "without it there is no such tool" [ $? != 0 ]

DESTDIR=$PWD/package dev install --prefix="$PWD/usr"
# The tool has a program for each architecture.
check "DESTDIR gets it" [ "$(cd "package$PWD/usr/libexec/valgrind" && ls -d dcfg-*)" = "$(cd "$inst/libexec/valgrind" && ls -d dcfg-*)" ]
tree | cmp - before
check_status "with DESTDIR nothing goes to the real place" $?
DESTDIR=$PWD/package dev uninstall --prefix="$PWD/usr"
check "with DESTDIR all that is there goes away" [ -z "$(find package ! -type d)" ]

PATH=$PWD/usr/bin:$PATH dev install
PATH=$PWD/usr/bin:$PATH valgrind -q --tool=dcfg true
check_status "the valgrind in PATH has the tool then" $?

# The core in the program looks for its preload library there, and not in the build directory, which may be gone later.
! grep -L "$PWD/usr/libexec/valgrind" usr/libexec/valgrind/dcfg-* | grep . && ! grep -q "$inst/libexec" usr/libexec/valgrind/dcfg-*
check_status "it does not need the build directory" $?

PATH=$PWD/usr/bin:$PATH dcfg report >/dev/null && [ -x usr/bin/dcfg ]
check_status "the command is beside it" $?

# A user links with the installed library, shared and static.
cat >version.c <<END
#include <dcfg.h>
int main(void) { return dcfg_load(0, 0, 0) != 0; }
END
flags() { PKG_CONFIG_PATH=$PWD/usr/lib/pkgconfig pkg-config --cflags --libs libdcfg; }
# shellcheck disable=SC2046  # words
cc -o version version.c $(flags) && readelf -d version | grep -q 'NEEDED.*libdcfg\.so\.1]' &&
   LD_LIBRARY_PATH=$PWD/usr/lib ldd version | grep -q "$PWD/usr/lib/libdcfg.so.1"
check_status "the library is below the same prefix" $?

PATH=$PWD/usr/bin:$PATH dev install && PATH=$PWD/usr/bin:$PATH dev uninstall
tree | diff before - >&2
check_status "installed twice and uninstalled, nothing is left, and nothing lacks" $?
PATH=$PWD/usr/bin:$PATH dev uninstall
check "there is nothing to uninstall then" [ $? != 0 ]

# Two users' files, in a directory that install has made.
PATH=$PWD/usr/bin:$PATH dev install
touch usr/lib/theirs
PATH=$PWD/usr/bin:$PATH dev uninstall
check "a directory stays if there are files of others in it" [ "$(ls usr/lib)" = theirs ]

mkdir -p old/bin
printf '#!/bin/sh\necho valgrind-3.18.1\n' >old/bin/valgrind
chmod +x old/bin/valgrind
dev install --prefix="$PWD/old" >old.log 2>&1
check "another version is refused" [ $? != 0 ]
cat old.log >&2
line=$(grep -c "3\.18\.1.*$DCFG_VALGRIND_VERSION" old.log)
check "one line names both versions" [ "$line" = 1 ]
