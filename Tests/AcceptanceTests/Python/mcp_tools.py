"""Every tool of `hk2pg mcp`, called with the official client and compared with `hk2pg query` and with SQL.

Environment: HK2PG (the program), DATABASE_URL, HEALTHKIT_USER_ID.
"""

import asyncio
import os
import signal
import statistics
import subprocess
import time

import anyio
import psycopg2
from checks import Checks, hk2pg, query
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

USER = os.environ["HEALTHKIT_USER_ID"]
NAMES = {
    "get_health_summary", "get_sleep", "get_hrv_trend", "query_metric", "get_workouts", "get_daily_snapshot",
    "get_long_term_trend", "get_metric_stats", "compare_periods", "search_records", "list_metrics",
}
# What pg_stat_activity calls the server's connection.
NAME = f"mcp-of-{os.getpid()}"
checks = Checks()


def client(mode):
    environment = {**os.environ, "PGAPPNAME": NAME}
    parameters = StdioServerParameters(command=os.environ["HK2PG"], args=["mcp"], env=environment)
    return Client(stdio_client(parameters, errlog=open(os.devnull, "w")), mode=mode)


def sql(text, *parameters):
    connection = psycopg2.connect(os.environ["DATABASE_URL"])
    try:
        with connection.cursor() as cursor:
            cursor.execute(text, parameters)
            return cursor.fetchall()
    finally:
        connection.close()


async def call(session, name, **arguments):
    """The structured result, which the client has checked against the tool's schema."""
    result = await session.call_tool(name, arguments)
    checks.true(not result.is_error, f"{name}: {result.content}")
    checks.equal(len(result.content), 1, f"{name}: parts of the text")
    return result.structured_content


