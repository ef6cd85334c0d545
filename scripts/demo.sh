#!/bin/sh
# The main job: two kernels of the package manager in, one table and one profile difference out.
set -eu
kdelta=.venv/bin/kdelta

kernels=$($kdelta kernels)
series=$(echo "$kernels" | sed -n 's/^\* apt:\([^ ]*\).*/\1/p')
oldest=$(echo "$series" | head -n 1)
newest=$(echo "$series" | tail -n 1)

say() {
	echo "\$ kdelta $*"
	$kdelta "$@"
}
echo "Each kernel is booted three times or a few more; this takes one to two minutes."
if [ "$oldest" != "$newest" ]; then
	say run -k "apt:$oldest" -k "apt:$newest" -b quick --exact --rule verdict
else
	# One series only: the same kernel with and without one of its settings.
	say run -k "apt:$newest init_on_alloc=1" -k "apt:$newest init_on_alloc=0" -b quick --exact --rule verdict
fi
echo
say diffprofile
