"""The private cluster is stopped while a client is connected: the next call finds it again.

Environment: HK2PG, HEALTHKIT_USER_ID, and where the cluster is (XDG_DATA_HOME).
"""

import asyncio
import os

from checks import Checks, hk2pg
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

checks = Checks()


async def main():
    parameters = StdioServerParameters(command=os.environ["HK2PG"], args=["mcp"], env=dict(os.environ))
    async with Client(stdio_client(parameters, errlog=open(os.devnull, "w"))) as session:
        async def steps():
            return await session.call_tool("query_metric", {"metric_type": "steps", "days": 3660})

        before = await steps()
        checks.true(not before.is_error and before.structured_content["count"] > 0, f"no steps: {before.content}")
        hk2pg("db", "stop")
        checks.equal((await steps()).structured_content, before.structured_content, "steps after the server was stopped")
        hk2pg("db", "stop")
        hk2pg("db", "start")
        checks.equal((await steps()).structured_content, before.structured_content, "steps after it was started again")
    checks.done()


asyncio.run(main())
