"""The board's features with asyncssh. Reads a job as JSON from stdin, prints the outcome as JSON to stdout."""
import asyncio
import hashlib
import json
import sys

import asyncssh

order = json.load(sys.stdin)


def connect(by_key=False):
    secret = {"client_keys": [order["keyFile"]]} if by_key else {"password": order["password"], "client_keys": None}
    return asyncssh.connect(
        order["host"], order["port"], username=order["login"], known_hosts=None, config=None, agent_path=None, **secret
    )


async def feature_exec(connection):
    done = await connection.run("echo out; echo err >&2; exit 7")
    outcome = [done.stdout, done.stderr, done.exit_status]
    return outcome == ["out\n", "err\n", 7], outcome


async def feature_input(connection):
    data = bytes(range(256)) * 16384
    done = await connection.run("cat", input=data, encoding=None)
    return done.stdout == data, [hashlib.sha256(done.stdout).hexdigest(), done.exit_status]


async def feature_pty(connection):
    command = "stty size; echo $TERM; read line; stty size"
    process = await connection.create_process(command, term_type="vt100", term_size=(100, 30))
    said = await process.stdout.readuntil("vt100")
    process.change_terminal_size(120, 40)
    process.stdin.write("\n")
    said += await process.stdout.read()
    return "30 100" in said and "40 120" in said, said


async def feature_key(connection):
    async with connect(by_key=True) as other:
        done = await other.run("echo by key")
    return done.stdout == "by key\n", [done.stdout, done.exit_status]


async def feature_signal(connection):
    done = await connection.run("kill -TERM $$")
    return done.exit_signal is not None, [list(done.exit_signal or []), done.exit_status]


async def feature_sftp(connection):
    data = bytes(range(256)) * 8192
    async with connection.start_sftp_client() as sftp:
        await sftp.mkdir("tree", asyncssh.SFTPAttrs(permissions=0o750))
        async with sftp.open("tree/file", "wb") as file:
            await file.write(data)
        await sftp.posix_rename("tree/file", "tree/other")
        await sftp.symlink("other", "tree/link")
        await sftp.chmod("tree/other", 0o600)
        await sftp.utime("tree/other", (1000000000, 1000000001))
        async with sftp.open("tree/link", "rb") as file:
            back = await file.read()
        names = sorted(await sftp.listdir("tree"))
        status = await sftp.stat("tree/other")
        errors = []
        for attempt in (sftp.stat("nothing"), sftp.rmdir("tree"), sftp.open("/etc/shadow", "rb")):
            try:
                await attempt
            except asyncssh.SFTPError as error:
                errors.append([error.code, error.reason])
        space = await sftp.statvfs(".")
        await sftp.rmtree("tree")
    works = back == data and len(errors) == 3 and space.bsize > 0
    return works, [names, status.size, status.mtime, status.permissions, errors]


async def feature_local(connection):
    reader, writer = await connection.open_connection("127.0.0.1", order["echoPort"])
    writer.write(b"through\n")
    said = await reader.readexactly(8)
    writer.close()
    return said == b"through\n", said.decode()


async def feature_remote(connection):
    listener = await connection.forward_remote_port("127.0.0.1", 0, "127.0.0.1", order["echoPort"])
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.get_port())
    writer.write(b"through\n")
    said = await reader.readexactly(8)
    writer.close()
    listener.close()
    return said == b"through\n", said.decode()


async def feature_many(connection):
    async def ask(at):
        return (await connection.run("echo %d" % at)).stdout

    answers = await asyncio.gather(*(ask(at) for at in range(20)))
    return answers == ["%d\n" % at for at in range(20)], answers


async def main():
    async with connect() as connection:
        works, outcome = await globals()["feature_" + order["feature"]](connection)
    json.dump({"works": works, "outcome": outcome}, sys.stdout)


asyncio.run(main())
