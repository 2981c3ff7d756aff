#!/usr/bin/env bash
# What is done with a program while it runs, and what is read of graphs and memory, where CUPTI calls
# the recorder: the tests of the preloaded library once more.
export BOHR_VIA=cupti
for name in attach graph_kinds allocators serving; do
  bash "$(dirname "${BASH_SOURCE[0]}")/$name.sh" || exit
done
