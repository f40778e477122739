#!/usr/bin/env bash
# ./dev install: beside a Valgrind of the same version, so that plain `valgrind --tool=dcfg` works there; and not beside
# another one.

echo 1..7
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

# An installed Valgrind that does not have the tool: ours, elsewhere, told where its libraries are as Debian's is told
# some other things, by a script.
inst=$(dirname "$(dirname "$VALGRIND")")
mkdir -p usr/bin usr/libexec
cp -r "$inst/libexec/valgrind" usr/libexec/
rm usr/libexec/valgrind/dcfg-*
cat >usr/bin/valgrind <<END
#!/bin/sh
VALGRIND_LIB='$PWD/usr/libexec/valgrind' exec '$VALGRIND' "\$@"
END
chmod +x usr/bin/valgrind

usr/bin/valgrind -q --tool=dcfg true 2>/dev/null
check "without it there is no such tool" [ $? != 0 ]

DESTDIR=$PWD/package dev install --prefix="$PWD/usr"
# One for each architecture that this Valgrind has, as there is of any other tool.
theirs=$(cd usr/libexec/valgrind && ls none-*)
check "DESTDIR gets it" [ "$(cd "package$PWD/usr/libexec/valgrind" && ls)" = "${theirs//none-/dcfg-}" ]
check "with DESTDIR nothing goes to the real place" [ -z "$(find usr -name 'dcfg-*')" ]

PATH=$PWD/usr/bin:$PATH dev install
PATH=$PWD/usr/bin:$PATH valgrind -q --tool=dcfg true
check_status "the valgrind in PATH has the tool then" $?

# The core inside it looks for its preload library there, and not in the build directory, which may be gone by then.
! grep -L "$PWD/usr/libexec/valgrind" usr/libexec/valgrind/dcfg-* | grep . && ! grep -q "$inst/libexec" usr/libexec/valgrind/dcfg-*
check_status "it does not need the build directory" $?

mkdir -p old/bin
printf '#!/bin/sh\necho valgrind-3.18.1\n' >old/bin/valgrind
chmod +x old/bin/valgrind
dev install --prefix="$PWD/old" >old.log 2>&1
check "another version is refused" [ $? != 0 ]
cat old.log >&2
line=$(grep -c "3\.18\.1.*$DCFG_VALGRIND_VERSION" old.log)
check "one line names both versions" [ "$line" = 1 ]
