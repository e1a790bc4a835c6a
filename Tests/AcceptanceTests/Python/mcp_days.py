"""Prints what `hk2pg mcp` says of each of the last 90 days, one figure a line, whichever tier it is from.

Environment: HK2PG, DATABASE_URL, HEALTHKIT_USER_ID.
"""

import asyncio
import os

from checks import Checks
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

DAYS = 90
checks = Checks()


async def main():
    parameters = StdioServerParameters(command=os.environ["HK2PG"], args=["mcp"], env=dict(os.environ))
    async with Client(stdio_client(parameters, errlog=open(os.devnull, "w"))) as session:
        async def call(name, **arguments):
            result = await session.call_tool(name, arguments)
            checks.true(not result.is_error, f"{name}: {result.content}")
            return result.structured_content

        hrv = await call("get_hrv_trend", days=DAYS)
        for day in hrv["daily_averages"]:
            print("hrv", day["date"], day["avg_hrv_ms"])
        print("hrv mean", hrv["avg_hrv_ms"], hrv["trend_vs_prior_week"])
        for night in (await call("get_sleep", days=DAYS))["nights"]:
            print("sleep", {key: value for key, value in night.items() if key != "source"})
        for metric in ("hrv", "steps", "active-energy", "resting-heart-rate", "stand-hours"):
            answer = await call("query_metric", metric_type=metric, days=DAYS)
            for day in answer["daily"]:
                print(metric, day["date"], {key: value for key, value in day.items() if key not in ("date", "source")})
            print(metric, "all", answer["count"], answer["avg"], answer["total"])
            stats = await call("get_metric_stats", metric_type=metric, days=DAYS)
            print(metric, "stats", stats["mean"], stats["std_dev"], stats["percentiles"])
        workouts = await call("get_workouts", days=DAYS)
        print("workouts", workouts["total_workouts"], workouts["total_minutes"], workouts["by_activity"])
    checks.done()


asyncio.run(main())
