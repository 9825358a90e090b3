# Does the jobs of job.ts with paramiko; see scripted.ts for how it is run.
import hashlib
import json
import os
import socket
import sys
import threading
import traceback

import paramiko

KEYS = (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey)


def private_key(path):
    for kind in KEYS:
        try:
            return kind.from_private_key_file(path)
        except paramiko.SSHException:
            continue
    raise ValueError(path)


def restrict(transport, offer):
    options = transport.get_security_options()
    if "kex" in offer:
        options.kex = (offer["kex"],)
    if "cipher" in offer:
        options.ciphers = (offer["cipher"],)
    if "mac" in offer:
        options.digests = (offer["mac"],)


def sign_in(transport, user, login):
    method = login["method"]
    if method == "password":
        transport.auth_password(user, login["password"])
    elif method == "keyboard-interactive":
        answers = login["answers"]
        transport.auth_interactive(user, lambda title, text, prompts: [answers[prompt.strip()] for prompt, _ in prompts])
    else:
        key = private_key(login["key"])
        if login.get("certificate"):
            key.load_certificate(login["certificate"])
        transport.auth_publickey(user, key)


def read_all(channel):
    parts = []
    while True:
        part = channel.recv(65536)
        if not part:
            return b"".join(parts)
        parts.append(part)


def through(channel, path, each=None, between=None):
    """What an echo gives back for a file's contents; `between` is called after every `each` bytes but the last."""
    with open(path, "rb") as file:
        sent = file.read()

    def send():
        step = each or len(sent)
        for start in range(0, len(sent), step):
            if start > 0:
                between()
            channel.sendall(sent[start : start + step])
        channel.shutdown_write() if hasattr(channel, "shutdown_write") else channel.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()
    return read_all(channel)


def outcome(channel, stdout):
    return {"code": channel.recv_exit_status(), "stdout": stdout, "stderr": ""}


def run(transport, task, rekey_bytes=None):
    kind = task["kind"]
    if kind == "sftp":
        sftp = paramiko.SFTPClient.from_transport(transport)
        sftp.put(task["local"], task["remote"])
        sftp.get(task["remote"], task["back"])
        with open(task["back"], "rb") as file:
            return {"code": 0, "stdout": file.read(), "stderr": ""}
    if kind == "local":
        channel = transport.open_channel("direct-tcpip", ("127.0.0.1", task["to"]), ("127.0.0.1", 1))
        return {"code": 0, "stdout": through(channel, task["send"]), "stderr": ""}
    if kind == "remote":
        transport.request_port_forward("127.0.0.1", task["listen"])
        near = socket.create_connection(("127.0.0.1", task["listen"]))
        channel = transport.accept(10)

        def echo():
            while part := channel.recv(65536):
                channel.sendall(part)
            channel.shutdown_write()

        threading.Thread(target=echo, daemon=True).start()
        return {"code": 0, "stdout": through(near, task["send"]), "stderr": ""}
    channel = transport.open_session()
    if kind == "shell":
        channel.get_pty("xterm", 80, 24)
        channel.invoke_shell()
        channel.sendall(task["lines"])
        return outcome(channel, read_all(channel))
    if kind == "agent":
        os.environ["SSH_AUTH_SOCK"] = task["agent"]
        paramiko.agent.AgentRequestHandler(channel)
    channel.exec_command(task["command"])
    if kind == "exec" and task.get("input"):
        return outcome(channel, through(channel, task["input"], rekey_bytes, transport.renegotiate_keys))
    return outcome(channel, read_all(channel))


def x11(transport, task):
    """The X server of this client: it takes the connection's first message and greets."""
    channel = transport.open_session()
    opened = []
    ready = threading.Event()

    def handler(x_channel, origin):
        opened.append(x_channel)
        ready.set()

    channel.request_x11(handler=handler)
    channel.exec_command(task["command"])
    if not ready.wait(10):
        raise TimeoutError("no X11 channel was opened")
    opened[0].recv(4096)
    opened[0].sendall(b"X says hello")
    opened[0].shutdown_write()
    return outcome(channel, read_all(channel))


def do(job):
    near = socket.create_connection(("127.0.0.1", job["port"]))
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    transport = paramiko.Transport(near)
    try:
        restrict(transport, job.get("offer", {}))
        # New keys are asked for by call, and never after the end of the input. Where paramiko asks by itself (REKEY_BYTES),
        # the server's CHANNEL_CLOSE may be on its way while it does; its only reading thread answers that with a message
        # (Channel._handle_close), which waits for the exchange that this thread would have to read: both stand for 30 s.
        renewals = []
        transport.start_client(timeout=20)
        if "rekeyBytes" in job:
            activate = transport._activate_outbound
            transport._activate_outbound = lambda: (renewals.append(1), activate())
        sign_in(transport, job["user"], job["login"])
        task = job["task"]
        result = x11(transport, task) if task["kind"] == "x11" else run(transport, task, job.get("rekeyBytes"))
        result["stderr"] = "new keys\n" * len(renewals)
        return result
    finally:
        transport.close()


for job in json.load(sys.stdin):
    try:
        result = do(job)
        bytes_out = result["stdout"]
        result["sha256"] = hashlib.sha256(bytes_out).hexdigest()
        result["stdout"] = bytes_out[:4000].decode("utf-8", "replace")
        print(json.dumps({"id": job["id"], "result": result}), flush=True)
    except Exception:
        print(json.dumps({"id": job["id"], "error": traceback.format_exc(limit=-3)}), flush=True)