async def compare(session):
    """Each tool against another way to the same figures."""
    hrv = query("hrv", "--days", "90")
    found = await call(session, "get_hrv_trend", days=90)
    checks.true(len(hrv["points"]) > 10, "there is hardly any HRV to compare")
    checks.equal([d["date"] for d in found["daily_averages"]], [p["start"] for p in hrv["points"]], "days of HRV")
    for day, point in zip(found["daily_averages"], hrv["points"]):
        checks.close(day["avg_hrv_ms"], point["value"], f"HRV of {day['date']}")
        checks.equal(day["source"], point["source"], f"tier of HRV of {day['date']}")
    checks.close(found["avg_hrv_ms"], hrv["overall"]["value"], "mean HRV")

    sleep = query("sleep", "--days", "60")
    nights = (await call(session, "get_sleep", days=60))["nights"]
    checks.true(len(nights) > 30, "there are hardly any nights to compare")
    checks.equal([n["date"] for n in reversed(nights)], [p["start"] for p in sleep["points"]], "nights")
    for night, point in zip(reversed(nights), sleep["points"]):
        checks.close(night["asleep_minutes"], point.get("value"), f"night of {night['date']}")
        for stage, name in (("core", "Core"), ("deep", "Deep"), ("rem", "REM"), ("unspecified", "Unspecified")):
            part = point["parts"].get(f"HKCategoryValueSleepAnalysisAsleep{name}", {}).get("value")
            checks.close(night["stages"].get(stage), part, f"{stage} of {night['date']}")

    steps = query("steps", "--days", "90")
    daily = (await call(session, "query_metric", metric_type="steps", days=90))["daily"]
    checks.equal([d["date"] for d in daily], [p["start"] for p in steps["points"]], "days of steps")
    for day, point in zip(daily, steps["points"]):
        checks.close(day["value"], point["value"], f"steps of {day['date']}")
    stored = dict(
        sql(
            "SELECT summary_date::text, sum_value FROM healthkit_daily_summaries"
            " WHERE user_id = %s AND metric_type = 'HKQuantityTypeIdentifierStepCount'", USER)
    )
    for day in daily:
        if day["source"] == "summary":
            checks.close(day["value"], stored[day["date"]], f"stored steps of {day['date']}")

    workouts = query("workouts", "--days", "90")
    found = await call(session, "get_workouts", days=90, limit=1000)
    checks.true(found["total_workouts"] > 5, "there are hardly any workouts to compare")
    checks.equal(found["total_workouts"], workouts["overall"]["samples"], "workouts")
    checks.close(found["total_minutes"], workouts["overall"]["total"], "minutes of workouts", 0.01)
    checks.equal(sum(a["workouts"] for a in found["by_activity"].values()), found["total_workouts"], "activities")

    day = steps["points"][-5]["start"]
    snapshot = await call(session, "get_daily_snapshot", date=day)
    rows = sql(
        "SELECT metric_type, sum_value, avg_value, sample_count FROM healthkit_daily_summaries"
        " WHERE user_id = %s AND summary_date = %s", USER, day)
    checks.true(len(rows) > 10, f"{day} has hardly anything to compare")
    checks.equal(sorted(m["metric_type"] for m in snapshot["metrics"]), sorted(r[0] for r in rows), f"metrics of {day}")
    by_type = {r[0]: r for r in rows}
    for metric in snapshot["metrics"]:
        row = by_type[metric["metric_type"]]
        checks.close(metric["value"], row[1] if metric["value_type"] == "total" else row[2], f"{metric['metric']} of {day}")
        checks.equal(metric["count"], row[3], f"samples of {metric['metric']} of {day}")

    trend = await call(session, "get_long_term_trend", metric_type="steps", months=3)
    months = query("steps", "--from", trend["first_day"], "--to", trend["last_day"], "--by", "month")
    checks.equal([m["month"] for m in trend["monthly_trend"]], [p["start"][:7] for p in months["points"]], "months")
    for month, point in zip(trend["monthly_trend"], months["points"]):
        checks.close(month["avg"], point["value"], f"steps a day in {month['month']}")
        checks.close(month["total"], point["total"], f"steps in {month['month']}")

    stats = await call(session, "get_metric_stats", metric_type="resting-heart-rate", days=90)
    values = [p["value"] for p in query("resting-heart-rate", "--days", "90")["points"]]
    checks.equal(stats["data_points"], len(values), "days with a resting heart rate")
    checks.close(stats["mean"], statistics.fmean(values), "mean of the days")
    checks.close(stats["std_dev"], statistics.pstdev(values), "deviation of the days")
    checks.close(stats["percentiles"]["p50"], statistics.median(values), "median of the days")

    first, last = steps["first"], steps["last"]
    periods = await call(
        session, "compare_periods", metric_type="steps", period_a_start=first, period_a_end=day,
        period_b_start=day, period_b_end=last)
    for name, limits in (("period_a", (first, day)), ("period_b", (day, last))):
        expected = query("steps", "--from", limits[0], "--to", limits[1])["overall"]
        checks.close(periods[name]["avg"], expected["value"], f"steps of {name}")
        checks.equal(periods[name]["data_points"], expected["days"], f"days of {name}")

    limit = statistics.median(p["value"] for p in steps["points"])
    search = await call(session, "search_records", metric_type="steps", days=90, min_value=limit)
    expected = sorted((p["value"] for p in steps["points"] if p["value"] >= limit), reverse=True)
    checks.equal(len(search["results"]), len(expected), "days with many steps")
    for result, value in zip(search["results"], expected):
        checks.close(result["value"], value, "steps of a day with many")

    listed = await call(session, "list_metrics")
    checks.equal(
        sorted(m["metric_type"] for m in listed["metrics"]), sorted(m["metric_type"] for m in query()["metrics"]),
        "what there is")

    summary = await call(session, "get_health_summary", days=30)
    month = query("steps", "--days", "30")["overall"]
    checks.close(summary["steps"]["total"], month["total"], "steps of 30 days")
    checks.close(summary["sleep"]["avg_hours"], query("sleep", "--days", "30")["overall"]["value"] / 60, "sleep of 30 days")
    checks.equal(summary["workouts"]["count"], query("workouts", "--days", "30")["overall"]["samples"], "workouts of 30 days")


