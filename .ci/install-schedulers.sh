#!/usr/bin/env bash
# What the tests of runs in parts need: GNU parallel, and Slurm. Does nothing where
# they are there.
set -euo pipefail

present() { command -v parallel sbatch slurmctld slurmd munged > /dev/null; }

present && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends parallel slurmctld slurmd slurm-client munge
present || { echo 'parallel and Slurm were to be installed, and are not there' >&2; exit 1; }
