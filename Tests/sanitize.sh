#!/usr/bin/env bash
# Runs the whole flow under a sanitizer: fuzzed and tortured exports, staged in the test process and imported by an
# instrumented hk2pg.
#
#   bash Tests/sanitize.sh thread|address [SUITE …]
#
# thread: data races. address: memory errors, and leaks at the end of every process. Without SUITE the suites below run;
# HK2PG_TEST_FUZZ=N lengthens the fuzz run. Needs what Tests/run.sh installs. Builds into .build-tsan or .build-asan, which
# takes some minutes the first time. Exit code 0: nothing was found.
#
# No race and no memory error is suppressed; of leaks three, none of them in hk2pg: see below. Values shared by threads
# are `Guarded` by a pthread lock, since ThreadSanitizer does not see the futex of a contended Synchronization.Mutex.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kind=${1:-}
case $kind in
  thread) folder=.build-tsan ;;
  address) folder=.build-asan ;;
  *)
    sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
shift
[ $# -gt 0 ] || set -- GuardedTests BoundedQueueTests InterruptionTests ScannerFuzzTests FlowFuzzTests StagingTests Torture \
  LargeZipTests ImportTests RepeatedRunTests FailureTests LeaseTests LiveRowsTests NewTableTests

unset DATABASE_URL HEALTHKIT_USER_ID PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSERVICE PGOPTIONS PGPASSFILE
# Every process, also those that tests start and whose output they keep, writes what it finds into a file of its own.
reports=$(mktemp -d /tmp/hk2pg-sanitize.XXXXXX)
chmod 777 "$reports"
export TSAN_OPTIONS="log_path=$reports/found exitcode=66 second_deadlock_stack=1"
export ASAN_OPTIONS="log_path=$reports/found exitcode=67 detect_leaks=1"

# Foundation keeps the buffer it read an empty file into (`CommandRun` reads what programs printed), and a weak reference
# to a Process that ended. The server of a test run lives until the process ends: that is what `TestServer` is for.
leaks=$(mktemp /tmp/hk2pg-leaks.XXXXXX)
trap 'rm -f "$leaks"' EXIT
cat >"$leaks" <<'END'
leak:FoundationEssentials17readBytesFromFile
leak:Foundation7ProcessC3run
leak:TestSupport0A6ServerC
END
export LSAN_OPTIONS="suppressions=$leaks:print_suppressions=0"

nice -n 10 swift build --build-tests "--sanitize=$kind" --scratch-path "$folder"
binaries=$(swift build --show-bin-path "--sanitize=$kind" --scratch-path "$folder")
export HK2PG_BINARY=$binaries/hk2pg HK2PG_SYNTH=$binaries/synth-export

filter=$(IFS='|' && echo "$*")
status=0
nice -n 10 swift test --skip-build --disable-xctest "--sanitize=$kind" --scratch-path "$folder" --filter "$filter" ||
  status=$?
if [ -n "$(ls "$reports")" ]; then
  cat "$reports"/*
  echo "Tests/sanitize.sh: the sanitizer has found something, see above and $reports" >&2
  status=1
else
  rmdir "$reports"
fi
exit "$status"
