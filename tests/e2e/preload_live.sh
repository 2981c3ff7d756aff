#!/usr/bin/env bash
# What is done with a program while it runs, and what is read of graphs and memory, where the
# preloaded library records it: the tests of the other way in, once more.
export BOHR_VIA=preload
for name in attach explore_live graph_kinds allocators serving; do
  bash "$(dirname "${BASH_SOURCE[0]}")/$name.sh" || exit
done
