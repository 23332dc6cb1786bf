#!/bin/bash
# An array of {workers} tasks, each one worker. Filled in and given to sbatch by "submit --launch"; cancelled by its name, {label}, when
# the run is over.
#SBATCH --array=1-{workers}
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
# The last net, beside --idle-exit and --max-runtime of the workers.
#SBATCH --time=24:00:00
# A task that is preempted hears SIGTERM a minute before: the worker gives back what it has within seconds.
#SBATCH --signal=B:TERM@60
#SBATCH --output=holdfast-%A-%a.log

set -eu
# Where the project is on the cluster, with its node_modules.
cd "${HOME}/project"

# The keys come from a file of your own, chmod 600, which the worker reads itself: nothing of them is in this script or its environment.
exec {command} --keys-file "${HOME}/.holdfast-keys"
