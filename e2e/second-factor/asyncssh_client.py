"""Runs a command by asyncssh, whose programs answer questions themselves: the answers come from stdin."""

import asyncio
import sys
import warnings

warnings.simplefilter("ignore")

import asyncssh  # noqa: E402

host, port, user, key, command = sys.argv[1:]


class Client(asyncssh.SSHClient):
    def auth_banner_received(self, msg, lang):
        print(msg, flush=True)

    def kbdint_auth_requested(self):
        return ""

    async def kbdint_challenge_received(self, name, instructions, lang, prompts):
        print(instructions, flush=True)
        answers = []
        for prompt, _ in prompts:
            print(prompt, flush=True)
            answers.append(await asyncio.to_thread(lambda: sys.stdin.readline().strip()))
        return answers


async def run():
    connection = await asyncssh.connect(
        host,
        int(port),
        username=user,
        client_keys=[key],
        known_hosts=None,
        config=None,
        agent_path=None,
        login_timeout=100,
        client_factory=Client,
    )
    async with connection:
        result = await connection.run(command)
        sys.stdout.write(result.stdout)


try:
    asyncio.run(run())
except asyncssh.Error as error:
    sys.exit(f"{type(error).__name__}: {error}")
