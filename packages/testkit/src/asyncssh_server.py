# An ssh server by asyncssh: PORT AUTHORIZED_KEYS HOST_KEY... Runs commands with /bin/sh; the password is "right", and a
# keyboard-interactive login asks for a code, which is "42".
import asyncio
import sys

import asyncssh


class Server(asyncssh.SSHServer):
    def password_auth_supported(self):
        return True

    def validate_password(self, username, password):
        return password == "right"

    def kbdint_auth_supported(self):
        return True

    def get_kbdint_challenge(self, username, lang, submethods):
        return "Token", "Look at your card.", "en", [("Code: ", True)]

    def validate_kbdint_response(self, username, responses):
        return responses == ["42"]

    def connection_requested(self, dest_host, dest_port, orig_host, orig_port):
        return True

    def unix_connection_requested(self, dest_path):
        # As a server without such channels answers (RFC 4254 section 5.1).
        raise asyncssh.ChannelOpenError(asyncssh.OPEN_UNKNOWN_CHANNEL_TYPE, "unsupported channel type")


async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def feed(reader, writer):
    try:
        await copy(reader, writer)
        writer.close()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the command reads no more


async def handle(process):
    pipe = asyncio.subprocess.PIPE
    command = process.command or "exit 9"
    child = await asyncio.create_subprocess_exec("/bin/sh", "-c", command, stdin=pipe, stdout=pipe, stderr=pipe)
    feeding = asyncio.create_task(feed(process.stdin, child.stdin))
    try:
        await asyncio.gather(copy(child.stdout, process.stdout), copy(child.stderr, process.stderr))
    except (BrokenPipeError, ConnectionResetError):
        child.terminate()  # the client has closed the channel; asyncssh would end the connection
    process.exit(await child.wait())
    feeding.cancel()


async def main():
    port, authorized, *keys = sys.argv[1:]
    await asyncssh.create_server(
        Server, "127.0.0.1", int(port), server_host_keys=keys, authorized_client_keys=authorized,
        process_factory=handle, encoding=None,
    )
    await asyncio.Event().wait()


asyncio.run(main())
