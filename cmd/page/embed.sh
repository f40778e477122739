#!/bin/sh
# Prints FILE, a part of a page, as a PageFile of page.h: its hash for the content security policy, and its text.
# usage: embed.sh FILE
set -e
bytes=$(sha256sum <"$1" | sed 's/ .*//; s/../\\x&/g')
printf '{ "sha256-%s",\n' "$(env printf "$bytes" | base64)"
sed 's/[\\"]/\\&/g; s/^/"/; s/$/\\n"/' "$1"
echo '}'
