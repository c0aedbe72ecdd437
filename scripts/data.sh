# Sourced by the other scripts: the published data sets are used where their folder is; without it, tests that need them say
# "skipped: no data".
if [ -z "${PPGNN_DATA:-}" ] && [ -d ../shared/datasets ]; then
  PPGNN_DATA=$(cd ../shared/datasets && pwd)
  export PPGNN_DATA
fi