async def mistakes(session):
    """Tool errors for bad arguments, protocol errors for what is no tool; the server goes on."""
    for name, arguments, words in [
        ("get_sleep", {"days": 0}, "from 1 to 3660"), ("get_sleep", {"days": 99999}, "from 1 to 3660"),
        ("query_metric", {}, "metric_type is missing"), ("query_metric", {"metric_type": "stesp"}, "Did you mean steps?"),
        ("query_metric", {"metric_type": "'; DROP TABLE healthkit_metrics; --"}, "no metric"),
        ("query_metric", {"metric_type": "steps", "limit": 1001}, "from 1 to 1000"),
        ("get_daily_snapshot", {"date": "yesterday"}, "a date such as"),
        ("get_metric_stats", {"metric_type": "workout-route"}, "no figures by day"),
        ("get_sleep", {"user_id": "somebody else"}, "no argument user_id"),
    ]:
        result = await session.call_tool(name, arguments)
        text = result.content[0].text
        checks.true(result.is_error and words in text, f"{name} {arguments}: {text}")
    try:
        await session.call_tool("run_sql", {"sql": "SELECT 1"})
        checks.true(False, "there is a tool run_sql")
    except MCPError as error:
        checks.equal(error.error.code, -32602, "code of an unknown tool")
    await call(session, "get_sleep")


def waiting():
    """Statements of hk2pg that wait for a lock."""
    return sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'", NAME)[0][0]


async def until(condition, what):
    deadline = time.monotonic() + 30
    while not condition():
        checks.true(time.monotonic() < deadline, what)
        await anyio.sleep(0.05)


async def cancellation(session):
    """A call that waits for a lock, given up by the client: its statement ends, and the next call is answered."""
    connection = psycopg2.connect(os.environ["DATABASE_URL"])
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE healthkit_daily_summaries IN ACCESS EXCLUSIVE MODE")
        async with anyio.create_task_group() as group:
            group.start_soon(session.call_tool, "get_hrv_trend", {"days": 90})
            await until(lambda: waiting() == 1, "the call does not wait for the lock")
            group.cancel_scope.cancel()
        await until(lambda: waiting() == 0, "a cancelled call goes on")
    connection.rollback()
    connection.close()
    await call(session, "get_hrv_trend", days=90)


async def lost_connection(session):
    before = await call(session, "get_hrv_trend", days=90)
    ended = sql(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = %s", NAME)[0][0]
    checks.equal(ended, 1, "connections of the server")
    checks.equal(await call(session, "get_hrv_trend", days=90), before, "after a lost connection")


async def many_calls(session):
    times = []

    async def some(count):
        for _ in range(count):
            start = time.monotonic()
            await call(session, "get_hrv_trend", days=30)
            times.append(time.monotonic() - start)

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(some, 100)
    checks.equal(len(times), 1000, "answered calls")
    print(f"1,000 calls, ten at a time: median {statistics.median(times) * 1000:.0f} ms")


def endings():
    """The end of the input and SIGTERM both end the server with exit code 0; stdout has the protocol alone."""
    hello = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    for how in ("end of input", "SIGTERM"):
        server = subprocess.Popen(
            [os.environ["HK2PG"], "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        server.stdin.write(hello)
        server.stdin.flush()
        checks.equal(server.stdout.readline(), b'{"id":1,"jsonrpc":"2.0","result":{}}\n', "the answer to a ping")
        if how == "SIGTERM":
            server.send_signal(signal.SIGTERM)
            checks.equal(server.wait(30), 0, f"exit code after {how}")
        output, errors = server.communicate(timeout=30)
        checks.equal((server.returncode, output, errors), (0, b"", b""), f"exit, stdout and stderr after {how}")


async def main():
    for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28")):
        async with client(mode) as session:
            checks.equal(session.protocol_version, version, "the revision agreed on")
            tools = (await session.list_tools()).tools
            checks.equal({t.name for t in tools}, NAMES, "tools")
            for tool in tools:
                checks.true(tool.annotations.read_only_hint, f"{tool.name} is not marked as reading only")
                checks.true(tool.output_schema and tool.input_schema, f"{tool.name} has no schemas")
            await compare(session)
            await mistakes(session)
            await lost_connection(session)
            await cancellation(session)
            if mode == "legacy":
                await many_calls(session)
    endings()
    checks.done()


asyncio.run(main())
