#!/usr/bin/env bash
# From a fresh Debian 12 or Ubuntu machine with the Swift toolchain to health data in PostgreSQL:
# installs what is missing, builds hk2pg, imports the sample export, shows a week of it. Running it again is fine.
#
#   bash pipelines/quickstart.sh                your own export instead: bash pipelines/quickstart.sh export.zip
set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export=${1:-}
case $export in
  "") export=$PWD/samples/export.zip ;;
  /*) ;;
  *) export=$here/$export ;;
esac

# A try-out goes into hk2pg's own PostgreSQL, not into a database that happens to be configured.
unset DATABASE_URL PGHOST PGSERVICE PGDATABASE

command -v swift >/dev/null || {
  echo "Please install the Swift toolchain first (swift.org/install), then run this again." >&2
  exit 2
}

echo "1. What hk2pg needs"
bash pipelines/install-missing.sh libxml2-dev libzstd-dev libxxhash-dev libpq-dev "zlib1g-dev|libz-dev" \
  "pkg-config|pkgconf" "postgresql|postgresql-15|postgresql-16|postgresql-17|postgresql-18" \
  "postgresql-client|postgresql-client-15|postgresql-client-16|postgresql-client-17|postgresql-client-18" tzdata

echo "2. Build (a few minutes the first time)"
swift build -c release --product hk2pg
hk2pg=$(swift build -c release --show-bin-path)/hk2pg

echo "3. Import $(basename "$export")"
"$hk2pg" import "$export"

echo
echo "4. The last week of it"
"$hk2pg" db psql -c "
  SELECT summary_date AS day,
         round(max(sum_value) FILTER (WHERE metric_type = 'HKQuantityTypeIdentifierStepCount')) AS steps,
         round(max(sum_value) FILTER (WHERE metric_type = 'HKQuantityTypeIdentifierActiveEnergyBurned')) AS kcal,
         round(max(avg_value) FILTER (WHERE metric_type = 'HKQuantityTypeIdentifierHeartRate')) AS heart_rate,
         round((max(sum_value) FILTER (WHERE metric_type = 'HKCategoryTypeIdentifierSleepAnalysis') / 60)::numeric, 1)
           AS hours_asleep
  FROM healthkit_daily_summaries
  GROUP BY 1 ORDER BY 1 DESC LIMIT 7"

cat <<END
Everything is in a PostgreSQL of its own; it keeps nothing open to the network.
  more queries    $hk2pg db psql
  stop it         $hk2pg db stop
  your export     $hk2pg import ~/export.zip
END
