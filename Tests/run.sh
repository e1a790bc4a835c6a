#!/usr/bin/env bash
# Installs what the tests need and runs all of them.
#
#   bash Tests/run.sh                       everything
#   bash Tests/run.sh --filter StagingTests what follows goes to `swift test`
#
# Needs only the Swift toolchain on Debian 12 or a newer Ubuntu; root, or a user who may use sudo for what is missing.
# Starts a PostgreSQL of its own in a temporary folder and ends it, whatever happens.
#
# Environment:
#   HK2PG_SOAK=1          the long tests too: gigabyte exports, kills at many moments
#   HK2PG_SKIP_INSTALL=1  never touch apt
#   HK2PG_KEEP_SERVER=1   leave server and folder for inspection; the folder is printed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The tests must never see a database, user or server folder of whoever runs them.
unset DATABASE_URL HEALTHKIT_USER_ID PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSERVICE PGSERVICEFILE PGOPTIONS \
  PGPASSFILE PGSSLMODE PGHOSTADDR HK2PG_TEST_POSTGRES_URL

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
fail() {
  echo "Tests/run.sh: $1" >&2
  exit 2
}

step "1/6 packages"
command -v swift >/dev/null || fail "no Swift toolchain on PATH"
if [ -z "${HK2PG_SKIP_INSTALL:-}" ]; then
  bash pipelines/install-missing.sh libxml2-dev libzstd-dev libxxhash-dev libpq-dev "zlib1g-dev|libz-dev" \
    "pkg-config|pkgconf" "postgresql|postgresql-15|postgresql-16|postgresql-17|postgresql-18" \
    "postgresql-client|postgresql-client-15|postgresql-client-16|postgresql-client-17|postgresql-client-18" \
    zstd xz-utils tzdata ca-certificates python3 python3-venv procps 'systemd?' 'pgbouncer?' 'chromium?'
  HK2PG_TEST_PYTHON=$(bash Tests/python-packages.sh)
  export HK2PG_TEST_PYTHON
fi

step "2/6 format"
swift format lint --strict --recursive --parallel Sources Tests Package.swift

step "3/6 build, release"
swift build -c release --product hk2pg
swift build -c release --product synth-export
binaries=$(swift build -c release --show-bin-path)
export HK2PG_BINARY=$binaries/hk2pg HK2PG_SYNTH=$binaries/synth-export

step "4/6 PostgreSQL"
server_programs=${HK2PG_PG_BINDIR:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
[ -x "$server_programs/initdb" ] || fail "no PostgreSQL server under /usr/lib/postgresql"
major=$("$server_programs/postgres" --version | sed -E 's/.* ([0-9]+).*/\1/')
[ "$major" -ge 15 ] || fail "PostgreSQL $major is too old, 15 or newer is needed"

# Under /tmp because socket paths are limited to 107 bytes.
folder=$(mktemp -d /tmp/hk2pg-tests.XXXXXX)
as_server=()
if [ "$(id -u)" -eq 0 ]; then
  # The server refuses to run as root.
  as_server=(runuser -u postgres --)
  chown postgres "$folder"
  chmod 755 "$folder"
fi
server() { (cd "$folder" && "${as_server[@]}" "$server_programs/$1" "${@:2}"); }
stop_server() {
  status=$?
  trap - EXIT
  if [ -n "${HK2PG_KEEP_SERVER:-}" ]; then
    echo "Server kept: $folder"
  else
    server pg_ctl -D "$folder/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf "$folder"
  fi
  exit "$status"
}
trap stop_server EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
server initdb -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
server pg_ctl -D "$folder/data" -l "$folder/server.log" -w -o "-k $folder -p 5432 -c listen_addresses= \
  -c fsync=off -c full_page_writes=off -c max_connections=200 -c shared_buffers=256MB -c max_wal_size=2GB" \
  start >/dev/null || {
  cat "$folder/server.log" >&2
  fail "PostgreSQL did not start"
}
export HK2PG_TEST_POSTGRES_URL="postgresql:///postgres?host=$folder&port=5432&user=postgres"
echo "PostgreSQL $major in $folder"

step "5/6 build, tests"
swift build --build-tests

step "6/6 tests"
status=0
swift test --skip-build "$@" || status=$?
step "done, exit code $status"
exit "$status"
