#!/usr/bin/env bash
# Debian's numpy, and the fast threaded BLAS that it then uses, where they are missing.
set -euo pipefail
if /usr/bin/python3 -c 'import numpy' 2>/dev/null && ldconfig -p | grep -q libopenblas; then exit 0; fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends python3-numpy libopenblas0-pthread
