"""What the scripts beside this one share: running hk2pg, and counting what was compared."""

import json
import os
import subprocess
import sys


class Checks:
    """Counts comparisons; the first that fails ends the script with a message."""

    def __init__(self):
        self.count = 0

    def equal(self, found, expected, what):
        self.count += 1
        if found != expected:
            sys.exit(f"{what}: {str(found)[:800]} instead of {str(expected)[:800]}")

    def close(self, found, expected, what, tolerance=0.0011):
        self.count += 1
        if found is None or expected is None:
            if found is not expected:
                sys.exit(f"{what}: {found} instead of {expected}")
        elif abs(found - expected) > tolerance:
            sys.exit(f"{what}: {found} instead of {expected}")

    def true(self, condition, what):
        self.count += 1
        if not condition:
            sys.exit(what)

    def done(self):
        """Printed last: a script that ended early has not said it."""
        print(f"{self.count} checks passed")


def hk2pg(*arguments, **more):
    """A run of hk2pg that has to succeed."""
    run = subprocess.run(
        [os.environ["HK2PG"], *arguments], capture_output=True, text=True, env={**os.environ, **more}
    )
    if run.returncode != 0:
        sys.exit(f"hk2pg {' '.join(arguments)}: exit {run.returncode}: {run.stderr}")
    return run.stdout


def query(*arguments):
    return json.loads(hk2pg("query", *arguments, "--json"))
