#!/bin/sh
# Runs a step of Vitis HLS {version}: sh run_vitis.sh csim|synthesis|cosim|package|implementation
# CONFIG=xo_config.cfg makes a kernel for XRT instead of an IP for Vivado. WORK is the folder of the tool.
set -e
cd "$(dirname "$0")"
: "${{CONFIG:=hls_config.cfg}}" "${{WORK:=vitis}}"
case "${{1:-csim}}" in
{steps}  *)
    echo "csim, synthesis, cosim, package or implementation, not $1" >&2
    exit 2
    ;;
esac
