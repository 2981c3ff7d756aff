#!/usr/bin/env bash
# bohr demo --cuda without a GPU: the stand-in driver (tests/cuda/fake), and in the layer's place a
# program that writes given counts and then runs three small kernels with the same mistake.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}" "${applier:?of fakes.bash}"
unset CUDA_INJECTION64_PATH
build_fakes "$tmp" held_guest || exit 1
export LD_LIBRARY_PATH=$tmp${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# The tool looks for the layer beside itself.
cp "$BOHR" "$agent" "$applier" "$tmp"
cat >"$tmp/bohr_demo_layer" <<END
#!/usr/bin/env bash
wrong=0 arm=clean answer=
if [[ \$1 == race ]]; then
  wrong=7 arm=race answer=\$'question 2\nright {"city":"Tokyo"}\nwrong_answer {"city":"Torto"}'
fi
printf 'steps %d\nwrong %d\nruns 9\nwrong_runs %d\nstep_us 12.5\ndevice stand-in\n%s\n' \
  "\$2" "\$wrong" "\$wrong" "\$answer" >"\$3"
[[ -z \${BOHR_DIR:-} ]] || exec $tmp/held_guest \$arm guest
END
chmod +x "$tmp/bohr_demo_layer"

expect_status 0 demo -- "$tmp/bohr" demo --cuda --steps 200 --html demo.html
if grep -q 'made without nvcc' err; then
  echo 'skipped: a build without nvcc explores nothing'
  exit 77
fi
expect_in out 'runs on stand-in, as a CUDA program of its own' demo
expect_in out 'graph, two streams    7 of 200 ' demo
expect_in out 'the same, repaired    0 of 200 ' demo
expect_in out '{"city":"Torto"}' demo
expect_in out '7 of 9 runs of the third way' demo
expect_in out '20 of 20' demo
expect_in out 'Every verdict is the expected one.' demo
expect_in err '1 race proved' demo
expect_in demo.html 'consume#1' demo
expect_in demo.html 'stand-in' demo
expect_in demo.html '"repaired": null' demo

# What the layer says of itself decides.
sed -i 's/^exit 3$//; 2i exit 3' "$tmp/bohr_demo_layer"
expect_status 2 'no GPU' -- "$tmp/bohr" demo --cuda --steps 200
expect_in err 'no GPU that CUDA can use' 'no GPU'
sed -i '2s/3/5/' "$tmp/bohr_demo_layer"
expect_status 2 'a layer that fails' -- "$tmp/bohr" demo --cuda --steps 200
expect_in err 'it ended with 5' 'a layer that fails'
rm "$tmp/bohr_demo_layer"
expect_status 2 'no layer' -- "$tmp/bohr" demo --cuda --steps 200
expect_in err 'cannot find bohr_demo_layer' 'no layer'
finish
