#!/usr/bin/env bash
# Forecast beside simulation at the settings of docs/research/forecast_settings.csv, or of another file, as a table for
# docs/forecast.md.
# usage: scripts/forecast_table.sh [PPGNN [FOLDER [SETTINGS [SEED [teach|home]]]]]; needs PPGNN_DATA, jq (scripts/setup.sh table),
# and about 20 minutes on two cores. Of published networks, whose features nobody describes, only the range is shown.
# Simulations are kept in FOLDER and not repeated.
set -euo pipefail
cd "$(dirname "$0")/.."
ppgnn=${1:-build/ppgnn}
folder=${2:-build/forecast_table}
settings=${3:-docs/research/forecast_settings.csv}
seed=${4:-77}
method=${5:-teach}
hint=
if [ "$method" = home ]; then hint="--hint full"; fi
mkdir -p "$folder"
echo "| setting | levels | forecast, points | simulated | difference | forecast, nats | simulated |"
echo "|---|---|---|---|---|---|---|"
# Fields are name,data,options,levels,runs; data has commas and then quotes.
sed -E '1d; s/"([^"]*)"/\1/; s/^([^,]*),(.*),(--[^,]*),([a-z]+),([0-9]+)$/\1;\2;\3;\4;\5/' "$settings" |
  while IFS=';' read -r name data options levels runs; do
    simulated="$folder/${name// /_}.json"
    secrecy=
    if [ "$levels" = public ]; then secrecy=--level-public; fi
    if [ ! -s "$simulated" ]; then
      # shellcheck disable=SC2086 # options are several words
      "$ppgnn" run --method "$method" $hint --data "$data" $options --runs "$runs" --seed "$seed" --no-reference --json >"$simulated.part" </dev/null
      mv "$simulated.part" "$simulated"
    fi
    # shellcheck disable=SC2086
    "$ppgnn" forecast --data "$data" $options $secrecy --json </dev/null 2>/dev/null |
      jq -r --arg name "$name" --arg levels "$levels" --arg method "$method" --slurpfile run "$simulated" '
        def shown(digits): if . == null then "" else . * pow(10; digits) | round / pow(10; digits) | if . > 0 then "+\(.)" else "\(.)" end end;
        $run[0][if $levels == "public" then "public" else "accuracy" end].lift as $lift | (if $method == "home" then .home.lift else .lift end) as $foreseen | $foreseen.points as $points |
        "| \($name) | \($levels) | \($points.value | shown(2)) [\($points.low | shown(2)), \($points.high | shown(2))] | " +
        "\($lift.points | shown(2)) | \(if $points.value == null then null else $points.value - $lift.points end | shown(2)) | " +
        "\($foreseen.nats.value | shown(3)) | \($lift.nats | shown(3)) |"'
  done
