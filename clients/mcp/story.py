"""The hub's tools, used by the official Python client in all its modes, over HTTP and over the streams of `parlour mcp`."""

import asyncio
import json
import os
import time
import urllib.request

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["PARLOUR_URL"]
TOKEN = os.environ["PARLOUR_TOKEN"]
PROGRAM = os.environ.get("PARLOUR_PROGRAM", "parlour")
MODES = ("legacy", "2026-07-28", "auto")


def call(method, path, body=None):
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, method=method, data=data, headers=headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def words(result):
    return "\n".join(block.text for block in result.content)


async def work(client, agent, channel):
    async def tool(name, arguments):
        return await client.call_tool(name, arguments)

    assert len((await client.list_tools()).tools) == 12
    posted = await tool("post_message", {"channel_id": "general", "body": "hello"})
    assert not posted.is_error, words(posted)
    wrong = await tool("post_message", {"channel_id": "genral", "body": "hello"})
    assert wrong.is_error and 'Did you mean: "general"' in words(wrong), words(wrong)
    begun = await tool("checkpoint", {"label": "a story"})
    assert begun.structured_content["verdict"] == "continue", words(begun)
    question = call("POST", "/messages", {"channel_id": channel, "body": f"@{agent['name']} stop?", "blocking": True})
    assert "You received a message from" in words(await tool("search", {"query": "hello"}))
    paused = await tool("checkpoint", {})
    assert paused.structured_content["verdict"] == "pause", words(paused)
    answered = await tool("reply_thread", {"thread_id": question["id"], "body": "stopped"})
    assert answered.structured_content["answers"] == question["id"], words(answered)
    finished = await tool("checkpoint", {"finish": True})
    assert finished.structured_content["state"] == "done", words(finished)
    read = await client.read_resource(f"parlour://conversation/{channel}")
    assert "> hello" in read.contents[0].text


async def main():
    project = call("POST", "/projects", {"name": f"Python {time.time_ns()}"})["id"]
    channel = call("POST", "/channels", {"project_id": project, "name": "general"})["id"]
    for number, mode in enumerate(MODES):
        agent = call("POST", "/agents", {"project_id": project, "name": f"Coder-{number}"})
        headers = {"authorization": f"Bearer {agent['token']}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(f"{URL}/mcp", http_client=http), mode=mode) as client:
                await work(client, agent, channel)
        print(f"✔ python {mode} over HTTP")
        env = dict(os.environ, PARLOUR_URL=URL, PARLOUR_TOKEN=agent["token"])
        async with Client(StdioServerParameters(command=PROGRAM, args=["mcp"], env=env), mode=mode) as client:
            await work(client, agent, channel)
        print(f"✔ python {mode} over the standard streams")


asyncio.run(main())
