# Does the jobs of job.ts with asyncssh; see scripted.ts for how it is run.
import asyncio
import hashlib
import json
import sys
import traceback

import asyncssh


class Client(asyncssh.SSHClient):
    """Answers keyboard-interactive questions."""

    def __init__(self, login):
        self.answers = login.get("answers", {})

    def kbdint_auth_requested(self):
        return ""

    def kbdint_challenge_received(self, name, instructions, lang, prompts):
        return [self.answers[prompt.strip()] for prompt, _ in prompts]


def login_options(login):
    method = login["method"]
    if method == "password":
        return {"password": login["password"], "client_keys": None, "agent_path": None}
    if method == "keyboard-interactive":
        return {"client_keys": None, "agent_path": None, "preferred_auth": "keyboard-interactive"}
    if method == "security-key":
        return {"agent_path": login["agent"], "client_keys": (), "agent_identities": [login["key"] + ".pub"]}
    key = (login["key"], login["certificate"]) if login.get("certificate") else login["key"]
    return {"client_keys": [key], "agent_path": None}


def offer_options(offer):
    names = {"kex": "kex_algs", "cipher": "encryption_algs", "mac": "mac_algs"}
    return {names[kind]: [name] for kind, name in offer.items()}


async def through(reader, writer, path):
    """What an echo gives back for a file's contents."""
    with open(path, "rb") as file:
        writer.write(file.read())
    writer.write_eof()
    return await reader.read()


def file_bytes(path):
    with open(path, "rb") as file:
        return file.read()


async def outcome(process, data):
    stdout, stderr = await process.communicate(data)
    return {"code": process.exit_status, "stdout": stdout, "stderr": stderr.decode()}


async def run(connection, task):
    kind = task["kind"]
    if kind == "exec":
        data = file_bytes(task["input"]) if task.get("input") else b""
        return await outcome(await connection.create_process(task["command"], encoding=None), data)
    if kind == "shell":
        process = await connection.create_process(term_type="xterm", term_size=(80, 24), encoding=None)
        process.stdin.write(task["lines"].encode())
        stdout = await process.stdout.read()
        await process.wait_closed()
        return {"code": process.exit_status, "stdout": stdout, "stderr": ""}
    if kind == "sftp":
        async with connection.start_sftp_client() as sftp:
            await sftp.put(task["local"], task["remote"])
            await sftp.get(task["remote"], task["back"])
        return {"code": 0, "stdout": file_bytes(task["back"]), "stderr": ""}
    if kind == "agent":
        return await outcome(await connection.create_process(task["command"], encoding=None), b"")
    if kind == "x11":
        display = {"x11_forwarding": True, "x11_display": f"127.0.0.1:{task['display']}", "x11_auth_path": "/dev/null"}
        return await outcome(await connection.create_process(task["command"], encoding=None, **display), b"")
    if kind == "local":
        listener = await connection.forward_local_port("127.0.0.1", task["listen"], "127.0.0.1", task["to"])
    elif kind == "remote":
        listener = await connection.forward_remote_port("127.0.0.1", task["listen"], "127.0.0.1", task["to"])
    elif kind == "socks":
        listener = await connection.forward_socks("127.0.0.1", task["listen"])
    elif kind == "local-socket":
        listener = await connection.forward_local_path(task["listen"], task["to"])
    else:
        listener = await connection.forward_remote_path(task["listen"], task["to"])
    async with listener:
        if kind.endswith("socket"):
            reader, writer = await asyncio.open_unix_connection(task["listen"])
        else:
            reader, writer = await asyncio.open_connection("127.0.0.1", task["listen"])
        if kind == "socks":
            writer.write(b"\5\1\0")
            await reader.readexactly(2)
            writer.write(b"\5\1\0\1\x7f\0\0\1" + task["to"].to_bytes(2, "big"))
            await reader.readexactly(10)
        return {"code": 0, "stdout": await through(reader, writer, task["send"]), "stderr": ""}


async def do(job):
    task = job["task"]
    options = {**login_options(job["login"]), **offer_options(job.get("offer", {}))}
    if task["kind"] == "agent":
        options.update(agent_path=task["agent"], agent_forwarding=True)
    if "rekeyBytes" in job:
        options["rekey_bytes"] = job["rekeyBytes"]
    connection, _ = await asyncssh.create_connection(
        lambda: Client(job["login"]),
        "127.0.0.1",
        job["port"],
        username=job["user"],
        known_hosts=None,
        config=None,
        **options,
    )
    renewals = []
    send_new_keys = connection.send_newkeys
    connection.send_newkeys = lambda *args: (renewals.append(1), send_new_keys(*args))
    async with connection:
        result = await asyncio.wait_for(run(connection, task), 20)
    result["stderr"] += "new keys\n" * len(renewals)
    return result


async def main():
    for job in json.load(sys.stdin):
        try:
            result = await do(job)
            data = result["stdout"]
            result["sha256"] = hashlib.sha256(data).hexdigest()
            result["stdout"] = data[:4000].decode("utf-8", "replace")
            print(json.dumps({"id": job["id"], "result": result}), flush=True)
        except Exception:
            print(json.dumps({"id": job["id"], "error": traceback.format_exc(limit=-3)}), flush=True)


asyncio.run(main())
