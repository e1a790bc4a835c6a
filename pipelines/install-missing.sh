#!/usr/bin/env bash
# Installs those of the named Debian/Ubuntu packages that are missing; asks nobody when all are there.
#
#   bash pipelines/install-missing.sh PACKAGE...
#
# Root installs directly, others with sudo, which is announced before it can ask for a password. A name may list
# alternatives: "a|b" is satisfied by either and installs the first. A trailing "?" marks a package that is useful but
# not needed: it is skipped where the distribution does not have it.
set -euo pipefail

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

missing=()
for name in "$@"; do
  found=no
  for alternative in ${name//|/ }; do
    if is_installed "${alternative%\?}"; then found=yes; fi
  done
  [ "$found" = yes ] || missing+=("${name%%|*}")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

# What is only useful is no reason to ask for a password or to fail.
needed=no
for name in "${missing[@]}"; do
  case $name in *\?) ;; *) needed=yes ;; esac
done
if [ "$needed" = no ] && [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then exit 0; fi

command -v apt-get >/dev/null || {
  echo "This is neither Debian nor Ubuntu. Please install what these packages hold: ${missing[*]//\?/}" >&2
  exit 2
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "Missing: ${missing[*]//\?/}. As root: apt-get install ${missing[*]//\?/}" >&2
    exit 2
  }
  if ! sudo -n true 2>/dev/null; then
    [ -t 0 ] || {
      echo "Missing: ${missing[*]//\?/}. sudo would ask for a password here; please run: sudo apt-get install ${missing[*]//\?/}" >&2
      exit 2
    }
    echo "sudo asks for your password to install: ${missing[*]//\?/}"
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]//\?/}"

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o APT::Acquire::Retries=3 "$@" </dev/null >&2
}
apt update
wanted=()
for name in "${missing[@]}"; do
  case $name in
    *\?) if apt-cache show "${name%\?}" >/dev/null 2>&1; then wanted+=("${name%\?}"); fi ;;
    *) wanted+=("$name") ;;
  esac
done
[ "${#wanted[@]}" -eq 0 ] || apt install -y --no-install-recommends "${wanted[@]}"
