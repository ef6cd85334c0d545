#!/bin/sh
# What must come from the system, as "program-or-file package": installs what is missing, or says the line to type.
set -eu

missing=""
here() {
	[ -e "$1" ] || command -v "$1" >/dev/null 2>&1
}
need() {
	here "$1" || missing="$missing $2"
}
need qemu-system-x86_64 qemu-system-x86
need cc gcc
[ -e /usr/lib/x86_64-linux-gnu/libc.a ] || [ -e /usr/lib64/libc.a ] || [ -e /usr/lib/libc.a ] || missing="$missing libc6-dev"
python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"

have_apt() { command -v apt-get >/dev/null 2>&1; }
as_root() {
	if [ "$(id -u)" = 0 ]; then sh -c "$1" >/dev/null; else sudo -n sh -c "$1" >/dev/null; fi
}

# Not needed, only good to have: a shell for the guest, and what some tests compare with.
wanted=""
for pair in busybox:busybox-static cpio:cpio git:git; do
	here "${pair%:*}" || wanted="$wanted ${pair#*:}"
done
if [ -z "$missing" ] && [ -n "$wanted" ] && have_apt; then
	as_root "apt-get update && apt-get install -y --no-install-recommends$wanted" 2>/dev/null || true
fi

# Without its lists apt offers no kernel either.
if [ -z "$missing" ]; then
	if have_apt && ! apt-cache pkgnames linux-image- | grep -q .; then
		as_root "apt-get update" || echo "apt has no package lists; type: sudo apt-get update" >&2
	fi
	exit 0
fi
if ! have_apt; then
	echo "kdelta needs (Debian's names):$missing" >&2
	echo "There is no apt here: install them with this system's package manager, then run make again." >&2
	exit 1
fi
line="apt-get update && apt-get install -y --no-install-recommends$missing$wanted"
if ! as_root "$line" 2>/dev/null; then
	echo "kdelta needs:$missing. Type:" >&2
	echo "    sudo sh -c '$line'" >&2
	exit 1
fi
