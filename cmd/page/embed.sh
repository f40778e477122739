#!/bin/sh
# Prints the definition of FILE, a part of a page, as a PageFile of page.h: its hash for the content security policy, and its
# text.  The name is the file's, with '_' for its dot.
# usage: embed.sh FILE
set -e
bytes=$(sha256sum <"$1" | sed 's/ .*//; s/../\\x&/g')
printf 'static const PageFile %s = { "sha256-%s",\n' "$(basename "$1" | tr . _)" "$(env printf "$bytes" | base64)"
sed 's/[\\"]/\\&/g; s/^/"/; s/$/\\n"/' "$1"
echo '};'
