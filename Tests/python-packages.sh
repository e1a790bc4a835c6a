#!/usr/bin/env bash
# Makes the Python environment of the tests, once for each list of packages, and prints its python.
#
#   bash Tests/python-packages.sh    →  …/.build/python-tests/bin/python
#
# Needs python3 (3.11 or newer) with venv, and the network when the list is new.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

list=Tests/AcceptanceTests/Python/requirements.txt
client=health4ai==0.1.0
folder=$PWD/.build/python-tests
stamp=$folder/installed
wanted=$(cat "$list"; echo "$client"; python3 --version)

if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder" >&2
  "$folder/bin/pip" --disable-pip-version-check --quiet install -r "$list" >&2
  # Its tools alone: its server would bring thirty more packages.
  "$folder/bin/pip" --disable-pip-version-check --quiet install --no-deps "$client" >&2
  printf '%s' "$wanted" >"$stamp"
fi
echo "$folder/bin/python"
