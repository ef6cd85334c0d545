#!/bin/sh
# What must come from the system, as "program-or-file package": installs what is missing, or says the line to type.
# With the word "tests" also what they compare with, or start: a database server and a browser.
set -eu

# Where Debian keeps mkfs from ordinary users, and a database server from everybody.
PATH="$PATH:/usr/sbin:/sbin"
for bin in /usr/lib/postgresql/*/bin; do
	PATH="$PATH:$bin"
done

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
install="apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"

if [ -n "$missing" ] && ! have_apt; then
	echo "kdelta needs (Debian's names):$missing" >&2
	echo "There is no apt here: install them with this system's package manager, then run make again." >&2
	exit 1
fi
if [ -n "$missing" ] && ! as_root "$install$missing" 2>/dev/null; then
	echo "kdelta needs:$missing. Type:" >&2
	echo "    sudo sh -c '$install$missing'" >&2
	exit 1
fi

# Not needed, only good to have: a shell for the guest, file systems, profiles of time.
perf=linux-perf
if grep -qi ubuntu /etc/os-release 2>/dev/null; then perf=linux-tools-generic; fi
wanted=""
for_tests=""
if [ "${1:-}" = tests ]; then for_tests="initdb:postgresql chromium:chromium"; fi
for pair in busybox:busybox-static cpio:cpio git:git mkfs.ext4:e2fsprogs mkfs.xfs:xfsprogs mkfs.btrfs:btrfs-progs perf:$perf \
	$for_tests; do
	here "${pair%:*}" || wanted="$wanted ${pair#*:}"
done
# The tests start a PostgreSQL server of their own: the package is told not to make one that starts with the machine.
clusters=/etc/postgresql-common/createcluster.conf
case "$wanted" in *postgresql*)
	[ -e $clusters ] || as_root "mkdir -p ${clusters%/*} && echo 'create_main_cluster = false' >$clusters" 2>/dev/null || true
	;;
esac
if [ -n "$wanted" ] && have_apt; then
	as_root "$install$wanted" 2>/dev/null || true
fi

# Without its lists apt offers no kernel either.
if have_apt && ! apt-cache pkgnames linux-image- | grep -q .; then
	as_root "apt-get update" || echo "apt has no package lists; type: sudo apt-get update" >&2
fi
