"""Runs a command by paramiko's usual client, which puts questions to the terminal by itself."""

import sys

import paramiko

host, port, user, key, command = sys.argv[1:]
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
try:
    client.connect(
        host,
        int(port),
        user,
        key_filename=key,
        allow_agent=False,
        look_for_keys=False,
        auth_timeout=100,
    )
except paramiko.SSHException as error:
    sys.exit(f"{type(error).__name__}: {error}")
_, stdout, _ = client.exec_command(command)
sys.stdout.write(stdout.read().decode())
client.close()
