#!/bin/sh
# A whole campaign on this machine, from the invitation to the model, in a folder that is gone afterwards. It waits for Enter where
# somebody may want to look at the page; DEMO_PAUSE=0 (or --no-pause) does not wait. DEMO_DATA is the data set that is played.
set -eu
cd "$(dirname "$0")/.."

pause=${DEMO_PAUSE:-1}
for option in "$@"; do
  case $option in
    --pause) pause=1 ;;
    --no-pause) pause=0 ;;
    *) echo "demo.sh: unknown option '$option' (--pause, --no-pause)" >&2; exit 2 ;;
  esac
done
[ -t 0 ] || pause=0  # nobody is there to press Enter
data=${DEMO_DATA:-synthetic:social,nodes=8000}
ppgnn=${PPGNN:-build/ppgnn}
page=build/wasm/web/package/participant.html
[ -x "$ppgnn" ] || { echo "demo.sh: there is no $ppgnn; make demo builds it" >&2; exit 1; }
[ -f "$page" ] || { echo "demo.sh: there is no $page; make demo builds it" >&2; exit 1; }

folder=$(mktemp -d)
server=
finish() {
  trap - EXIT
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

step() { printf '\n== %s\n' "$1"; }
say() { printf '%s\n' "$1" | fold -s -w 100; }
# Runs a command of ours, and shows it as somebody would type it in that folder.
run() {
  printf '$ ppgnn %s\n' "$*" | sed "s|$folder/||g"
  "$ppgnn" "$@" >"$folder/said"
  sed "s|$folder/||g; /^Next: /d" "$folder/said"
}
store="sqlite:$folder/spring.db"

step "Start: who teaches"
say "The server knows a graph and some people's classes, and no features. Those whose class is known are asked first: they teach."
run campaign start --data "$data" --campaign spring --store "$store"

step "Enrol: a token for everybody"
run enrol --store "$store" --keys "$folder/keys" --data "$data" --out "$folder/tokens.csv"

step "Serve: the collector listens, on this machine only"
(umask 077 && od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$folder/admin" && echo >>"$folder/admin")
"$ppgnn" serve --store "$store" --keys "$folder/keys" --admin-token "$folder/admin" --listen 127.0.0.1:0 --exempt 127.0.0.1 \
  --page "$page" >"$folder/url" 2>"$folder/log" &
server=$!
tries=0
until [ -s "$folder/url" ]; do
  kill -0 "$server" 2>/dev/null && [ $((tries += 1)) -le 100 ] || { cat "$folder/log" >&2; exit 1; }
  sleep 0.1
done
url=$(cat "$folder/url")
echo "$url"

step "Teach: simulated devices report"
"$ppgnn" campaign start --data "$data" --campaign spring --folder "$folder/files" >/dev/null  # the same choice, to look at
you=$(sed -n 5p "$folder/files/teach.people")  # after a heading of four lines
token=$(grep "^$you," "$folder/tokens.csv" | cut -d, -f2)
grep -v "^$you," "$folder/tokens.csv" >"$folder/others.csv"
say "Each makes one report, with noise, and hands it in. All but one: that person can be you."
run submit --server "$url" --simulate "$data" --tokens "$folder/others.csv"

step "Your turn, if you like"
say "This is an invitation. What follows the # is a token and stays in the browser:"
echo "  $url/#$token"
say "Open it, press Ask the collector, and choose a file of features, such as one with the line {\"ones\": [3, 17, 30]}. Nothing is sent before you press Send."
if [ "$pause" = 1 ]; then
  printf 'Press Enter to go on. '
  read -r _ || true
fi

step "Ask: what the lessons leave open"
say "The server closes the round, learns from the lessons what classes have in common, and asks those whose class is still open one question each."
run campaign close --store "$store" --round 0
run campaign ask --store "$store" --data "$data"
sleep 1  # the collector looks five times a second whether there is a new round

step "Answer: simulated devices again"
run submit --server "$url" --simulate "$data" --tokens "$folder/tokens.csv"
run campaign close --store "$store" --round 1

step "Train: what came of it"
say "Judged by labels that were held out; 'graph alone' is what the server reaches without any report."
run train --store "$store" --data "$data"

step "Done"
say "The collector stops, and everything that it kept is removed. On your own data: docs/operations.md."
