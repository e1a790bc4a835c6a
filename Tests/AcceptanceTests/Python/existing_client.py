"""The tools of health4ai 0.1.0, run on a database that hk2pg filled, give hk2pg's figures.

Environment: HK2PG, DATABASE_URL, HEALTHKIT_USER_ID (a UUID), HEALTH4AI_TZ (the zone of the summaries).
"""

import datetime
import os

import psycopg2
from checks import Checks, query
from health4ai import tools

USER = os.environ["HEALTHKIT_USER_ID"]
ZONE = os.environ["HEALTH4AI_TZ"]
checks = Checks()


def single_source_types():
    """Types it treats as hk2pg does: one source, and no sample that reaches into another local day."""
    connection = psycopg2.connect(os.environ["DATABASE_URL"])
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT m.metric_type FROM healthkit_metrics m JOIN hk2pg.metric_types t USING (metric_type)
            WHERE m.user_id = %s AND t.kind = 'quantity'
            GROUP BY 1, t.aggregation_style
            HAVING count(DISTINCT m.source_device) = 1
              AND bool_and((m.started_at AT TIME ZONE %s)::date = (coalesce(m.ended_at, m.started_at) AT TIME ZONE %s)::date)
              AND (t.aggregation_style IN ('discreteArithmetic', 'discreteTemporallyWeighted')
                OR t.aggregation_style = 'cumulative' AND m.metric_type = ANY (%s))
            ORDER BY 1
            """,
            (USER, ZONE, ZONE, sorted(tools._CUMULATIVE_METRICS)))
        return [row[0] for row in cursor.fetchall()]


def main():
    tools.current_user_id.set(tools.validate_user_id(USER))
    today = datetime.date.fromisoformat(query("hrv", "--days", "1")["last"])
    first = (today - datetime.timedelta(days=90)).isoformat()

    # Its 90 days are today and the 90 before.
    ours = query("hrv", "--from", first, "--to", today.isoformat())["points"]
    theirs = tools.get_hrv_trend(90)
    checks.true(len(ours) > 10, "there is hardly any HRV to compare")
    checks.equal([d["date"] for d in theirs["daily_averages"]], [p["start"] for p in ours], "days of HRV")
    for day, point in zip(theirs["daily_averages"], ours):
        # It prints one decimal, of a figure rounded to four.
        checks.close(day["avg_hrv_ms"], point["value"], f"HRV of {day['date']}", 0.0501)
    checks.close(
        theirs["avg_hrv_ms"], query("hrv", "--from", first, "--to", today.isoformat())["overall"]["value"],
        "mean HRV", 0.0051)

    types = single_source_types()
    checks.true(len(types) >= 10, f"too few types of one source: {types}")
    for name in types:
        ours = query(name, "--from", first, "--to", today.isoformat())
        values = sorted(p["value"] for p in ours["points"])
        theirs = tools.get_metric_stats(name, 90)
        checks.equal(theirs["data_points"], len(values), f"days of {name}")
        if values:
            checks.equal(theirs["unit"]["unit"], ours["unit"], f"unit of {name}")
            checks.close(theirs["min"], values[0], f"least of {name}", 0.0051)
            checks.close(theirs["max"], values[-1], f"greatest of {name}", 0.0051)
            checks.close(theirs["mean"], sum(values) / len(values), f"mean of {name}", 0.0051)

    # Its 29 days end now and begin at this hour of the day: the first one is left out.
    theirs = [w for w in tools.get_workouts(29, 1000)["workouts"]]
    begin = (today - datetime.timedelta(days=27)).isoformat()
    connection = psycopg2.connect(os.environ["DATABASE_URL"])
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT metadata->>'workout_type', round((value / 60)::numeric, 1)::float8,
              round(((metadata->>'total_distance_meters')::float8 / 1000)::numeric, 2)::float8
            FROM healthkit_metrics WHERE user_id = %s AND metric_type = 'HKWorkoutTypeIdentifier'
              AND started_at >= %s::date::timestamp AT TIME ZONE %s ORDER BY started_at DESC
            """, (USER, begin, ZONE))
        rows = cursor.fetchall()
    begin_utc = datetime.datetime.combine(
        datetime.date.fromisoformat(begin), datetime.time(), tools.TZ).astimezone(datetime.timezone.utc)
    theirs = [w for w in theirs if datetime.datetime.fromisoformat(w["started_at"]) >= begin_utc]
    checks.true(len(rows) > 3, "there are hardly any workouts to compare")
    checks.equal(len(theirs), len(rows), "workouts")
    for workout, (activity, minutes, kilometres) in zip(theirs, rows):
        checks.equal(workout["workout_type"], activity, "activity of a workout")
        checks.close(workout["duration_minutes"], minutes, "minutes of a workout", 0.11)
        checks.close(workout["distance_km"], kilometres, "kilometres of a workout", 0.011)
    ours = query("workouts", "--from", begin, "--to", today.isoformat())["overall"]
    checks.equal(ours["samples"], len(theirs), "workouts of hk2pg query")
    # It adds up workouts that two devices recorded at the same time; hk2pg counts that time once.
    checks.true(ours["total"] <= sum(w["duration_minutes"] for w in theirs) + 0.06 * len(theirs), "minutes of workouts")

    # The rest of its tools run, too.
    for answer in (
        tools.get_health_summary(7), tools.get_health_summary(90), tools.get_sleep(7),
        tools.query_metric("HKQuantityTypeIdentifierStepCount", 90), tools.get_daily_snapshot(first),
        tools.get_long_term_trend("HKQuantityTypeIdentifierRestingHeartRate", 12), tools.get_coaching_brief(),
        tools.search_records("HKQuantityTypeIdentifierStepCount", 90, 1),
        tools.compare_periods("HKQuantityTypeIdentifierStepCount", first, first, first, today.isoformat()),
    ):
        checks.true(isinstance(answer, dict) and "error" not in answer, f"an answer of health4ai: {str(answer)[:300]}")
    checks.done()


main()
